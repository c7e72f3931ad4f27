#!/usr/bin/env python3
"""How long CuPy takes to its first sum in a new process, beside foldtune_first_result.

    python3 bench/cupy_first_result.py [--n ELEMENTS]

Starts processes of its own, with an empty kernel cache and then with what the first left there: of
cupy.sum, and of a custom ReductionKernel. The time begins when the CUDA context and the input are
there, and ends with the result in the device's memory. Needs CuPy.
"""

import argparse
import os
import subprocess
import sys
import tempfile

MEASUREMENT = """
import sys, time
import cupy
x = cupy.zeros(int(sys.argv[2]), dtype=cupy.float32)
cupy.cuda.Stream.null.synchronize()
start = time.perf_counter()
if sys.argv[1] == "custom":
    total = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "squares")(x)
else:
    total = x.sum()
cupy.cuda.Stream.null.synchronize()
print((time.perf_counter() - start) * 1e3)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=int, default=1 << 20, help="elements of f32")
    options = parser.parse_args()
    for what in ("sum", "custom"):
        with tempfile.TemporaryDirectory() as cache:
            environment = os.environ | {"CUPY_CACHE_DIR": cache}
            for state in ("cold", "warm"):
                run = subprocess.run([sys.executable, "-c", MEASUREMENT, what, str(options.n)], env=environment,
                                     capture_output=True, text=True)
                if run.returncode != 0:
                    sys.exit(f"cupy_first_result.py: {run.stderr.strip().splitlines()[-1]}")
                print(f"CuPy, {what}, {state}: {float(run.stdout):.2f} ms")


if __name__ == "__main__":
    main()
