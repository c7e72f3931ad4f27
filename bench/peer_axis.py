"""What PyTorch and CuPy have for reductions along axes, as one would write it, and what is right."""

import functools
import os
import tempfile

import torch

from peer_calls import TORCH_DTYPES, NotOffered
from peer_inputs import DTYPES
from peer_report import array_of

COMPILE_MODE = "max-autotune-no-cudagraphs"  # the bench captures the calls itself, as all others


def torch_call(cell):
    """The function of the array."""
    op, (_, axes) = cell["problem"]["op"], array_of(cell)
    if op in ("variance", "nrm2") and not DTYPES[cell["problem"]["type"]].is_floating_point:
        raise NotOffered(f"PyTorch has no {op} of integers")
    if op == "sum":
        dtype = TORCH_DTYPES[cell["problem"]["accumulator"]]
        return lambda x: torch.sum(x, dim=axes, dtype=dtype)
    calls = {
        "max": lambda x: torch.amax(x, dim=axes),
        "argmax": lambda x: torch.argmax(x, dim=axes[0]),
        "variance": lambda x: torch.var(x, dim=axes, correction=0),
        "logsumexp": lambda x: torch.logsumexp(x, dim=axes),
        "nrm2": lambda x: torch.linalg.vector_norm(x, dim=axes),
    }
    if op not in calls:
        raise NotOffered(f"PyTorch is not called for {op} along axes")
    return calls[op]


@functools.cache
def start_compiler():
    """What only the first compilation of a process waits for. Nothing is taken from earlier runs, so that what a
    compilation takes is that of a new shape."""
    folder = tempfile.TemporaryDirectory()
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder.name
    torch.compile(lambda x: x.sum(), mode=COMPILE_MODE, dynamic=False)(torch.ones(4096, device="cuda"))
    torch.cuda.synchronize()
    return folder  # which is there as long as the process


def compiled_call(cell):
    """The same by torch.compile, for this shape alone."""
    call = torch_call(cell)
    start_compiler()
    torch.compiler.reset()  # beyond a few shapes of one function, it would be run as it is
    return torch.compile(call, mode=COMPILE_MODE, dynamic=False, fullgraph=True)


def cupy_call(cell, cupy):
    """The function of the array."""
    op, (_, axes) = cell["problem"]["op"], array_of(cell)
    if cell["problem"]["type"] == "bf16":
        raise NotOffered("CuPy has no bf16")
    if op == "sum":
        dtype = {"f32": "float32", "f64": "float64", "i64": "int64", "u64": "uint64"}[cell["problem"]["accumulator"]]
        return lambda x: cupy.sum(x, axis=axes, dtype=dtype)
    calls = {
        "max": lambda x: cupy.amax(x, axis=axes),
        "argmax": lambda x: cupy.argmax(x, axis=axes[0]),
        "variance": lambda x: cupy.var(x, axis=axes),
    }
    if op not in calls:
        raise NotOffered(f"CuPy is not called for {op} along axes")
    return calls[op]


def to_tensor(result):
    """Of a result, whatever library it is of. PyTorch cannot compute with wide unsigned integers."""
    if isinstance(result, torch.Tensor):
        return result
    is_wide_unsigned = result.dtype.kind == "u" and result.dtype.itemsize > 1
    return torch.from_dlpack(result.view(f"int{8 * result.dtype.itemsize}") if is_wide_unsigned else result)


def make_check(cell, inputs):
    """A function that says what is wrong with a library's results; "" if they are right."""
    x, (_, axes) = inputs[0], array_of(cell)
    if cell["problem"]["op"] == "argmax":
        return lambda result: find_wrong_index(x, axes[0], to_tensor(result))
    right, tolerance = expect(cell["problem"]["op"], x, axes)
    return lambda result: find_wrong_number(right, tolerance, to_tensor(result))


def find_wrong_index(x, axis, got):
    best = x.amax(dim=axis)
    if got.shape != best.shape:
        return f"the results are {tuple(got.shape)}, not {tuple(best.shape)}"
    if not bool(((got >= 0) & (got < x.shape[axis])).all()):
        return "an index is outside its row"
    wrong = x.gather(axis, got.long().unsqueeze(axis)).squeeze(axis) != best
    return f"{int(wrong.sum())} indices are of none of the right elements" if bool(wrong.any()) else ""


def find_wrong_number(right, tolerance, got):
    if got.shape != right.shape:
        return f"the results are {tuple(got.shape)}, not {tuple(right.shape)}"
    if got.dtype.is_floating_point:  # a library may give them in the type of the elements
        tolerance = tolerance + torch.finfo(got.dtype).eps * right.abs()
    # Infinities, of empty segments, are no distance apart.
    distance = torch.where(got == right, 0, (got.double() - right).abs())
    excess = (distance - tolerance).flatten()
    worst = int(excess.argmax())
    if float(excess[worst]) <= 0:
        return ""
    return f"result {worst}: {float(got.flatten()[worst])} is not {float(right.flatten()[worst])}"


def expect(op, x, axes):
    """The numbers, computed in f64, and how far a result may be off before it is rounded."""
    values = x.double()
    if op == "max":
        return values.amax(dim=axes), 0
    if op == "sum":
        return values.sum(dim=axes), 1e-4 * values.abs().sum(dim=axes) if x.is_floating_point() else 0
    if op == "logsumexp":
        # PyTorch rounds what lies between to the type of the elements.
        return values.logsumexp(dim=axes), 1e-3 + (2 * torch.finfo(x.dtype).eps if x.is_floating_point() else 0)
    right = values.var(dim=axes, correction=0) if op == "variance" else torch.linalg.vector_norm(values, dim=axes)
    return right, 1e-4 * (1 + right)
