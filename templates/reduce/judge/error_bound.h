/// How far a right result of the family `reduce` may be from its reference.
#pragma once

#include <cstdint>

#include "templates/config.h"
#include "templates/fold/judge/reference.h"

namespace foldtune {

/// The bound of templates/fold/judge/error_bound.h, of a result that `params` gives with
/// `grid_size` blocks.
long double error_bound(const Reduction& reduction, const Config& params, std::uint64_t grid_size,
                        const Reference& reference);

}  // namespace foldtune
