"""What PyTorch and CuPy have for the bench's problems, as one would write it, and what is right."""

import math

import torch

from peer_inputs import fold


class NotOffered(Exception):
    """The library has nothing for the problem."""


# Results that a library cannot give without waiting for the device, which a graph cannot hold.
WAITS = {("PyTorch", "histogram", "u8")}

TORCH_DTYPES = {"f32": torch.float32, "f64": torch.float64, "i32": torch.int32, "i64": torch.int64,
                "u64": torch.int64}  # a sum of bytes fits the signed one


def is_squared_distance(cell):
    return cell["problem"]["op"].split(":")[0] == "squared_distance"


def torch_call(cell):
    """The function of the inputs."""
    op, type_name = cell["problem"]["op"], cell["problem"]["type"]
    if type_name == "u32":
        raise NotOffered("PyTorch has no reductions of u32")
    if is_squared_distance(cell):
        return lambda x, y: torch.nn.functional.mse_loss(x, y, reduction="sum")
    if op == "sum":
        dtype = TORCH_DTYPES[cell["problem"]["accumulator"]]
        return lambda x: torch.sum(x, dtype=dtype)
    if op == "histogram":
        if type_name == "u8":
            return lambda x: torch.bincount(x, minlength=256)
        return lambda x: torch.histc(x, bins=256, min=0, max=1)
    calls = {
        "max": torch.amax,
        "min": torch.amin,
        "argmax": torch.argmax,
        "argmin": torch.argmin,
        "minmax": torch.aminmax,
        "mean": torch.mean,
        "variance": lambda x: torch.var(x, correction=0),
        "logsumexp": lambda x: torch.logsumexp(x, 0),
        "nrm2": torch.linalg.vector_norm,
        "asum": lambda x: torch.linalg.vector_norm(x, ord=1),
        "argabsmax": lambda x: torch.argmax(torch.abs(x)),
        "all": torch.all,
        "any": torch.any,
        "count_nonzero": torch.count_nonzero,
        "dot": torch.dot,
    }
    if op not in calls:
        raise NotOffered(f"PyTorch is not called for {op}")
    return calls[op]


def cupy_call(cell, cupy):
    """The function of the inputs."""
    op, type_name = cell["problem"]["op"], cell["problem"]["type"]
    if type_name == "bf16":
        raise NotOffered("CuPy has no bf16")
    if is_squared_distance(cell):
        return cupy.ReductionKernel("T x, T y", "T z", "(x - y) * (x - y)", "a + b", "z = a", "0", "squared_distance")
    if op == "sum":
        dtype = {"f32": "float32", "f64": "float64", "i32": "int32", "u32": "uint32", "i64": "int64",
                 "u64": "uint64"}[cell["problem"]["accumulator"]]
        return lambda x: x.sum(dtype=dtype)
    if op == "histogram":
        upper = 256 if type_name == "u8" else 1
        return lambda x: cupy.histogram(x, bins=256, range=(0, upper))[0]
    if op == "logsumexp":
        from cupyx.scipy.special import logsumexp
        return logsumexp
    calls = {
        "max": cupy.amax,
        "min": cupy.amin,
        "argmax": cupy.argmax,
        "argmin": cupy.argmin,
        "mean": cupy.mean,
        "variance": cupy.var,
        "nrm2": cupy.linalg.norm,
        "asum": lambda x: cupy.linalg.norm(x, 1),
        "argabsmax": lambda x: cupy.argmax(cupy.abs(x)),
        "all": cupy.all,
        "any": cupy.any,
        "count_nonzero": cupy.count_nonzero,
        "dot": cupy.dot,
    }
    if op not in calls:
        raise NotOffered(f"CuPy has nothing for {op}")
    return calls[op]


def numbers(result):
    """Of a result, whatever library it is of."""
    if isinstance(result, tuple):
        return [float(part) for part in result]
    values = result.tolist() if hasattr(result, "tolist") else result
    return values if isinstance(values, list) else [values]


