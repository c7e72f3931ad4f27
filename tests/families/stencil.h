/// A family of three extents that is neither a reduction nor a histogram, to show what a family
/// needs: this file, stencil.cpp, and a line for each of `add_family` and `add_judge`.
#pragma once

#include "templates/family.h"
#include "tuner/verify/judge.h"

namespace foldtune::test {

/// Each element is `factor` times the mean of itself and its six neighbours in a box of {depth,
/// height, width}; beyond the border the nearest element stands. Arguments: {output, input,
/// factor}, the last a float of the host.
const Family& stencil_family();
const Judge& stencil_judge();

/// Lets both take part, once.
void use_stencil();

/// One of f32 or f64.
Workload stencil_workload(ElementType type, std::uint64_t depth, std::uint64_t height,
                          std::uint64_t width);

}  // namespace foldtune::test
