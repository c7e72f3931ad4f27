/// The strides of one call of the family `axis`: its last argument.
#pragma once

#include <array>
#include <cstdint>

#include "templates/call.h"

namespace foldtune {

/// In elements of the inputs, which have the same, and in results. Any of them may be negative, and
/// those of inputs 0.
struct AxisStrides {
  std::array<std::int64_t, Shape::kMaxExtents> input{};  ///< of the extents
  std::array<std::int64_t, 2> output{};                  ///< of outer and inner
};

/// Those of arrays in which nothing lies between the elements.
inline AxisStrides dense_strides(const Shape& shape) {
  AxisStrides strides;
  std::int64_t step = 1;
  for (std::size_t i = Shape::kMaxExtents; i-- > 0;) {
    strides.input[i] = step;
    step *= static_cast<std::int64_t>(shape[i]);
  }
  strides.output = {static_cast<std::int64_t>(shape[2]), 1};
  return strides;
}

}  // namespace foldtune
