"""What NumPy says a result is, for compare_with_numpy.py: the same to the bit, or within a bound. Elements are
arrays of NumPy; those of bf16, which it has not, are u16 with the same bits."""
import fractions
import warnings

import numpy as np

np.seterr(all="ignore")
warnings.simplefilter("ignore")  # infinities and NaN are meant
Exact = np.longdouble
DTYPES = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32, "u32": np.uint32,
          "i64": np.int64, "u64": np.uint64, "f16": np.float16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64}
FLOATING = ("f16", "bf16", "f32", "f64")
BIT_OPERATORS = ("bit_and", "bit_or", "bit_xor")
COMPARING = ("min", "max", "argmin", "argmax", "minmax", "absmax", "argabsmax")
FINISHED_IN_FLOATING = ("mean", "variance", "stddev", "nrm2", "logsumexp")
ADDING = ("sum", "product", "sum_of_squares", "asum", "nansum", "dot")
TRUTHS = ("all", "any")
OPERATORS = ADDING + COMPARING + BIT_OPERATORS + TRUTHS + ("count_nonzero",) + FINISHED_IN_FLOATING
WITHOUT_EMPTY = ("argmin", "argmax", "argabsmax", "mean", "variance", "stddev")
NOWHERE = 2**64 - 1
# What a two-pass variance rounds, in the accumulator's type, and how many times as much is right here.
VARIANCE_FACTOR = 8


def numbers(name, array):
    """The elements as numbers of NumPy, which has no bf16."""
    return (array.astype(np.uint32) << 16).view(np.float32) if name == "bf16" else array


def elements(name, values):
    """The other way: rounded to the type."""
    if name != "bf16":
        return np.asarray(values).astype(DTYPES[name])
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(np.asarray(values, np.float32)), np.uint16(0x7fc0), rounded).astype(np.uint16)


def limits(name):
    """The largest, the least normal and the least positive number, and the unit roundoff."""
    if name == "bf16":
        return 2.0**127 * (2 - 2.0**-7), 2.0**-126, 2.0**-133, 2.0**-8
    info = np.finfo(DTYPES[name])
    return float(info.max), float(info.tiny), float(info.smallest_subnormal), float(info.eps) / 2


def result_type(op, name):
    if op in TRUTHS:
        return "u8"
    if op == "count_nonzero":
        return "u64"
    if op in ADDING + FINISHED_IN_FLOATING and name in FLOATING:
        return "f64" if name == "f64" else "f32"
    if op in ADDING:
        return "i64" if name[0] == "i" else "u64"
    return "f64" if op in FINISHED_IN_FLOATING else name


def exact_integers(op, x, y, wide):
    """Wrapping in 64 bits."""
    x, y = x.astype(wide), y.astype(wide)
    terms = {"asum": np.abs(x), "sum_of_squares": x * x, "dot": x * y}.get(op, x)
    return wide((np.multiply if op == "product" else np.add).reduce(terms))


def extreme(op, x, ignores):
    """(value, index) of min, max, argmin and argmax; zeros of two signs are ordered for the first two."""
    least = op.endswith("min")
    places = np.arange(len(x))
    if x.dtype.kind == "f":
        nan = np.isnan(x)
        if nan.any() and not ignores:
            return x[nan][0], int(places[nan][0])
        x, places = x[~nan], places[~nan]
    if len(x) == 0:
        return None, NOWHERE
    at = int(np.argmin(x) if least else np.argmax(x))
    value = x[at]
    if x.dtype.kind == "f" and value == 0 and not op.startswith("arg"):
        zeros = np.signbit(x[x == 0])
        value = x.dtype.type(-0.0) if (zeros.any() if least else zeros.all()) else x.dtype.type(0.0)
    return value, int(places[at])


def identity(op, name):
    if "absmax" in op:
        return 0
    least = op.endswith("min")
    if name in FLOATING:
        return np.inf if least else -np.inf
    info = np.iinfo(DTYPES[name])
    return info.max if least else info.min


