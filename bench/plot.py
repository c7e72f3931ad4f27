#!/usr/bin/env python3
"""Draws time over n for every case of a report, with all contenders and the limit.

    python3 bench/plot.py all.json --out FOLDER [--manner graph,stream] [--case 'sum f32,argmax f32']

One SVG file for each manner, with a panel for each case. The limit is what an empty kernel takes and
the bytes over the measured read bandwidth. Needs Matplotlib.
"""

import argparse
import io
import pathlib
import re
import sys

import peer_report

STYLES = {
    "tuned": {"color": "#d62728", "linewidth": 1.8, "marker": "o", "label": "Foldtune, tuned"},
    "untuned": {"color": "#ff9896", "linewidth": 1.2, "marker": ".", "label": "Foldtune, untuned"},
    "CUB": {"color": "#2ca02c", "linewidth": 1.2, "marker": "s"},
    "cuBLAS": {"color": "#9467bd", "linewidth": 1.2, "marker": "^"},
    "PyTorch": {"color": "#ff7f0e", "linewidth": 1.2, "marker": "v"},
    "CuPy": {"color": "#1f77b4", "linewidth": 1.2, "marker": "d"},
}
COLUMNS = 4
HEAD_INCHES = 0.75  # title and legend


def series(report, manner, names=None):
    """Per case, in its order, and contender the points (n, microseconds, bytes) of aligned inputs.

    Of the cases of these names, in their order; None: of all."""
    cases = {name: {} for name in names or []}
    for figure in report["figures"]:
        if figure["manner"] != manner or figure["layout"] != "vector":
            continue
        if names is not None and figure["case"] not in cases:
            continue
        points = cases.setdefault(figure["case"], {}).setdefault(figure["contender"], [])
        points.append((figure["n"], figure["median_us"], figure["bytes"]))
    for contenders in cases.values():
        for points in contenders.values():
            points.sort()
    return {name: contenders for name, contenders in cases.items() if contenders}


def limits(report, manner):
    """Microseconds of an empty kernel, and bytes per microsecond; None where they were not measured."""
    floors = [run["launch_us"][manner] for run in report["runs"] if manner in run["launch_us"]]
    bandwidths = [run["read_bandwidth_gbps"] for run in report["runs"] if run["read_bandwidth_gbps"] > 0]
    if not floors or not bandwidths:
        return None
    return min(floors), 1e3 * max(bandwidths)


def draw_panel(axes, name, contenders, limit):
    for contender, style in STYLES.items():
        if contender in contenders:
            points = contenders[contender]
            axes.plot([n for n, _, _ in points], [us for _, us, _ in points],
                      **{"label": contender, "markersize": 3, **style})
    if limit is not None:
        floor, bandwidth = limit
        points = sorted({(n, size) for points in contenders.values() for n, _, size in points})
        axes.plot([n for n, _ in points], [floor + size / bandwidth for _, size in points],
                  color="black", linestyle="--", linewidth=1, label="limit: launch + bytes / bandwidth")
    axes.set_title(name, fontsize=9)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.minorticks_off()
    axes.grid(True, which="major", linewidth=0.3)
    axes.tick_params(labelsize=7)


def draw(report, manner, path, names=None):
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text
    matplotlib.rcParams["svg.hashsalt"] = "foldtune"  # the same figures, the same file
    from matplotlib import pyplot

    cases = series(report, manner, names)
    columns = min(COLUMNS, len(cases))
    rows = -(-len(cases) // columns)
    height = HEAD_INCHES + 3 * rows
    figure, grid = pyplot.subplots(rows, columns, figsize=(4 * columns, height), squeeze=False)
    panels = list(grid.flat)
    for axes, (name, contenders) in zip(panels, cases.items()):
        draw_panel(axes, name, contenders, limits(report, manner))
    for axes in panels[len(cases):]:
        axes.remove()
    lines = {}
    for axes in panels[:len(cases)]:
        lines.update(reversed(pair) for pair in zip(*axes.get_legend_handles_labels()))
    run = report["runs"][0]
    title = f"{run['device']}, {run['date'][:10]}: microseconds per call over n ({manner})"
    figure.suptitle(title, y=1 - 0.1 / height).set_in_layout(False)
    figure.legend(lines.values(), lines.keys(), loc="upper center", ncol=len(lines), fontsize=9,
                  bbox_to_anchor=(0.5, 1 - 0.35 / height))
    figure.tight_layout(rect=(0, 0, 1, 1 - HEAD_INCHES / height))
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    pyplot.close(figure)
    # To a hundredth of a point and without indentation: half of the bytes, and nothing that shows.
    path.write_text(re.sub(r"(\.\d\d)\d+|(?<=\n) +", r"\1", text.getvalue()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("report", help="what foldtune_bench wrote, or joined")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="the folder to write to")
    parser.add_argument("--manner", default="graph,hot,stream,latency", help="by comma")
    parser.add_argument("--case", help="their names in the report, by comma [all]")
    options = parser.parse_args()
    names = options.case.split(",") if options.case else None
    try:
        report = peer_report.read(options.report)
        unknown = set(names or []) - {figure["case"] for figure in report["figures"]}
        if unknown:
            raise ValueError(f"{options.report} has no case {', '.join(sorted(unknown))}")
        options.out.mkdir(parents=True, exist_ok=True)
        for manner in options.manner.split(","):
            if series(report, manner, names):
                path = options.out / f"{manner}.svg"
                draw(report, manner, path, names)
                print(path)
    except ImportError as error:
        sys.exit(f"plot.py: {error}; Debian has it as python3-matplotlib")
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"plot.py: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
