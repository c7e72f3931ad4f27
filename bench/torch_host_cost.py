#!/usr/bin/env python3
"""What a call of torch.sum costs the host, beside foldtune_host_cost.

    python3 bench/torch_host_cost.py

Sums f32 into an output that is there: the same few elements in every call, and counts that vary at
random. Nanoseconds per call, the median over batches that are enqueued on an idle stream. Python's own
part is in it, as it is for every user of PyTorch. Needs PyTorch with CUDA.
"""

import random
import statistics
import sys
import time

try:
    import torch
except ImportError:
    sys.exit("torch_host_cost.py: PyTorch is not installed")

COUNT = 4096
LARGEST = 1 << 20
BATCH = 200
BATCHES = 101


def measure(inputs, output):
    samples = []
    for _ in range(BATCHES):
        torch.cuda.synchronize()
        start = time.perf_counter_ns()
        for one in inputs:
            torch.sum(one, dim=0, out=output)
        samples.append((time.perf_counter_ns() - start) / BATCH)
    torch.cuda.synchronize()
    return statistics.median(samples[3:])


def main():
    if not torch.cuda.is_available():
        sys.exit("torch_host_cost.py: PyTorch finds no CUDA device")
    random.seed(1)
    memory = torch.zeros(LARGEST, dtype=torch.float32, device="cuda")
    output = torch.zeros((), dtype=torch.float32, device="cuda")
    same = [memory[:COUNT]] * BATCH
    mixed = [memory[: 1 + random.randrange(max(1, LARGEST >> random.randrange(12)))] for _ in range(BATCH)]
    print(f"PyTorch {torch.__version__} on {torch.cuda.get_device_name()}")
    print(f"torch.sum, n = {COUNT:<24} {measure(same, output):9.0f} ns")
    print(f"torch.sum, n at random {'':<15} {measure(mixed, output):9.0f} ns")


if __name__ == "__main__":
    main()
