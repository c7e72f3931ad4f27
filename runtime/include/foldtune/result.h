/// Results as C++ types.
#pragma once

#include <cstdint>
#include <type_traits>

#include "foldtune/catalog.h"

namespace foldtune {

/// The type of a sum of elements T: 64 bits for integers, float for 16-bit floating-point types, T
/// for float and double.
template <class T>
using SumResultOf =
    std::conditional_t<std::is_integral_v<T>,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
                       std::conditional_t<std::is_same_v<T, double>, double, float>>;

/// The index where no element counts, since all are NaN and NanPolicy::ignore drops those: 2^64 -
/// 1, which is -1 as a signed number. The value beside it is that of no elements: of argmin
/// +infinity.
inline constexpr std::uint64_t kNoIndex = ~std::uint64_t{0};

/// What argmin, argmax and argabsmax give: the element and its place; the lowest one of equal
/// elements. +0 and -0 are equal, so the value is the zero that comes first, while `min` gives -0
/// and `max` +0 wherever they are.
template <class T>
struct IndexedValue {
  T value;                         ///< the element; of argabsmax |x|
  alignas(8) std::uint64_t index;  ///< its place, from 0, or kNoIndex
};

/// What minmax gives.
template <class T>
struct MinMax {
  T min;  ///< the least element
  T max;  ///< the largest
};

/// The catalogue's names of a result.
struct ResultType {
  ResultShape shape = ResultShape::value;              ///< what numbers there are
  ElementType type = ElementType::f32;                 ///< of its numbers
  bool operator==(const ResultType&) const = default;  ///< of both members
};

/// Those of a C++ type: a number, IndexedValue or MinMax.
template <class T>
struct ResultTypeOf {
  static constexpr ResultType kValue{ResultShape::value, element_type_of<T>()};  ///< the names
};
/// Those of an element and its place.
template <class T>
struct ResultTypeOf<IndexedValue<T>> {
  /// The names.
  static constexpr ResultType kValue{ResultShape::indexed_value, element_type_of<T>()};
};
/// Those of two elements.
template <class T>
struct ResultTypeOf<MinMax<T>> {
  static constexpr ResultType kValue{ResultShape::min_max, element_type_of<T>()};  ///< the names
};

}  // namespace foldtune
