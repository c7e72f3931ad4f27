"""Times PyTorch and CuPy in the cells that foldtune_bench measured, by its method, for run.py.

Every cell of the report is measured: its manner, its shape and its layout. Calls are captured in CUDA
graphs over inputs that take turns, or enqueued back to back, or waited for. Every result is checked
before it is timed. Needs PyTorch with CUDA; without CuPy it goes on with PyTorch alone.
"""

import datetime
import sys
import time

import peer_report
from rotation import LAP_BYTES, plan_calls

CUPY_TYPES = {"u32": "uint32"}


class Library:
    """PyTorch, eager or compiled, or CuPy: its calls, its arrays and its graphs."""

    def __init__(self, name, graphs, make_call, make_array):
        self.name = name
        self.graphs = graphs
        self.make_call = make_call
        self.make_array = make_array
        self.compiles = name == "torch.compile"  # at the first call

    def is_for(self, cell):
        return peer_report.is_along_axes(cell) or not self.compiles


class Peers:
    """All of them on the present device."""

    def __init__(self, command, rounds=9, seed=1):
        import torch
        import gpu_timing
        import peer_axis
        import peer_calls
        import peer_inputs
        import peer_segments
        self.torch, self.timing, self.inputs = torch, gpu_timing, peer_inputs
        self.calls, self.axis_calls, self.segment_calls = peer_calls, peer_axis, peer_segments
        self.command, self.rounds, self.seed = command, rounds, seed
        if not torch.cuda.is_available():
            raise RuntimeError("PyTorch finds no CUDA device")
        self.versions = {"PyTorch": torch.__version__}
        graphs = gpu_timing.TorchGraphs()
        self.libraries = [
            Library("PyTorch", graphs, lambda cell: self.calls_of(cell).torch_call(cell), lambda tensor, _: tensor),
            Library("torch.compile", graphs, peer_axis.compiled_call, lambda tensor, _: tensor)]
        self.cupy = None
        try:
            self.add_cupy()
        except ImportError as error:
            print(f"peers.py: without CuPy: {error}", file=sys.stderr)
        self.flush = gpu_timing.make_flush(LAP_BYTES)

    def add_cupy(self):
        import cupy

        def make_array(tensor, type_name):
            array = cupy.from_dlpack(tensor)
            return array.view(CUPY_TYPES[type_name]) if type_name in CUPY_TYPES else array

        self.cupy = cupy
        self.versions["CuPy"] = cupy.__version__
        self.libraries.append(Library("CuPy", self.timing.CupyGraphs(cupy),
                                      lambda cell: self.calls_of(cell).cupy_call(cell, cupy), make_array))

    def calls_of(self, cell):
        if peer_report.is_of_segments(cell):
            return self.segment_calls
        return self.axis_calls if peer_report.is_along_axes(cell) else self.calls

    def libraries_of(self, cell):
        return [library for library in self.libraries if library.is_for(cell)]

    def describe_run(self, bench_run):
        properties = self.torch.cuda.get_device_properties(0)
        now = datetime.datetime.now(datetime.timezone.utc)
        return {
            "date": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "command": self.command,
            "device": properties.name,
            "architecture": f"sm_{properties.major}{properties.minor}",
            "driver": bench_run["driver"],
            "versions": self.versions,
            "read_bandwidth_gbps": 0,
            "launch_us": {},
            "rounds": self.rounds,
            "seed": self.seed,
        }

    def measure(self, bench_report, path, deadline=None):
        """Writes the report of all cells that `bench_report` has; no more are begun after the deadline."""
        report = peer_report.empty(self.describe_run(bench_report["runs"][0]))
        cases = {}
        for cell in peer_report.cells_of(bench_report):
            cases.setdefault(cell["case"], []).append(cell)
        for cells in cases.values():
            self.measure_case(cells, report, deadline)
            peer_report.write(path, report)
        peer_report.write(path, report)
        return report

    def measure_case(self, cells, report, deadline):
        inputs = None
        groups = {}
        for cell in cells:
            groups.setdefault((cell["shape"], cell["layout"]), []).append(cell)
        for group in groups.values():
            if deadline is not None and time.monotonic() > deadline:
                report["not_run"] += group
                continue
            if inputs is None:
                inputs = self.inputs.Inputs(cells, self.seed)
            self.measure_size(group, inputs, report)
        del inputs
        self.torch.cuda.empty_cache()
        if self.cupy is not None:
            self.cupy.get_default_memory_pool().free_all_blocks()

    def measure_size(self, group, inputs, report):
        """All manners of one problem."""
        first = group[0]
        check = self.calls_of(first).make_check(first, inputs.slice(first, 0))
        contenders = []
        for library in self.libraries_of(first):
            fault = None
            try:
                call = self.make_slice_call(library, first, inputs)
                begin = time.monotonic()
                result = call(0)
                self.torch.cuda.synchronize()
                first_call_s = time.monotonic() - begin
                wrong = check(result)
                if wrong:
                    fault = (True, wrong)
            except self.calls.NotOffered as error:
                fault = (False, str(error))
            except Exception as error:  # whatever a library says, the others go on
                fault = (False, f"{type(error).__name__}: {error}")
            if fault is None:
                contenders.append((library, call, first_call_s if library.compiles else None))
            else:
                report["faults"].append(peer_report.make_fault({**first, "manner": "all"}, library.name, *fault))
        for cell in group:
            self.time_cell(cell, contenders, inputs, report)

    def make_slice_call(self, library, cell, inputs):
        """The library's call on the inputs number `index`, whose arrays are made beforehand."""
        function = library.make_call(cell)
        most = min(inputs.slice_count(cell), plan_calls("graph", cell["bytes"], inputs.slice_count(cell)).slices)
        arrays = [[library.make_array(tensor, name) for tensor, name in zip(inputs.slice(cell, i), cell["inputs"])]
                  for i in range(most)]
        return lambda index: function(*arrays[index])

    def time_cell(self, cell, contenders, inputs, report):
        rotation = plan_calls(cell["manner"], cell["bytes"], inputs.slice_count(cell))
        timed, stopwatches = [], []
        for library, call, compile_s in contenders:
            waits = (library.name, cell["problem"]["op"], cell["problem"]["type"]) in self.calls.WAITS
            if waits and cell["manner"] in ("graph", "hot"):
                report["faults"].append(peer_report.make_fault(
                    cell, library.name, False, "it waits for the device, which no graph can hold"))
                continue
            try:
                stopwatches.append(
                    self.timing.Stopwatch(call, cell, rotation, library.graphs, self.flush))
                timed.append((library, compile_s))
            except Exception as error:  # as above: most of all, what cannot be captured
                report["faults"].append(peer_report.make_fault(
                    cell, library.name, False, f"{type(error).__name__}: {error}"))
        if not stopwatches:
            return
        samples = self.timing.time_in_rounds(stopwatches, self.rounds, self.seed)
        for (library, compile_s), taken in zip(timed, samples):
            report["figures"].append(peer_report.make_figure(cell, library.name, taken, compile_s))
