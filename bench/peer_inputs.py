"""Inputs of the peers: elements like those of the bench (templates/*/judge), made on the device."""

import math

import torch

from peer_report import array_of, is_along_axes
from rotation import stride

POOL_BYTES = 1 << 30
CHUNK = 1 << 26  # elements that are made, or folded, at a time
INTEGER_RANGE = 1 << 20
DTYPES = {
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
    "i8": torch.int8, "u8": torch.uint8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
    "u32": torch.int32,  # the bits of it: PyTorch has no arithmetic on u32
}


def zipf_keys(count):
    """Rank r of 256 has a probability proportional to 1 / r; neighbours are put apart."""
    weights = torch.tensor([1 / (rank + 1) for rank in range(256)], dtype=torch.float64)
    cumulative = torch.cumsum(weights / weights.sum(), 0).float().cuda()
    ranks = torch.bucketize(torch.rand(count, device="cuda"), cumulative).clamp_(max=255)
    return (ranks * 167 % 256).to(torch.uint8)


def make_elements(cell, type_name, out):
    """Fills a part of an input."""
    op, distribution = cell["problem"]["op"], cell["problem"].get("distribution")
    if distribution == "zipf":
        out.copy_(zipf_keys(out.numel()))
    elif distribution == "constant":
        out.fill_(128 if type_name == "u8" else 0.5)
    elif op == "histogram" and out.is_floating_point():
        out.uniform_(0, 1)
    elif op == "all":
        out.random_(1, 101)
    elif op == "any":
        out.zero_()
    elif op == "count_nonzero":
        out.random_(0, 2)
    elif out.is_floating_point():
        out.uniform_(-1, 1)
    elif type_name == "u32":
        out.random_(0, INTEGER_RANGE)
    elif out.dtype.itemsize >= 4:
        out.random_(-INTEGER_RANGE, INTEGER_RANGE)
    else:
        limits = torch.iinfo(out.dtype)
        out.copy_(torch.randint(limits.min, limits.max + 1, out.shape, dtype=torch.int32, device="cuda"))


class Inputs:
    """Enough for all cells of one case."""

    def __init__(self, cells, seed):
        torch.manual_seed(seed)
        largest = max(cell["n"] for cell in cells)
        widest = max(DTYPES[name].itemsize for name in cells[0]["inputs"])
        self.elements = max(stride(largest, 1), POOL_BYTES // widest)
        self.flat = []
        for name in cells[0]["inputs"]:
            values = torch.empty(self.elements, dtype=DTYPES[name], device="cuda")
            for part in values.split(CHUNK):
                make_elements(cells[0], name, part)
            self.flat.append(values)

    def slice_count(self, cell):
        return max(1, self.elements // stride(cell["n"], offset_of(cell)))

    def slice(self, cell, index):
        """The inputs number `index`."""
        offset = offset_of(cell)
        begin = index % self.slice_count(cell) * stride(cell["n"], offset) + offset
        slices = [values[begin:begin + cell["n"]] for values in self.flat]
        return [values.view(array_of(cell)[0]) for values in slices] if is_along_axes(cell) else slices


def offset_of(cell):
    """Along axes the shape makes the layout, wherever the array begins."""
    return 1 if cell["layout"] == "element" and not is_along_axes(cell) else 0


def fold(tensors, function):
    """The function's sum over parts of the tensors, as a number of Python."""
    parts = zip(*(tensor.split(CHUNK) for tensor in tensors))
    return math.fsum(float(function(*part)) for part in parts)
