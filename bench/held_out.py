#!/usr/bin/env python3
"""How well what was tuned serves sizes that were not: sizes drawn at random, a half of the inputs off by an element.

    python3 bench/held_out.py --program build/release/tuner/foldtune --bench build/release/bench/foldtune_bench
                              --out FOLDER [--n 2^10..2^28] [--sizes 40] [--seed 1] [--effort normal]
                              [--case NAMES] [--db FILE] [--yardstick FILE] [--check]

Tunes the cases over the range, as a user does (with --db it takes what is in that database); tunes a
quarter of the drawn sizes, each by itself, as the yardstick (--yardstick takes that of an earlier run); and times
all in one run of foldtune_bench, beside the untuned default and the libraries. Prints how much the tuned
configuration and the default lose against the yardstick, and what is missed of the limits. The exit code is
1 where a program fails, and with --check where a limit is missed.
"""

import argparse
import math
import pathlib
import random
import subprocess
import sys

import peer_report

# The cases, by their names in the bench, with the arguments of `foldtune tune`.
CASES = {
    "sum f32": "--op sum --type f32",
    "max f32": "--op max --type f32",
    "argmax f32": "--op argmax --type f32",
    "variance f32": "--op variance --type f32",
    "logsumexp f32": "--op logsumexp --type f32",
    "nrm2 f32": "--op nrm2 --type f32",
    "dot f32": "--op dot --type f32",
    "sum f64": "--op sum --type f64",
    "sum u8 -> u64": "--op sum --type u8",
    "sum bf16 -> f32": "--op sum --type bf16",
    "histogram u8 uniform": "--op histogram --type u8 --counter u32 --binning key",
    "histogram f32 uniform": "--op histogram --type f32 --counter u32 --bins 256",
}
LAYOUTS = ("vector", "element")
YARDSTICK_PLACES = (0, 5)  # of eight sizes those with a yardstick: one of each layout
GAIN_MOST = 2**22  # up to this size tuning has to gain

# What is claimed: (what, the contender, the one it is compared with, least and most n, mean, worst).
# "library" is the fastest one of each cell; there the limits are the least that is allowed.
LIMITS = [
    ("tuned, against the yardstick", "tuned", "yardstick", 0, math.inf, 1.01, 1.03),
    ("untuned, against the yardstick", "untuned", "yardstick", 0, math.inf, 1.03, 1.15),
    ("tuned, against untuned", "tuned", "untuned", 2**10, GAIN_MOST, 0.95, 1.02),
    ("the fastest library, against tuned", "library", "tuned", 0, math.inf, 1.55, 0.98),
]
OURS = ("tuned", "untuned", "yardstick")


def draw_sizes(text, count, seed):
    """So many counts of a range like 2^10..2^28, evenly distributed over their logarithms, ascending."""
    least, most = (2 ** int(end[2:]) if end.startswith("2^") else int(end) for end in text.split(".."))
    numbers = random.Random(seed)
    return sorted(int(2 ** numbers.uniform(math.log2(least), math.log2(most))) for _ in range(count))


def with_layouts(sizes):
    """The sizes in turns: of aligned inputs, and of inputs that are off by an element."""
    return {"vector": sizes[0::2], "element": sizes[1::2]}


def rows_of(report):
    """The medians of each cell by contender, with "library" for the fastest one."""
    rows = {}
    for figure in report["figures"]:
        key = (figure["case"], figure["n"], figure["layout"])
        rows.setdefault(key, {})[figure["contender"]] = figure["median_us"]
    for row in rows.values():
        libraries = [us for name, us in row.items() if name not in OURS]
        if libraries:
            row["library"] = min(libraries)
    return rows


def ratios_of(rows, contender, other, least, most):
    """(ratio of times, cell) of all cells that have both, the largest first."""
    found = [(row[contender] / row[other], cell) for cell, row in rows.items()
             if contender in row and other in row and least <= cell[1] <= most]
    return sorted(found, reverse=True)


