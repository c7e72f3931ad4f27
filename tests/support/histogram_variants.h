/// What the tests of histograms go through.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "templates/family.h"
#include "templates/histogram/workload.h"

namespace foldtune::test {

/// Every element type with every binning that it can have, from 2 bins to the most, and both types
/// of counters in turn.
std::vector<HistogramWorkload> all_histograms();

/// The histogram, or two times out of three one of many rows.
HistogramWorkload with_rows_in_turn(HistogramWorkload histogram, std::size_t turn);

/// "histogram f32 -> u64".
std::string describe(const HistogramWorkload& histogram);

/// `count` valid configurations whose tunables have any of their values, with any alignment
/// and width of indices, and the histogram's number of rows; blocks have at most `largest_block`
/// threads. The same for the same seed.
std::vector<Variant> random_variants(const HistogramWorkload& histogram, std::size_t count,
                                     std::size_t seed, int largest_block = 1024);

}  // namespace foldtune::test
