/// The elements and the bins that histograms are tuned with, and what bins have to be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "templates/histogram/range.h"
#include "templates/histogram/workload.h"

namespace foldtune {

/// Pseudo-random elements with the histogram's distribution over `tuning_bounds`, the same for the
/// same seed on every machine, as many as `elements` has room for. Uses all cores.
void fill_histogram_input(const HistogramWorkload& histogram, std::span<std::byte> elements,
                          std::uint64_t seed);

/// The range of these elements for histograms of `type`: from 0 to 1 for
/// floating-point numbers, all values of 8 and 16 bits, from 0 to 2^20 for longer integers. Even
/// bins of it have whole numbers of integers each, where their number is a power of two.
BinBounds tuning_bounds(ElementType type);

/// The edges of a histogram's custom bins for tuning: bins + 1 numbers of its type, as evenly
/// spaced within tuning_bounds as the type allows.
std::vector<std::byte> tuning_edges(const HistogramWorkload& histogram);

/// Empty if the elements of `type` ascend, or repeat, as edges have to, else what is wrong: "edge 3
/// is 1, after 2".
std::string find_edges_fault(ElementType type, const std::vector<std::byte>& edges);

}  // namespace foldtune
