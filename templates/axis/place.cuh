/// Where elements and results are.
#pragma once

#include "templates/axis/shape.cuh"
#include "templates/device/platform.cuh"

namespace foldtune {

struct Quotient {
  uint64 quotient;
  uint64 remainder;
};

/// Most divisions are none, and most numbers have 32 bits, of which one takes a third of the
/// instructions.
FOLDTUNE_DEVICE Quotient divide(uint64 number, uint64 divisor) {
  if (number < divisor) return {0, number};
  if (divisor == 1) return {number, 0};
  if ((number | divisor) >> 32 == 0) {
    const uint32 quotient = static_cast<uint32>(number) / static_cast<uint32>(divisor);
    return {quotient, static_cast<uint32>(number) - quotient * static_cast<uint32>(divisor)};
  }
  const uint64 quotient = number / divisor;
  return {quotient, number - quotient * divisor};
}

/// Of the element [k, 0, l, 0] of the inputs, and of the result [k, l].
FOLDTUNE_DEVICE int64 input_offset(const AxisShape& shape, uint64 k, uint64 l) {
  return static_cast<int64>(k) * shape.strides[0] + static_cast<int64>(l) * shape.strides[2];
}
FOLDTUNE_DEVICE int64 output_offset(const AxisShape& shape, uint64 k, uint64 l) {
  return static_cast<int64>(k) * shape.output_strides[0] +
         static_cast<int64>(l) * shape.output_strides[1];
}

/// Whether the results follow one another.
FOLDTUNE_DEVICE bool has_dense_output(const AxisShape& shape) {
  return shape.output_strides[1] == 1 &&
         (shape.extents[0] == 1 ||
          static_cast<uint64>(shape.output_strides[0]) == shape.extents[2]);
}

}  // namespace foldtune
