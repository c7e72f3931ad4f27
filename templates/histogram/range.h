/// The range of a histogram's even bins, on the host.
///
/// An element is inside the range [lower, upper] if the bounds, exactly as they were given, say so.
/// Bin i begins at edge i; an element on an edge is in the bin that begins there, and one that is
/// equal to `upper` in the last bin. The edges are
/// - of integer types between bounds that are whole numbers: lower + i * (upper - lower) / bins,
///   exactly. (The width is up to 2^64, which all bounds within the type have.)
/// - of all others: lower + i * step with step = (upper - lower) / bins, each operation rounded to
///   f64, which are the edges of NumPy's `linspace`. Elements are compared with them exactly. They
///   ascend, none equal to the next, and the step is not less than `bins` of the least denormal
///   numbers, so that its rounding does not add up to a bin: other ranges have a fault. Whether the
///   elements' type has a number in each bin does not matter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "foldtune/bin_bound.h"
#include "templates/histogram/range.cuh"
#include "templates/histogram/workload.h"

namespace foldtune {

struct BinBounds {
  BinBound lower = 0;
  BinBound upper = 1;
};

/// Empty if the histogram's even bins can be made of the range, else what is wrong with it.
std::string find_range_fault(const HistogramWorkload& histogram, const BinBounds& bounds);

/// Even bins of a range without fault; empty if it has no element of its type.
std::optional<BinRange> make_bin_range(const HistogramWorkload& histogram, const BinBounds& bounds);

/// "17" or "0.1".
std::string to_string(const BinBound& bound);

/// Edge `i` of a range without fault, from 0 to the number of bins, to seven digits; where edges
/// are those of integers, the lowest integer that is not below it, but the upper bound itself.
std::string describe_edge(const HistogramWorkload& histogram, const BinBounds& bounds,
                          std::uint32_t i);

}  // namespace foldtune
