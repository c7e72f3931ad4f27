"""Timing of calls that PyTorch and CuPy enqueue, as the tuner times its own (runtime/device/cuda/cuda_stopwatch.cpp)."""

import random
import time

import torch

from peer_report import result_count

# As in bench/judge.cpp.
LEAST_ROUNDS = 3
LONG_ROUNDS_S = 0.25


class TorchGraphs:
    """Captures calls of PyTorch."""

    def __init__(self):
        self.stream = torch.cuda.Stream()

    def capture(self, enqueue, _):
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.cuda.stream(self.stream):
            graph.capture_begin(capture_error_mode="thread_local")
            try:
                enqueue()
            finally:
                graph.capture_end()
        return graph.replay


class CupyGraphs:
    """Captures calls of CuPy."""

    LEAST_BYTES = 16 << 20
    ARRAYS = 3  # the most arrays of the size of input and result that a call needs beside its input

    def __init__(self, cupy):
        self.cupy = cupy
        self.default_stream = cupy.cuda.Stream.null
        self.stream = cupy.cuda.Stream(non_blocking=True)

    def capture(self, enqueue, bytes_per_call):
        torch.cuda.synchronize()
        with self.stream:
            # The pool of this stream keeps it: the capture need not ask the driver for memory.
            self.cupy.empty(self.LEAST_BYTES + self.ARRAYS * bytes_per_call, dtype="uint8")
            self.stream.begin_capture()
            try:
                enqueue()
            finally:
                graph = self.stream.end_capture()
        return lambda: graph.launch(self.default_stream)


class Stopwatch:
    """Times `call(index)` for the calls of a rotation, in the default stream: short kernels take
    longer in all streams once kernels of several have taken turns."""

    RESULT_BYTES = 8  # of a number, at most

    def __init__(self, call, cell, rotation, graphs, flush):
        self.call = call
        self.rotation = rotation
        self.flush = flush if rotation.needs_flush else None
        self.is_latency = cell["manner"] == "latency"
        self.next = 0
        self.replay = None
        if cell["manner"] in ("graph", "hot"):
            bytes_per_call = cell["bytes"] + self.RESULT_BYTES * result_count(cell)
            self.replay = graphs.capture(self.enqueue_calls, bytes_per_call)
        self.begin = torch.cuda.Event(enable_timing=True)
        self.end = torch.cuda.Event(enable_timing=True)

    def enqueue_calls(self):
        """No result is kept, so that the next one takes its place. It stays the graph's own: in PyTorch's pool of
        the graph, in CuPy's of the stream that captures."""
        for i in range(self.rotation.calls):
            self.call(i % self.rotation.slices)

    def enqueue_sample(self):
        if self.replay is None:
            self.enqueue_anew()
        else:
            self.replay()

    def enqueue_anew(self):
        """A few calls are no lap, so a sample goes on with the next input."""
        for _ in range(self.rotation.calls):
            self.call(self.next)
            self.next = (self.next + 1) % self.rotation.slices

    def take(self):
        """Microseconds per call, behind an untimed sample."""
        return self.take_latency() if self.is_latency else self.take_by_events()

    def take_by_events(self):
        self.enqueue_sample()
        if self.flush:
            self.flush()
        self.begin.record()
        self.enqueue_sample()
        self.end.record()
        self.end.synchronize()
        return 1e3 * self.begin.elapsed_time(self.end) / self.rotation.calls

    def take_latency(self):
        self.enqueue_anew()
        torch.cuda.synchronize()
        stream = torch.cuda.current_stream()
        begin = time.perf_counter()
        for _ in range(self.rotation.calls):
            self.call(self.next)
            self.next = (self.next + 1) % self.rotation.slices
            stream.synchronize()
        return 1e6 * (time.perf_counter() - begin) / self.rotation.calls


def make_flush(bytes_read):
    """Reads as much as pushes all else out of the L2."""
    region = torch.zeros(bytes_read // 4, dtype=torch.int32, device="cuda")
    result = torch.empty((), dtype=torch.int32, device="cuda")
    return lambda: torch.amax(region, dim=0, out=result)


def time_in_rounds(stopwatches, rounds, order_seed):
    """Samples of each stopwatch, taken in turns in random order."""
    generator = random.Random(order_seed)
    for stopwatch in stopwatches:  # clocks rise, and graphs reach the device
        stopwatch.take()
    samples = [[] for _ in stopwatches]
    order = list(range(len(stopwatches)))
    begin = time.monotonic()
    for done in range(rounds):
        if done >= LEAST_ROUNDS and time.monotonic() - begin > LONG_ROUNDS_S:
            break
        generator.shuffle(order)
        for i in order:
            samples[i].append(stopwatches[i].take())
    return samples
