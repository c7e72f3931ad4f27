#!/usr/bin/env python3
"""How long others take to their first result in a new process, beside foldtune_first_result.

    python3 bench/peer_first_result.py [--n ELEMENTS]

Starts processes of its own, with empty caches and then with what the first left there: of CuPy's
sum, of a ReductionKernel of CuPy, and of cuda.compute's reduction. The time begins when the libraries
are imported and the CUDA context and the input are there, and ends with the result in the device's
memory. Needs CuPy; goes on without cuda.compute (PyPI: cuda-cccl), with a note.
"""

import argparse
import os
import subprocess
import sys
import tempfile

MEASUREMENT = """
import sys, time
import cupy
%s
x = cupy.zeros(int(sys.argv[1]), dtype=cupy.float32)
y = cupy.empty(1, dtype=cupy.float32)
cupy.cuda.Stream.null.synchronize()
start = time.perf_counter()
%s
cupy.cuda.Stream.null.synchronize()
print((time.perf_counter() - start) * 1e3)
"""

# What is imported, and the reduction.
LIBRARIES = {
    "CuPy, sum": ("", "x.sum()"),
    "CuPy, custom": (
        "", 'cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "squares")(x)'),
    "cuda.compute, sum": (
        "import cuda.compute, numpy",
        "cuda.compute.reduce_into(d_in=x, d_out=y, num_items=x.size, op=cuda.compute.OpKind.PLUS,\n"
        "                         h_init=numpy.zeros(1, dtype=numpy.float32))"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=int, default=1 << 20, help="elements of f32")
    options = parser.parse_args()
    for name, parts in LIBRARIES.items():
        with tempfile.TemporaryDirectory() as cache:
            environment = os.environ | {"CUPY_CACHE_DIR": cache, "CCCL_PCH_CACHE_DIR": cache}
            for state in ("cold", "warm"):
                run = subprocess.run([sys.executable, "-c", MEASUREMENT % parts, str(options.n)],
                                     env=environment, capture_output=True, text=True)
                if run.returncode != 0:
                    fault = run.stderr.strip().splitlines()[-1]
                    if name.startswith("CuPy"):
                        sys.exit(f"peer_first_result.py: {fault}")
                    print(f"{name}: {fault}")
                    break
                print(f"{name}, {state}: {float(run.stdout):.2f} ms")


if __name__ == "__main__":
    main()
