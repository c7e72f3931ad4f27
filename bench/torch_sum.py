#!/usr/bin/env python3
"""Times torch.sum for the rungs of `foldtune ladder` that need PyTorch.

    python3 bench/torch_sum.py

As bench/peers.py does: calls are captured in a CUDA graph, each reads another input, so that it comes
from memory and not from the L2; microseconds per call, the median of the replays. Every result is
checked. Needs PyTorch with CUDA.
"""

import sys

try:
    import torch
except ImportError:
    sys.exit("torch_sum.py: PyTorch is not installed")

import peer_calls
import peer_inputs
import peer_report
from gpu_timing import Stopwatch, TorchGraphs, make_flush, time_in_rounds
from rotation import LAP_BYTES, plan_calls

# As in tuner/ladder.cpp: what each study published, in milliseconds.
RUNGS = [
    ("C", "Torch sum", "f32", 16, ""),
    ("C", "Torch sum", "f32", 20, ""),
    ("C", "Torch sum", "f32", 25, "0.207872 ms"),
    ("C", "Torch sum", "i32", 16, ""),
    ("C", "Torch sum", "i32", 20, ""),
    ("C", "Torch sum", "i32", 25, "0.946176 ms"),
    ("D", "torch.sum", "f32", 24, ""),
]
ROUNDS = 9


def cell_of(type_name, count):
    return {"case": "sum", "op": "sum", "type": type_name, "accumulator": type_name, "options": "",
            "inputs": [type_name], "alignment": "vector", "n": count, "bytes": 4 * count, "manner": "graph"}


def measure(cell, graphs, flush):
    """Microseconds per call, or None for a wrong result."""
    inputs = peer_inputs.Inputs([cell], seed=1)
    function = peer_calls.torch_call(cell)
    if peer_calls.make_check(cell, inputs.slice(cell, 0))(peer_calls.numbers(function(*inputs.slice(cell, 0)))):
        return None
    rotation = plan_calls("graph", cell["bytes"], inputs.slice_count(cell))
    slices = [inputs.slice(cell, i) for i in range(rotation.slices)]
    stopwatch = Stopwatch(lambda index: function(*slices[index]), cell, rotation, graphs, flush)
    samples = time_in_rounds([stopwatch], ROUNDS, order_seed=1)[0]
    return peer_report.make_figure(cell, "PyTorch", samples)["median_us"]


def main():
    if not torch.cuda.is_available():
        sys.exit("torch_sum.py: PyTorch finds no CUDA device")
    print(f"PyTorch {torch.__version__} on {torch.cuda.get_device_name()}\n")
    print(f"{'rung':<14}{'problem':<22}{'us':>8}{'GB/s':>8}  published")
    graphs, flush = TorchGraphs(), make_flush(LAP_BYTES)
    failed = 0
    for section, rung, type_name, log_count, published in RUNGS:
        cell = cell_of(type_name, 1 << log_count)
        us = measure(cell, graphs, flush)
        problem = f"sum {type_name}{' in i32' if type_name == 'i32' else ''} 2^{log_count}"
        if us is None:
            failed += 1
            print(f"{section} {rung:<12}{problem:<22}{'wrong result':>16}")
            continue
        gbps = cell["bytes"] / us / 1e3
        print(f"{section} {rung:<12}{problem:<22}{us:>8.2f}{gbps:>8.1f}  {published}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