def describe_limit(limit, rows):
    """A line on one of LIMITS, and whether it is met; None where nothing was measured."""
    what, contender, other, least, most, mean_limit, worst_limit = limit
    ratios = ratios_of(rows, contender, other, least, most)
    if not ratios:
        return f"{what}: not measured", None
    mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios))
    is_least = contender == "library"
    worst, cell = ratios[-1] if is_least else ratios[0]
    met = mean >= mean_limit and worst >= worst_limit if is_least else mean <= mean_limit and worst <= worst_limit
    sign = ">=" if is_least else "<="
    return (f"{'met' if met else 'MISSED':7} {what}: {mean:.3f} in geometric mean ({sign} {mean_limit}), worst "
            f"{worst:.3f} ({sign} {worst_limit}: {cell[0]}, {cell[1]}, {cell[2]}), {len(ratios)} cells"), met


def run(command, log):
    with open(log, "a", encoding="utf-8") as file:
        code = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, check=False).returncode
    if code != 0:
        sys.exit(f"held_out.py: {command[0]} ended with {code}: see {log}")


def tune(options, database, case, counts, layout):
    run([options.program, "tune", *CASES[case].split(), "--db", str(database), "--n", counts, "--layout", layout,
         "--effort", options.effort], options.out / "tune.txt")


def tune_range(options, database):
    for case in options.cases:
        for layout in LAYOUTS:
            tune(options, database, case, options.n, layout)


def tune_yardstick(options, database, sizes):
    chosen = [size for place, size in enumerate(sizes) if place % 8 in YARDSTICK_PLACES]
    for case in options.cases:
        for layout, counts in with_layouts(sizes).items():
            for count in sorted(set(chosen).intersection(counts)):
                tune(options, database, case, str(count), layout)


def measure(options, database, yardstick, sizes):
    path = options.out / "held_out.json"
    counts = {layout: ",".join(map(str, of_layout)) for layout, of_layout in with_layouts(sizes).items()}
    run([options.bench, "--db", str(database), "--yardstick", str(yardstick), "--n", counts["vector"],
         "--misaligned", counts["element"], "--manner", "graph", "--case", ",".join(options.cases),
         "--json", str(path)], options.out / "bench.txt")
    return peer_report.read(path)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0], allow_abbrev=False)
    parser.add_argument("--program", required=True, help="the program foldtune")
    parser.add_argument("--bench", required=True, help="the program foldtune_bench")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="the folder to write to")
    parser.add_argument("--n", default="2^10..2^28", help="the range that is tuned, and drawn from [%(default)s]")
    parser.add_argument("--sizes", type=int, default=40, help="that are drawn [%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="of the draw [%(default)s]")
    parser.add_argument("--effort", default="normal", help="of all that is tuned here [%(default)s]")
    parser.add_argument("--case", default=",".join(CASES), help="by comma [all of them]")
    parser.add_argument("--db", type=pathlib.Path, help="tuned before; nothing is tuned over the range")
    parser.add_argument("--yardstick", type=pathlib.Path, help="of an earlier run with the same sizes")
    parser.add_argument("--check", action="store_true", help="fail unless all limits are met")
    options = parser.parse_args()
    options.cases = options.case.split(",")
    unknown = [case for case in options.cases if case not in CASES]
    if unknown:
        parser.error(f"there is no case {unknown[0]!r}; there are: {', '.join(CASES)}")
    return options


def main():
    options = parse_arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    sizes = draw_sizes(options.n, options.sizes, options.seed)
    database = options.db or options.out / "cases.db"
    yardstick = options.yardstick or options.out / "yardstick.db"
    if options.db is None:
        tune_range(options, database)
    if options.yardstick is None:
        tune_yardstick(options, yardstick, sizes)
    rows = rows_of(measure(options, database, yardstick, sizes))
    verdicts = [describe_limit(limit, rows) for limit in LIMITS]
    print("\n".join(line for line, _ in verdicts))
    return 1 if options.check and not all(met for _, met in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
