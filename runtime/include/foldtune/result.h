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
  T value;
  alignas(8) std::uint64_t index;
};

/// What minmax gives.
template <class T>
struct MinMax {
  T min;
  T max;
};

/// The catalogue's names of a result.
struct ResultType {
  ResultShape shape = ResultShape::value;
  ElementType type = ElementType::f32;  ///< of its numbers
  bool operator==(const ResultType&) const = default;
};

/// Those of a C++ type: a number, IndexedValue or MinMax.
template <class T>
struct ResultTypeOf {
  static constexpr ResultType kValue{ResultShape::value, element_type_of<T>()};
};
template <class T>
struct ResultTypeOf<IndexedValue<T>> {
  static constexpr ResultType kValue{ResultShape::indexed_value, element_type_of<T>()};
};
template <class T>
struct ResultTypeOf<MinMax<T>> {
  static constexpr ResultType kValue{ResultShape::min_max, element_type_of<T>()};
};

}  // namespace foldtune
