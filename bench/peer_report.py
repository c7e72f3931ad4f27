"""Reports of the bench, as bench/README.md describes them, for the programs in Python."""

import json
import math
import os
import statistics
import tempfile

SCHEMA_VERSION = 4
CELL_FIELDS = ("case", "family", "problem", "inputs", "layout", "shape", "n", "bytes", "manner")
REDUCED = (1, 3)  # of the extents of a reduction along axes


def read(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    if report.get("schema_version") != SCHEMA_VERSION:
        raise ValueError(
            f"{path} is of version {report.get('schema_version')}, and this program reads version {SCHEMA_VERSION}")
    return report


def write(path, report):
    """As a whole or not at all."""
    mode = os.stat(path).st_mode if os.path.exists(path) else 0o644
    descriptor, temporary = tempfile.mkstemp(suffix=".tmp", prefix=os.path.basename(path) + ".",
                                             dir=os.path.dirname(path) or ".")
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            json.dump(report, file)
            file.write("\n")
            file.flush()
            os.fchmod(file.fileno(), mode & 0o777)
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def empty(run):
    return {"schema_version": SCHEMA_VERSION, "runs": [run], "figures": [], "faults": [], "not_run": []}


def cell_of(entry):
    """What is compared, of a figure."""
    return {field: entry[field] for field in CELL_FIELDS}


def cells_of(report):
    """All cells that have figures, in their order, each once."""
    cells = {json.dumps(cell_of(figure)): cell_of(figure) for figure in report["figures"]}
    return list(cells.values())


def is_along_axes(cell):
    return cell["family"] == "axis"


def array_of(cell):
    """Of a reduction along axes the array's extents, and which of them are reduced. Those of 1 are left out."""
    extents = [int(extent) for extent in cell["shape"].split("x")]
    places = [place for place, extent in enumerate(extents) if extent > 1]
    return (tuple(extents[place] for place in places),
            tuple(axis for axis, place in enumerate(places) if place in REDUCED))


def is_of_segments(cell):
    return cell["family"] == "segments"


def result_count(cell):
    if is_of_segments(cell):
        return int(cell["shape"].split("x")[0])
    if not is_along_axes(cell):
        return 1
    extents, axes = array_of(cell)
    return math.prod(extent for axis, extent in enumerate(extents) if axis not in axes)


def shortened(value):
    """To the digits that a timing has."""
    return float(f"{value:.6g}")


def make_figure(cell, contender, samples_us, compile_s=None):
    samples_us = [shortened(sample) for sample in samples_us]
    median = statistics.median(samples_us)
    compiling = {} if compile_s is None else {"compile_s": shortened(compile_s)}
    return {
        **cell,
        **compiling,
        "contender": contender,
        "median_us": shortened(median),
        "mad_us": shortened(statistics.median(abs(sample - median) for sample in samples_us)),
        "samples_us": samples_us,
        "gbps": shortened(cell["bytes"] / median / 1e3),
        "run": 0,
    }


def make_fault(cell, contender, is_wrong, reason):
    return {**cell, "contender": contender, "wrong": is_wrong, "reason": reason, "run": 0}
