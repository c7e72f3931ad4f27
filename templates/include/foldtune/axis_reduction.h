/// Reductions along axes of an array: the problems of the family `axis`, typed.
#pragma once

#include <cstdint>
#include <string>

#include "foldtune/export.h"
#include "foldtune/reduction.h"
#include "foldtune/workload.h"

namespace foldtune {

/// Of the addresses and strides of a call, in elements: what its kernel may rely on.
enum class AxisAlignment {
  vector,          ///< nothing lies between the elements, and each line begins at 16 bytes
  element,         ///< nothing lies between the elements
  pitched_vector,  ///< a line's elements follow one another, and each line begins at 16 bytes
  pitched,         ///< a line's elements follow one another
  strided,         ///< any strides
};

/// A reduction of each row of an array: result[o, i] is the fold over r and s of input[o, r, i, s].
/// The extents are {outer, reduced, inner, innermost}, each of which may be 1: rows of a matrix are
/// {1, 1, rows, length} or {rows, length, 1, 1}, its columns {1, length, columns, 1}. A value type.
struct FOLDTUNE_API AxisReduction {
  /// What is computed of each row. Its count and alignment mean nothing. Operators that find an
  /// element give its number along the axis alone, r * innermost + s, -1 where none counts:
  /// `result` is i64 (the default) or i32.
  Reduction row;
  Shape shape{};  ///< {outer, reduced, inner, innermost}; their product is at most 2^40
  AxisAlignment alignment = AxisAlignment::vector;  ///< a reducer takes it from each call

  // NOLINTBEGIN(google-explicit-constructor,hicpp-explicit-conversions): the same, as data
  operator Problem() const;   ///< without shape and alignment
  operator Workload() const;  ///< with both
  // NOLINTEND(google-explicit-constructor,hicpp-explicit-conversions)
};

/// @{
/// The inverse, of a problem of the family `axis`; of another one it throws std::logic_error.
FOLDTUNE_API AxisReduction axis_reduction_of(const Problem& problem);
FOLDTUNE_API AxisReduction axis_reduction_of(const Workload& workload);
/// @}

}  // namespace foldtune
