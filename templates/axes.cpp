#include "templates/axes.h"

#include <fmt/format.h>

#include <algorithm>

namespace foldtune {

std::string find_axes_fault(std::span<const int> axes, std::size_t rank) {
  const auto count = static_cast<int>(rank);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const int axis = axes[i];
    if (axis < -count || axis >= count) {
      return rank == 0
                 ? fmt::format("there is no axis {}: a number has none", axis)
                 : fmt::format("there is no axis {}: there are 0 to {}, or {} to -1 from the end",
                               axis, count - 1, -count);
    }
    const auto is_same = [&](int other) {
      return place_of_axis(other, rank) == place_of_axis(axis, rank);
    };
    if (std::ranges::any_of(axes.first(i), is_same)) {
      return fmt::format("axis {} is there twice", axis);
    }
  }
  return {};
}

std::size_t place_of_axis(int axis, std::size_t rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(rank) : axis);
}

}  // namespace foldtune
