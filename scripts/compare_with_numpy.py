#!/usr/bin/env python3
"""compare_with_numpy.py BUILD [--inputs N] [--seed N] [--only TEXT]: NumPy as the judge.

Every operator with every type, with NaN propagated and dropped, with both divisors, histograms of every type,
and every operator along axes of arrays with any strides, over random and special inputs, on the CPU device, through libfoldtune.so in this process. What
selects, counts or wraps is equal to the bit; what rounds is as near as numpy_judge.py says. Makes a
virtual environment with NumPy and cffi in .deps/numpy where one is missing. A kernel takes 0.3 s to compile, so by
default there are small inputs, and a fourth of the problems, by the seed, has larger and misaligned ones;
--inputs 40 gives them to all. Exit code: 0 if nothing differs, else 1."""
import argparse
import concurrent.futures
import fractions
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WHEELS = ("cffi>=1.16,<3", "numpy>=1.26,<3")
try:
    import cffi
    import numpy as np
except ImportError:
    place = ROOT / ".deps/numpy"
    if pathlib.Path(sys.prefix).resolve() == place.resolve():
        raise
    stamp = place / "ready"  # the wheels that are installed: others are fetched anew
    if not stamp.exists() or stamp.read_text() != " ".join(WHEELS):
        # Debian has venv's own pip in a package of its own; any pip can install there.
        subprocess.run([sys.executable, "-m", "venv", "--clear", "--without-pip", place], check=True)
        pips = [each for each in (sys.executable, "/usr/bin/python3")
                if subprocess.run([each, "-m", "pip", "--version"], capture_output=True).returncode == 0]
        if not pips:
            sys.exit("NumPy and cffi are missing, and pip to install them, too: apt-get install python3-pip")
        subprocess.run([pips[0], "-m", "pip", "--python", place, "install", "--quiet", "--only-binary", ":all:",
                        "--disable-pip-version-check", *WHEELS], check=True)
        stamp.write_text(" ".join(WHEELS))
    os.execv(place / "bin/python", [str(place / "bin/python"), *sys.argv])

from attack import names
from numpy_inputs import FLOATING_KINDS, INTEGER_KINDS, beside, even_bounds, floating_input, integer_input, place_of
from numpy_judge import (BIT_OPERATORS, COMPARING, DTYPES, FLOATING, OPERATORS, WITHOUT_EMPTY, count_between, elements,
                         even_edges, find_extreme, judge, numbers, result_type)

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("build", type=pathlib.Path)
parser.add_argument("--inputs", type=int, default=8, help="of each problem [8]")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--only", default="", help="problems with this in their name, such as 'nrm2 f32'")
options = parser.parse_args()

SMALL = 40  # elements: sizes up to it have one kernel
AXES_ELEMENTS = 4000  # of the arrays that are reduced along axes


class Failed(Exception):
    pass


def declarations():
    """foldtune.h without what only a preprocessor understands: the structures are as the library has them."""
    text = (ROOT / "runtime/include/foldtune/foldtune.h").read_text()
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif", "", text, flags=re.DOTALL)
    return re.sub(r"^#.*$|\bFOLDTUNE_API\b", "", text, flags=re.MULTILINE)


