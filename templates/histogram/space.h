/// The tunables of the family `histogram` on the host: its rules, and the shape of its launches.
#pragma once

#include "templates/space.h"

namespace foldtune {

const FamilyRules& histogram_rules();

/// Elements that one block loads at a time.
std::uint64_t tile_elements(const HistogramParams& params);

/// Blocks of the grid for `count` elements.
std::uint32_t grid_blocks(const HistogramParams& params, std::uint64_t count,
                          int multiprocessor_count);

}  // namespace foldtune
