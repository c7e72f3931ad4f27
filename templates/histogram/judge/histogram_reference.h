/// What a histogram's counts must be. Used by the tuner before it times a variant, and by the
/// tests.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "templates/histogram/range.h"
#include "templates/histogram/workload.h"

namespace foldtune {

/// The counts of the first `histogram.count` elements of the first input on the host, as
/// templates/histogram/range.h defines them for a range without fault; with custom bins the second
/// input holds their edges. Of many rows, which follow one another, those of each row in turn. Uses
/// all cores.
std::vector<std::uint64_t> compute_histogram(const HistogramWorkload& histogram,
                                             std::span<const void* const> inputs,
                                             const BinBounds& bounds);

/// Compares `result`, the counts of the histogram's output, with the reference; counts of 32 bits
/// wrap. Empty if they are right, else what is wrong: "2 of 256 bins are wrong: bin 7 holds 3, not
/// 4", of many rows "bin 7 of row 2 holds".
std::string find_histogram_difference(const HistogramWorkload& histogram, const void* result,
                                      const std::vector<std::uint64_t>& expected);

/// The count of one bin in `result`, in the bins of all rows.
std::uint64_t histogram_count(const HistogramWorkload& histogram, const void* result,
                              std::size_t bin);

}  // namespace foldtune
