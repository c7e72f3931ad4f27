#!/usr/bin/env python3
"""Times torch.sum for the rungs of `foldtune ladder` that need PyTorch.

    python3 bench/torch_sum.py

As the ladder does: calls are captured in a CUDA graph, each reads another input, so that it comes
from memory and not from the L2; microseconds per call, the median of the replays. Every result is
checked. Needs PyTorch with CUDA.
"""

import statistics
import sys

try:
    import torch
except ImportError:
    sys.exit("torch_sum.py: PyTorch is not installed")

# As in tuner/ladder.cpp: what each study published, in milliseconds.
RUNGS = [
    ("C", "Torch sum", torch.float32, 16, ""),
    ("C", "Torch sum", torch.float32, 20, ""),
    ("C", "Torch sum", torch.float32, 25, "0.207872 ms"),
    ("C", "Torch sum", torch.int32, 16, ""),
    ("C", "Torch sum", torch.int32, 20, ""),
    ("C", "Torch sum", torch.int32, 25, "0.946176 ms"),
    ("D", "torch.sum", torch.float32, 24, ""),
]
NAMES = {torch.float32: "f32", torch.int32: "i32 in i32"}

POOL_BYTES = 256 << 20  # read between two reads of one input: several times an L2
REPLAYS = 9


def make_input(count, dtype, generator):
    if dtype == torch.int32:
        return torch.randint(-1000, 1000, (count,), dtype=dtype, device="cuda", generator=generator)
    return torch.rand(count, dtype=dtype, device="cuda", generator=generator)


def is_right(result, values):
    expected = values.sum(dtype=torch.float64 if values.is_floating_point() else torch.int64)
    if not values.is_floating_point():
        return int(result) == int(expected)
    return abs(float(result) - float(expected)) <= 1e-5 * float(values.abs().sum(dtype=torch.float64))


def measure(count, dtype):
    """Microseconds per call, or None for a wrong result."""
    generator = torch.Generator(device="cuda").manual_seed(1)
    slices = max(4, POOL_BYTES // (count * dtype.itemsize))
    inputs = [make_input(count, dtype, generator) for _ in range(slices)]
    results = [None] * slices

    def call_all():
        for i, values in enumerate(inputs):
            results[i] = torch.sum(values, dtype=dtype)

    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        call_all()  # what is made at the first call is not captured
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call_all()
    samples = []
    for _ in range(REPLAYS + 1):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        samples.append(1e3 * begin.elapsed_time(end) / slices)
    if not all(is_right(result, values) for result, values in zip(results, inputs)):
        return None
    return statistics.median(samples[1:])  # the first one warms up


def main():
    if not torch.cuda.is_available():
        sys.exit("torch_sum.py: PyTorch finds no CUDA device")
    print(f"PyTorch {torch.__version__} on {torch.cuda.get_device_name()}\n")
    print(f"{'rung':<14}{'problem':<22}{'us':>8}{'GB/s':>8}  published")
    failed = 0
    for section, rung, dtype, log_count, published in RUNGS:
        count = 1 << log_count
        us = measure(count, dtype)
        problem = f"sum {NAMES[dtype]} 2^{log_count}"
        if us is None:
            failed += 1
            print(f"{section} {rung:<12}{problem:<22}{'wrong result':>16}")
            continue
        gbps = count * dtype.itemsize / us / 1e3
        print(f"{section} {rung:<12}{problem:<22}{us:>8.2f}{gbps:>8.1f}  {published}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
