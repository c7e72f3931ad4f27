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

/// What argmin and argmax give: the element and its place; the lowest one of equal elements.
template <class T>
struct IndexedValue {
  T value;                         ///< the element
  alignas(8) std::uint64_t index;  ///< its place, from 0
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
