/// The axes of an array, as users number them: -1 is the last one.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace foldtune {

/// Empty if each of `axes` is one of an array of `rank` dimensions, and is there once; else what is
/// wrong.
std::string find_axes_fault(std::span<const int> axes, std::size_t rank);

/// The place of an axis that there is, from 0 on.
std::size_t place_of_axis(int axis, std::size_t rank);

}  // namespace foldtune