class Library:
    """foldtune.h with exceptions, and a context of the CPU device."""

    def __init__(self, build, database):
        self.ffi = cffi.FFI()
        self.ffi.cdef(declarations())
        self.c = self.ffi.dlopen(str(build.resolve() / "libfoldtune.so"))
        self.context = self.create("context", device="cpu", database=str(database))

    def call(self, name, *arguments):
        if getattr(self.c, f"foldtune_{name}")(*arguments) != 0:
            raise Failed(self.ffi.string(self.c.foldtune_last_error()).decode(errors="replace").splitlines()[0][:200])

    def create(self, what, *arguments, structure=None, **members):
        """The handle that foldtune_WHAT_create makes of a structure with these members; the others are 0."""
        texts = {key: self.ffi.new("char[]", value.encode()) for key, value in members.items()
                 if isinstance(value, str)}
        options = self.ffi.new(f"foldtune_{structure or what + '_options'} *", {**members, **texts})
        handle = self.ffi.new(f"foldtune_{what} **")
        self.call(f"{what}_create", *arguments, options, handle)
        return handle[0]

    def pointer(self, array):
        return self.ffi.cast("void *", array.ctypes.data)

    def reducer(self, **problem):
        told = {key: value for key, value in problem.items() if value is not None}
        return self.create("reducer", self.context, structure="problem", **told)

    def reduce(self, reducer, arrays, count):
        pointers = self.ffi.new("const void *[]", [self.pointer(array) for array in arrays])
        result = self.ffi.new("char[]", self.c.foldtune_reducer_result_bytes(reducer))
        self.call("reduce_value", reducer, pointers, len(arrays), count, result, len(result), self.ffi.NULL)
        return self.ffi.buffer(result)[:]

    def reduce_axes(self, reducer, views, axes, results):
        view = views[0]
        extents = self.ffi.new("uint64_t[]", view.shape)
        strides = self.ffi.new("int64_t[]", [stride // view.itemsize for stride in view.strides])
        layout = self.ffi.new("foldtune_array_layout *", {"rank": view.ndim, "extents": extents, "strides": strides})
        inputs = self.ffi.new("const void *[]", [self.pointer(each) for each in views])
        self.call("axis_reduce", reducer, inputs, len(views), layout, self.ffi.new("int[]", axes), len(axes),
                  self.pointer(results), self.ffi.NULL, self.ffi.NULL)

    def histogram(self, name, bins, binning):
        return self.create("histogram", self.context, type=name, bins=bins, binning=binning)


class Report:
    def __init__(self):
        self.inputs, self.differences = 0, {}

    def add(self, problem, kind, found, right, array):
        what = f"{problem}: {kind}"
        shown = ", ".join(map(str, array[:6].tolist())) + (", ..." if len(array) > 6 else "")
        line = f"found {found}, and not {right}; n = {len(array)}: [{shown}]"
        self.differences.setdefault(what, []).append((len(array), line))


def sizes(chance, number, is_floating):
    """(kind, count, elements that the address is off by) of each input of a problem."""
    kinds = list(FLOATING_KINDS if is_floating else INTEGER_KINDS)
    chance.shuffle(kinds)
    many = options.inputs > 8
    yield kinds[-1], 0, 0
    yield chance.choice(kinds), 1, 0
    for i in range(options.inputs - 2):
        kind = kinds[i % len(kinds)]
        if i < 6 or not many:
            # Every fourth problem has inputs of another size and alignment in the place of two small ones.
            other = i >= 4 and (number + options.seed) % 4 == 0
            yield kind, 300 + chance.randrange(60) if other else chance.randrange(2, SMALL), 1 if other else 0
        else:
            around = chance.choice((64, 128, 256, 1024, 4096, 8192, 16384, 100_000))
            yield kind, around + chance.randrange(-2, 3), chance.choice((0, 0, 1, 3))


def compare_reduction(library, report, number, op, name, nan_policy, ddof):
    problem = f"{op} {name}" + (f" nan={nan_policy}" if nan_policy else "") + (f" ddof={ddof}" if ddof else "")
    chance = random.Random(f"{options.seed} {problem}")
    reducer = library.reducer(op=op, type=name, nan_policy=nan_policy, ddof=ddof)
    make = floating_input if name in FLOATING else integer_input
    for kind, count, shift in sizes(chance, number, name in FLOATING):
        arrays = [place_of(make(chance, name, count, kind), shift) for _ in range(2 if op == "dot" else 1)]
        shown = numbers(name, arrays[0])
        report.inputs += 1
        try:
            raw = library.reduce(reducer, arrays, count)
        except Failed as failure:
            if not (count == 0 and op in WITHOUT_EMPTY):
                report.add(problem, kind, failure, "a result", shown)
            continue
        if count == 0 and op in WITHOUT_EMPTY:
            report.add(problem, "empty", raw, "an error", shown)
            continue
        wrong = judge(op, name, arrays, raw, nan_policy == "ignore", ddof)
        if wrong is not None:
            report.add(problem, kind, *wrong, shown)
    library.c.foldtune_reducer_destroy(reducer)


def compare_histogram(library, report, number, name, binning):
    problem = f"histogram {name} {binning}"
    chance = random.Random(f"{options.seed} {problem}")
    rng = np.random.default_rng(chance.getrandbits(64))
    info = None if name in FLOATING else np.iinfo(DTYPES[name])
    bins = 256 if binning == "key" else chance.choice((2, 3, 4, 8, 10, 100))
    histogram = library.histogram(name, bins, binning)
    counts = np.zeros(bins, np.uint64)
    make = integer_input if info else floating_input
    kinds = INTEGER_KINDS if info else FLOATING_KINDS
    for i in range(2 * options.inputs):
        kind, count = chance.choice(kinds), chance.choice((0, 1, chance.randrange(2, 100), chance.randrange(100, 1000)))
        x = make(chance, name, count, kind)
        if binning == "key":
            edges = [fractions.Fraction(int(info.min) + i) for i in range(257)]
            arguments = []
        elif binning == "custom":
            call_edges = place_of(make(chance, name, bins + 1, kind), 0)
            edges = numbers(name, call_edges)
            call_edges[:] = elements(name, np.sort(np.where(np.isnan(edges), 0, edges)))
            x[:count // 2] = rng.choice(call_edges, count // 2)
            edges = numbers(name, call_edges)
            arguments = [library.pointer(call_edges)]
        else:
            bounds = even_bounds(chance, name, numbers(name, x), bins)
            if bounds is None:
                continue
            edges = even_edges(name, *bounds, bins)
            arguments = list(bounds)
            # Elements at and beside the edges are what goes wrong.
            picked = np.array([chance.choice(edges) for _ in range(count // 2)])
            x[:count // 2] = beside(chance, name, picked)
        placed, shown = place_of(x, 0), numbers(name, x)
        counts[:] = 12345
        report.inputs += 1
        try:
            library.call(f"histogram_{ {'custom': 'edges', 'key': 'keys', 'even': 'even'}[binning]}", histogram,
                         library.pointer(placed), count, *arguments, library.pointer(counts), library.ffi.NULL)
        except Failed as failure:
            report.add(problem, "refused", failure, "counts", shown)
            continue
        if binning == "custom":
            right = np.histogram(shown, edges)[0]
        else:
            right = count_between(shown, edges)
        at = np.flatnonzero(counts != right.astype(np.uint64))
        if len(at):
            found = f"{int(counts[at[0]])} in bin {at[0]} of {bins} from {float(edges[0])!r} to {float(edges[-1])!r}"
            report.add(problem, kind, found, int(right[at[0]]), shown)
    library.c.foldtune_histogram_destroy(histogram)


def any_view(chance, count):
    """What makes a view of an array of `count` elements: extents, steps, an order of its axes."""
    extents = []
    for _ in range(chance.randrange(1, 5)):
        extents.append(chance.choice((1, 2, 3, 5, 8, 16, 17, 33, 64, 100, chance.randrange(1, 300))))
        while math.prod(extents) > count:
            extents[-1] = max(1, extents[-1] // 2)
            if extents[-1] == 1 and math.prod(extents) > count:
                extents.pop()
    shift = chance.randrange(0, count - math.prod(extents) + 1) % 7
    steps = tuple(slice(None, None, chance.choice((1, 1, 1, 2, -1, 3))) for _ in extents)
    order = chance.sample(range(len(extents)), len(extents)) if chance.random() < 0.3 else range(len(extents))
    return lambda array: array[shift:shift + math.prod(extents)].reshape(extents)[steps].transpose(tuple(order))


def compare_axes(library, report, number, op, name):
    problem = f"{op} {name} along axes"
    chance = random.Random(f"{options.seed} {problem}")
    reducer = library.create("axis_reducer", library.context, structure="problem", op=op, type=name)
    make, kinds = (floating_input, FLOATING_KINDS) if name in FLOATING else (integer_input, INTEGER_KINDS)
    finds = op.startswith("arg")
    for _ in range(options.inputs):
        kind = chance.choice(list(kinds))
        take = any_view(chance, AXES_ELEMENTS)
        views = [take(place_of(make(chance, name, AXES_ELEMENTS, kind), 0)) for _ in range(2 if op == "dot" else 1)]
        axes = chance.sample(range(views[0].ndim), 1 if finds else chance.randrange(1, views[0].ndim + 1))
        moved = [np.moveaxis(view, sorted(axes), range(-len(axes), 0)) for view in views]
        kept = moved[0].shape[:-len(axes)]
        numbers_of_result = 2 if op == "minmax" else 1
        dtype = np.int64 if finds else DTYPES[result_type(op, name)]
        results = np.zeros((*kept, numbers_of_result), dtype)
        report.inputs += 1
        try:
            library.reduce_axes(reducer, views, [axis - chance.choice((0, views[0].ndim)) for axis in axes], results)
        except Failed as failure:
            if "copy the array" not in str(failure):
                report.add(problem, kind, failure, "results", numbers(name, moved[0].reshape(-1)))
            continue
        places = list(np.ndindex(*kept))
        for place in chance.sample(places, min(len(places), 40)):
            rows = [np.ascontiguousarray(each[place]).reshape(-1) for each in moved]
            shown = numbers(name, rows[0])
            if finds:
                index = find_extreme(op, op, shown, False)[1]
                wrong = None if results[place][0] == index else (results[place][0], index)
            else:
                wrong = judge(op, name, rows, results[place].tobytes(), False, 0)
            if wrong is not None:
                report.add(f"{problem} {sorted(axes)} of {views[0].shape} by {views[0].strides}", kind, *wrong, shown)
                break
    library.c.foldtune_axis_reducer_destroy(reducer)


def problems():
    for op in OPERATORS:
        for name in DTYPES:
            if op in BIT_OPERATORS and name in FLOATING:
                continue
            yield compare_reduction, op, name, None, 0
            if op in COMPARING and name in FLOATING:
                yield compare_reduction, op, name, "ignore", 0
            if op in ("variance", "stddev"):
                yield compare_reduction, op, name, None, 1
    for name in DTYPES:
        yield compare_histogram, name, "even"
        yield compare_histogram, name, "custom"
        if name in ("i8", "u8"):
            yield compare_histogram, name, "key"


def problems_along_axes():
    """Every operator with one type, by the seed, for kernels take a while to compile; with --inputs 40 with all."""
    for op in OPERATORS:
        names_of_op = [name for name in DTYPES if not (op in BIT_OPERATORS and name in FLOATING)]
        for name in random.Random(f"{options.seed} {op}").sample(names_of_op, len(names_of_op) if options.inputs > 8 else 1):
            yield compare_axes, op, name


def main():
    begin, report = time.monotonic(), Report()
    if set(names("Operator")) != {*OPERATORS, "custom"} or names("ElementType") != list(DTYPES):
        sys.exit("The catalogue has an operator or a type that this script does not know: numpy_judge.py")
    if not (options.build / "libfoldtune.so").exists():
        sys.exit(f"{options.build}/libfoldtune.so is missing: cmake --build {options.build} --target foldtune_library")
    words = {compare_histogram: ("histogram",), compare_axes: ("axes",)}
    chosen = [(number, each) for number, each in enumerate((*problems(), *problems_along_axes()))
              if options.only in " ".join(map(str, words.get(each[0], ()) + each[1:]))]
    with tempfile.TemporaryDirectory(prefix="foldtune-numpy-") as folder:
        library = Library(options.build, pathlib.Path(folder) / "tuning.db")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [pool.submit(each[0], library, report, number, *each[1:]) for number, each in chosen]
            for i, job in enumerate(jobs, start=1):
                job.result()
                if i % max(1, len(jobs) // 10) == 0:
                    print(f"{i} of {len(jobs)} problems, {report.inputs} inputs, {len(report.differences)} kinds of "
                          f"differences, {time.monotonic() - begin:.0f} s", flush=True)
        library.c.foldtune_context_destroy(library.context)
    for what, found in sorted(report.differences.items()):
        print(f"{len(found):4}  {what}\n      {min(found)[1]}")
    print(f"{report.inputs} inputs of {len(chosen)} problems, seed {options.seed}: "
          f"{sum(map(len, report.differences.values())) or 'no'} differences.")
    return 1 if report.differences else 0


if __name__ == "__main__":
    sys.exit(main())