def same(a, b):
    """To the bit, but for what NaN it is."""
    if np.isnan(a) or np.isnan(b):
        return bool(np.isnan(a) and np.isnan(b))
    return bool(a == b and np.signbit(a) == np.signbit(b))


def near(found, exact, bound, most):
    """Within the bound; beyond the largest number infinity is right."""
    if np.isnan(exact) or np.isnan(found):
        return bool(np.isnan(exact) and np.isnan(found))
    if np.isinf(exact):
        return bool(found == exact)
    if np.isinf(found):
        return bool(np.sign(found) == np.sign(exact) and abs(exact) + bound >= most)
    return bool(abs(Exact(found) - exact) <= bound)


def rounded_fold(op, x, y, found, u, least, most, ddof):
    """None, or what is wrong with `found`, of what rounds. The bounds: of n roundings in a row (the order of
    an addition is not promised) (n + 2) u of the sum of magnitudes, with a tree's depth in n's place where
    n is large."""
    count = len(x)
    if op in FINISHED_IN_FLOATING and x.dtype.kind != "f":
        x = x.astype(np.float64)  # as the program does, docs/kernels.md
    values, other = x.astype(Exact), y.astype(Exact)
    depth = min(count, 4 * np.log2(count + 1) + count / 64 + 16) + 3
    if op in ("sum", "asum", "nansum", "sum_of_squares", "dot"):
        terms = {"sum": values, "asum": np.abs(values), "nansum": np.where(np.isnan(values), 0, values),
                 "sum_of_squares": values * values, "dot": values * other}[op]
        exact, magnitudes = np.sum(terms), np.sum(np.abs(terms))
        bound = depth * u * magnitudes + count * least
        # Partial sums may overflow where the whole does not, in some order; then they may also meet an
        # infinity of the other sign.
        overflows = np.sum(np.abs(terms[np.isfinite(terms)])) >= most * (1 - count * u)
        if overflows and op in ("sum", "nansum", "dot"):
            return None
        return None if near(found, exact, bound, most) else f"{exact} within {bound:.3g}"
    if op == "product":
        exact = np.prod(values)
        finite = values[np.isfinite(values) & (values != 0)]
        logs = np.log2(np.abs(finite.astype(np.float64)))
        span = np.log2(float(most))
        if logs[logs > 0].sum() > span - 1 or -logs[logs < 0].sum() > -np.log2(least) - 24:
            return None  # some order of multiplications leaves the range
        bound = (count + 3) * u * np.abs(exact) + least  # each factor is rounded once, in any tree
        return None if near(found, exact, bound, most) else f"{exact} within {bound:.3g}"
    if op == "mean":
        exact = np.sum(values) / count
        bound = depth * u * np.sum(np.abs(values)) / count + least
        return None if near(found, exact, bound, np.inf) else f"{exact} within {bound:.3g}"
    if op == "nrm2":
        largest = np.max(np.abs(values), initial=0)
        if np.isnan(values).any() or not np.isfinite(largest) or largest == 0:
            exact = Exact(np.nan) if np.isnan(values).any() else largest
        else:
            exact = largest * np.sqrt(np.sum((values / largest) ** 2))
        bound = depth * u * exact + least if np.isfinite(exact) else 0
        return None if near(found, exact, bound, most) else f"{exact} within {bound:.3g}"
    if op == "logsumexp":
        greatest = np.max(values, initial=-np.inf)
        exact = greatest + np.log(np.sum(np.exp(values - greatest))) if np.isfinite(greatest) else greatest
        bound = (depth * (3 * np.log(count + 1) + 10) * u + 4 * u * np.abs(exact)
                 + u * np.abs(greatest)) if np.isfinite(exact) else 0
        return None if near(found, exact, bound, np.inf) else f"{exact} within {bound:.3g}"
    if not np.isfinite(values).all() or count <= ddof:
        return None if np.isnan(found) else "NaN"
    # Scaled, so that squares stay in the range of what is exact here.
    mean = np.sum(values) / count
    exact = np.sum((values - mean) ** 2) / (count - ddof)
    own = x.astype(np.float64 if u < 2**-50 else np.float32)
    two_pass = abs(np.var(own, ddof=ddof).astype(Exact) - exact)
    largest = np.max(np.abs(values))
    bound = (VARIANCE_FACTOR * (two_pass if np.isfinite(two_pass) else 0) + 2 * depth * u * exact
             + (u * largest) ** 2 + count * least)
    if op == "stddev":
        root = np.sqrt(exact)
        bound = max(np.sqrt(exact + bound) - root, root - np.sqrt(max(exact - bound, 0))) + 4 * u * root + least
        return None if near(found, root, bound, most) else f"{root} within {bound:.3g}"
    return None if near(found, exact, bound, most) else f"{exact} within {bound:.3g}"


