/// The range of a histogram's even bins, on the host.
///
/// The bins of [lower, upper] are, for elements that are
/// - integers of up to 32 bits: exact, the bounds being rounded to the nearest multiple of 1/1024;
/// - f16, bf16 and f32, for up to kMaxBinsInFloat bins: `(x - lower) * scale` in f32;
/// - anything else: the same in f64.
/// Of the latter two, the bounds and each operation are rounded to the arithmetic's type, and the
/// scale is its smallest number whose product with the range's width is the number of bins or more.
/// An element on an edge whose place is exact is then never counted below it; one that is closer
/// below an edge than rounding errors are may be counted above it.
#pragma once

#include <optional>
#include <string>

#include "foldtune/problem.h"
#include "templates/histogram/range.cuh"

namespace foldtune {

/// Empty if the problem's even bins can be made of [lower, upper], else what is wrong with it.
std::string find_range_fault(const Problem& problem, double lower, double upper);

/// Even bins of a range without fault; empty if it has no element of the problem's type.
std::optional<BinRange> make_bin_range(const Problem& problem, double lower, double upper);

}  // namespace foldtune
