"""What PyTorch has for reductions of segments, and what is right. The segments are others than those of
foldtune_bench, of lengths that are drawn in the same way (templates/segments/judge/judge.cpp)."""

import functools

import torch

from peer_axis import find_wrong_number, to_tensor
from peer_calls import NotOffered
from peer_inputs import DTYPES
from peer_report import result_count

CALLED = ("sum", "max")
LONGEST_OF_POWER_LAW = 16  # times the number of segments, before all are scaled


def make_weights(lengths, segments):
    """How long segments are beside each other."""
    weights = torch.rand(segments, dtype=torch.float64, device="cuda",
                         generator=torch.Generator("cuda").manual_seed(1))
    if lengths == "equal":
        weights.fill_(1)
    elif lengths == "power_law":
        weights = LONGEST_OF_POWER_LAW / (1 + (weights * segments).floor())
    elif lengths == "one_long":
        weights[segments // 2] = (segments - 1) / 2
    elif lengths == "mostly_empty":
        weights = torch.where(weights < 0.1, 10 * weights, 0)
    return weights


@functools.lru_cache(maxsize=1)
def make_offsets(lengths, segments, elements, type_name):
    """Where segments begin, and where the last one ends; the same each time."""
    ends = make_weights(lengths, segments).cumsum(0)
    ends = (ends * (elements / ends[-1])).long()
    ends[-1] = elements
    return torch.nn.functional.pad(ends, (1, 0)).to(DTYPES[type_name])


def offsets_of(cell):
    return make_offsets(cell["problem"]["lengths"], result_count(cell), cell["n"], cell["problem"]["offsets"])


def torch_call(cell):
    """The function of the array."""
    op, type_name = cell["problem"]["op"], cell["problem"]["type"]
    if op not in CALLED or type_name != "f32":
        raise NotOffered(f"PyTorch is not called for {op} {type_name} of segments")
    offsets = offsets_of(cell)
    return lambda x: torch.segment_reduce(x, op, offsets=offsets, axis=0, unsafe=True)


def cupy_call(_, __):
    raise NotOffered("CuPy has nothing for segments")


def make_check(cell, inputs):
    """A function that says what is wrong with a library's results; "" if they are right."""
    op, x = cell["problem"]["op"], inputs[0].double()
    if op not in CALLED:
        return None
    numbers = torch.arange(result_count(cell), device="cuda").repeat_interleave(offsets_of(cell).diff())
    right = torch.full((result_count(cell),), 0 if op == "sum" else -torch.inf, dtype=torch.float64, device="cuda")
    if op == "max":
        right, tolerance = right.scatter_reduce(0, numbers, x, "amax"), 0
    else:
        tolerance = 1e-4 * right.index_add(0, numbers, x.abs())
        right = right.index_add(0, numbers, x)
    return lambda result: find_wrong_number(right, tolerance, to_tensor(result))