def is_near(values, expected, tolerance):
    return len(values) == len(expected) and all(
        abs(value - right) <= tolerance for value, right in zip(values, expected))


def make_check(cell, inputs):
    """A function that says what is wrong with a library's result; "" if it is right."""
    check = make_check_of_numbers(cell, inputs)
    return lambda result: check(numbers(result))


def make_check_of_numbers(cell, inputs):
    op, count = cell["problem"]["op"], cell["n"]
    x = inputs[0]
    if op in ("argmax", "argmin", "argabsmax"):
        values = x.abs() if op == "argabsmax" else x
        best = values.amin() if op == "argmin" else values.amax()
        return lambda got: "" if values[int(got[0])] == best else f"element {got[0]} is none of the right ones"
    if op == "histogram":
        right = histogram_of(x)
        # The libraries round the elements of f32 at the edges of bins in different ways.
        most = 0 if cell["problem"]["type"] == "u8" else 1e-5 * count
        return lambda got: "" if sum(abs(a - b) for a, b in zip(got, right)) <= 2 * most else "wrong counts"
    if op == "sum" and not x.is_floating_point():
        modulus = 1 << (8 * (4 if cell["problem"]["accumulator"].endswith("32") else 8))
        right = integer_sum(x, cell["problem"]["type"])
        return lambda got: "" if (int(got[0]) - right) % modulus == 0 else f"{got[0]} is not {right}"
    expected, tolerance = expect(cell, inputs)
    return lambda got: "" if is_near(got, expected, tolerance) else f"{got} is not {expected} +- {tolerance:.3g}"


def integer_sum(x, type_name):
    wide = (lambda part: part.long() & 0xFFFFFFFF) if type_name == "u32" else (lambda part: part.long())
    return sum(int(wide(part).sum()) for part in x.split(1 << 26))


def histogram_of(x):
    counts = torch.zeros(256, dtype=torch.int64, device=x.device)
    for part in x.split(1 << 26):
        keys = (part * 256).long().clamp_(max=255) if part.is_floating_point() else part
        counts += torch.bincount(keys, minlength=256)
    return counts.tolist()


def expect(cell, inputs):
    """The numbers, computed in f64, and how far a result may be off."""
    op, count = cell["problem"]["op"], cell["n"]
    x = inputs[0]
    if is_squared_distance(cell):
        right = fold(inputs, lambda x, y: ((x.double() - y.double()) ** 2).sum())
        return [right], 1e-3 * right
    if op == "dot":
        size = fold(inputs, lambda x, y: (x.double() * y.double()).abs().sum())
        right = fold(inputs, lambda x, y: (x.double() * y.double()).sum())
        # PyTorch and CuPy give the dot product of f16 as f16.
        return [right], 1e-4 * size + (1e-3 * abs(right) if cell["problem"]["type"] == "f16" else 0)
    if op in ("max", "min", "minmax"):
        least, greatest = float(x.amin()), float(x.amax())
        return {"max": [greatest], "min": [least], "minmax": [least, greatest]}[op], 0
    if op in ("all", "any"):
        return [bool((x != 0).all() if op == "all" else (x != 0).any())], 0
    if op == "count_nonzero":
        return [fold([x], lambda part: (part != 0).sum())], 0
    if op == "logsumexp":
        return [math.log(fold([x], lambda part: part.double().exp().sum()))], 1e-3
    sizes = fold([x], lambda part: part.double().abs().sum())
    squares = fold([x], lambda part: (part.double() ** 2).sum())
    total = fold([x], lambda part: part.double().sum())
    mean = total / count
    if op == "variance":
        return [squares / count - mean * mean], 1e-4
    return {"sum": [total], "mean": [mean], "asum": [sizes], "nrm2": [math.sqrt(squares)]}[op], {
        "sum": 1e-4 * sizes, "mean": 1e-4 * sizes / count, "asum": 1e-4 * sizes, "nrm2": 1e-4 * math.sqrt(squares)}[op]
