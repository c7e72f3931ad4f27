"""How the calls of a sample spread over memory, so that each reads its input from there and not from
the L2: tuner/measure/rotation.h and tuner/measure/measure.cpp, for the peers that are called from Python."""

import dataclasses

LAP_BYTES = 256 << 20  # read between two reads of one input: several times an L2
MOST_CALLS = 512  # in a graph: a longer one takes longer to build than its sample is worth
SAMPLE_US = 200  # a sample's least length, so that the events around it do not count
MOST_USUAL_CALLS = 128
LATENCY_CALLS = 32
LEAST_COMPARED_CALLS = 4
LAUNCH_US = 1.2
BYTES_PER_US = 4.8e6  # of an H200's memory
SLICE_ELEMENTS = 256  # inputs begin at multiples of it


@dataclasses.dataclass(frozen=True)
class Rotation:
    slices: int = 1  # call i reads slice i % slices
    calls: int = 1  # of a sample
    needs_flush: bool = False  # before each sample: a lap is too short to push its first slices out


def usual_calls(bytes_per_call):
    """Calls that make a sample long enough."""
    us = LAUNCH_US + bytes_per_call / BYTES_PER_US
    return min(max(int(SAMPLE_US / us), 1), MOST_USUAL_CALLS)


def plan_rotation(bytes_per_call, available):
    """Of calls in a graph, for which `available` disjoint inputs are there."""
    wanted = -(-LAP_BYTES // bytes_per_call)
    slices = min(wanted, max(1, min(available, MOST_CALLS)))
    least = max(usual_calls(bytes_per_call), LEAST_COMPARED_CALLS)
    laps = min(-(-least // slices), MOST_CALLS // slices)
    return Rotation(slices, slices * laps, slices * bytes_per_call < LAP_BYTES)


def plan_calls(manner, bytes_per_call, available):
    """The rotation of a sample in this manner."""
    rotation = plan_rotation(bytes_per_call, available)
    usual = usual_calls(bytes_per_call)
    if manner == "graph":
        return rotation
    if manner == "hot":
        return Rotation(1, usual)
    if manner == "stream":
        return Rotation(rotation.slices, usual)
    if manner == "latency":
        return Rotation(rotation.slices, min(usual, LATENCY_CALLS))
    raise ValueError(f"there is no manner '{manner}'")


def stride(count, offset):
    """Elements from one slice to the next, for inputs of `count` elements that begin `offset` late."""
    return max(SLICE_ELEMENTS, -(-(count + offset) // SLICE_ELEMENTS) * SLICE_ELEMENTS)
