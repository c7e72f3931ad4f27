/// What the tests of reductions along axes go through.
#pragma once

#include <cstddef>
#include <vector>

#include "foldtune/axis_reduction.h"
#include "templates/family.h"

namespace foldtune::test {

/// The reduction of rows; those of operators that find an element give its number as i32 if
/// `is_narrow`.
AxisReduction along_axis(Reduction row, bool is_narrow);

/// Every reduction of `all_reductions`, of rows.
std::vector<AxisReduction> all_axis_reductions();

/// `count` valid configurations whose tunables have any of their values, each method as often as
/// another, of all layouts, and of rows and columns that may be long or short; blocks have at most
/// `largest_block` threads. The same for the same seed.
std::vector<Variant> random_variants(const AxisReduction& problem, std::size_t count,
                                     std::size_t seed, int largest_block = 1024);

}  // namespace foldtune::test