def find_extreme(op, each, x, ignores):
    """The value and the index that `each` of the operator's results has."""
    magnitudes = np.abs(x)
    if magnitudes.dtype.kind == "i":  # |x| of the lowest is the largest, and wraps (docs/kernels.md)
        magnitudes = magnitudes.view(f"u{x.itemsize}")
    return extreme(each.replace("absmax", "max"), magnitudes if "abs" in op else x, ignores)


def judge(op, name, arrays, raw, ignores, ddof):
    """None, or what the result should have been."""
    x, y = numbers(name, arrays[0]), numbers(name, arrays[-1])
    kind = result_type(op, name)
    found = numbers(kind, np.frombuffer(raw, DTYPES[kind], 2 if op == "minmax" else 1))
    if op in COMPARING:
        names = ("min", "max") if op == "minmax" else (op,)
        for each, value in zip(names, found):
            right, index = find_extreme(op, each, x, ignores)
            right = right if right is None else right.astype(x.dtype)
            if right is None:
                right = x.dtype.type(identity(op if "abs" in op else each, name))
            told_index = int(np.frombuffer(raw, np.uint64)[1]) if op.startswith("arg") else index
            if not same(value, right) or told_index != index:
                return value, f"{right} at {index} (found at {told_index})"
        return None
    value = found[0]
    if op in BIT_OPERATORS:
        fold = {"bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor}[op]
        right = fold.reduce(x)
    elif op in TRUTHS:
        right = np.uint8(np.all(x) if op == "all" else np.any(x))
    elif op == "count_nonzero":
        right = np.uint64(np.count_nonzero(x))
    elif kind not in FLOATING:
        right = exact_integers(op, x, y, DTYPES[kind])
    else:
        most, _, least, u = limits(kind)
        right = rounded_fold(op, x, y, value, u, least, most, ddof)
        return None if right is None else (value, right)
    return None if value == right else (value, right)


def even_edges(name, lower, upper, bins):
    """As histogram.h has them: exact for integers between whole bounds, else those of NumPy."""
    if name not in FLOATING and lower.is_integer() and upper.is_integer():
        low, high = int(lower), int(upper)
        return [low + fractions.Fraction((high - low) * i, bins) for i in range(bins + 1)]
    return [fractions.Fraction(edge) for edge in np.linspace(lower, upper, bins + 1).tolist()]


def below(x, edge):
    """How many elements are less than `edge`, exactly."""
    if x.dtype.kind == "f":
        limit = float(edge)
        if fractions.Fraction(limit) < edge:
            limit = np.nextafter(limit, np.inf)
        return int(np.count_nonzero(x.astype(np.float64) < limit))
    limit, info = -(-edge.numerator // edge.denominator), np.iinfo(x.dtype)
    return 0 if limit <= info.min else len(x) if limit > info.max else int(np.count_nonzero(x < limit))


def count_between(x, edges):
    """The last bin has its upper edge, too."""
    x = x[~np.isnan(x)] if x.dtype.kind == "f" else x
    before = [below(x, edge) for edge in edges]
    at_end = sum(1 for each in x[np.isfinite(x)].tolist() if each == edges[-1])
    return np.diff(before) + np.array([0] * (len(edges) - 2) + [at_end])
