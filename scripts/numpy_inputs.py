"""Random and special inputs for compare_with_numpy.py: what folds, comparisons and bins get wrong."""
import numpy as np

from numpy_judge import DTYPES, FLOATING, elements, limits


def place_of(array, shift):
    """A copy, `shift` elements behind a multiple of 64 bytes."""
    size = array.itemsize
    memory = np.zeros(array.nbytes + 64 + shift * size, np.uint8)
    begin = -memory.ctypes.data % 64 + shift * size
    copy = memory[begin:begin + array.nbytes].view(array.dtype)
    copy[:] = array
    return copy


def floating_input(chance, name, count, kind):
    rng = np.random.default_rng(chance.getrandbits(64))
    most, normal, least, u = limits(name)
    signs = rng.choice([-1.0, 1.0], count)
    decades = np.log10(most) - 1
    if kind == "normal":
        values = rng.standard_normal(count)
    elif kind == "positive":
        values = rng.random(count)
    elif kind == "any exponent":
        values = signs * 10 ** rng.uniform(np.log10(normal), decades, count)
    elif kind == "subnormal":
        values = signs * least * rng.integers(0, 8, count)
    elif kind == "tiny":
        values = rng.choice([normal, 3 * normal, np.sqrt(normal), 4 * least], count)
    elif kind == "huge":
        values = most * rng.choice([1.0, 0.5, 0.25, -1.0] if chance.random() < 0.5 else [1.0, 0.875], count)
    elif kind == "offset":
        values = 10 ** rng.uniform(0, -np.log10(u)) + rng.integers(0, 10, count)
    elif kind == "ties":
        values = rng.choice([1.0, -1.0, 2.0, 0.0, -0.0], count)
    elif kind == "zeros":
        values = rng.choice([0.0, -0.0], count)
    elif kind == "constant":
        values = np.full(count, rng.standard_normal())
    else:
        values = rng.standard_normal(count)
        specials = {"nan": [np.nan, -np.nan], "infinite": [np.inf], "infinities": [np.inf, -np.inf, 0.0],
                    "all nan": [np.nan], "mixed": [np.nan, np.inf, -np.inf, 0.0, -0.0, most, -most, least]}[kind]
        share = 1.0 if kind == "all nan" else chance.choice((0.02, 0.5))
        chosen = rng.random(count) < share
        if count:
            chosen[rng.integers(count)] = True
        values = np.where(chosen, rng.choice(specials, count), values)
    return elements(name, values)


FLOATING_KINDS = ("normal", "positive", "any exponent", "subnormal", "tiny", "huge", "offset", "ties", "zeros",
                  "constant", "nan", "infinite", "infinities", "all nan", "mixed")
INTEGER_KINDS = ("any", "small", "extremes", "ties", "zeros", "constant", "offset", "powers")


def integer_input(chance, name, count, kind):
    rng = np.random.default_rng(chance.getrandbits(64))
    info = np.iinfo(DTYPES[name])
    if kind == "any":
        return rng.integers(info.min, info.max, count, DTYPES[name], endpoint=True)
    if kind == "offset":
        middle = rng.integers(info.max // 2, info.max - 16, dtype=DTYPES[name])
        return (middle + rng.integers(0, 10, count).astype(DTYPES[name])).astype(DTYPES[name])
    choices = {"small": np.arange(-3 if info.min else 0, 4), "ties": [1, 2], "zeros": [0, 0, 0, 1],
               "constant": [chance.randrange(info.min, info.max + 1)], "powers": [2**i for i in range(info.bits - 1)],
               "extremes": [info.min, info.max, info.min + 1, info.max - 1, 0]}[kind]
    return rng.choice(np.array(choices, DTYPES[name]), count)


def even_bounds(chance, name, x, bins):
    """Two numbers around an element; None if there are none."""
    finite = x[np.isfinite(x)].astype(np.float64).tolist()
    middle = chance.choice(finite) if finite else 0.0
    width = chance.choice((float(bins), 1.0, bins / 7, abs(middle) / 3 + 1, 1e-3 * abs(middle) + 0.1))
    lower, upper = chance.choice(((middle, middle + width), (middle - width / 2, middle + width / 2), (0.0, 1.0),
                                  (-width, width), (float(np.floor(middle)), float(np.floor(middle) + bins)),
                                  (0.0, 1e-310 if name == "f64" else 1e-40)))
    if name not in FLOATING:
        info = np.iinfo(DTYPES[name])
        lower, upper = max(lower, float(info.min)), min(upper, float(info.max))
    step = (upper - lower) / bins
    if not lower < upper or not np.isfinite(step):
        return None
    is_exact = name not in FLOATING and lower.is_integer() and upper.is_integer()
    # Others are refused, as by NumPy (docs/guide.md).
    does_ascend = step >= bins * 5e-324 and (np.diff(np.linspace(lower, upper, bins + 1)) > 0).all()
    return (lower, upper) if is_exact or does_ascend else None


def beside(chance, name, edges):
    """Elements at these numbers, or the next ones."""
    if name not in FLOATING:
        info = np.iinfo(DTYPES[name])
        return [min(max(int(edge) + chance.choice((-1, 0, 0, 1)), int(info.min)), int(info.max)) for edge in edges]
    values = elements(name, np.array([float(edge) for edge in edges]))
    bits = values.view(f"u{values.itemsize}")  # the next number's are one more or less
    moves = np.array([chance.choice((-1, 0, 0, 1)) for _ in edges], np.int8)
    most = bits.dtype.type(2 ** (8 * values.itemsize - 1) - 1)
    moved = np.where((bits & most) == 0, bits, bits + moves.astype(bits.dtype))
    return moved.astype(bits.dtype).view(values.dtype)
