/// The bins that histograms are tuned with, and what bins have to be.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "foldtune/problem.h"
#include "templates/histogram/range.h"

namespace foldtune {

/// The range of the elements that make_input makes for histograms of `type`: from 0 to 1 for
/// floating-point numbers, all values of 8 and 16 bits, from 0 to 2^20 for longer integers. Even
/// bins of it have whole numbers of integers each, where their number is a power of two.
BinBounds tuning_bounds(ElementType type);

/// The edges of a problem's custom bins for tuning: bins + 1 numbers of its type, as evenly spaced
/// within tuning_bounds as the type allows.
std::vector<std::byte> tuning_edges(const Problem& problem);

/// Empty if the elements of `type` ascend, or repeat, as edges have to, else what is wrong: "edge 3
/// is 1, after 2".
std::string find_edges_fault(ElementType type, const std::vector<std::byte>& edges);

}  // namespace foldtune
