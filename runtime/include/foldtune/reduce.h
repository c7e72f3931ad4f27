/// Typed one-line reductions: `foldtune::sum(context, input, count, output, stream)`.
#pragma once

#include <cstdint>
#include <type_traits>

#include "foldtune/context.h"

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

/// Enqueue `*output = fold of input[0, count)` on `stream`, as Reducer does, with the defaults of
/// the catalogue; the pointers are device memory. T is a type of the catalogue (`element_type_of`).
template <class T>
void sum(Context& context, const T* input, std::uint64_t count, SumResultOf<T>* output,
         Stream stream = nullptr) {
  context.reducer({.op = Operator::sum, .type = element_type_of<T>()})(input, count, output,
                                                                       stream);
}
template <class T>
void min(Context& context, const T* input, std::uint64_t count, T* output,
         Stream stream = nullptr) {
  context.reducer({.op = Operator::min, .type = element_type_of<T>()})(input, count, output,
                                                                       stream);
}
template <class T>
void max(Context& context, const T* input, std::uint64_t count, T* output,
         Stream stream = nullptr) {
  context.reducer({.op = Operator::max, .type = element_type_of<T>()})(input, count, output,
                                                                       stream);
}
template <class T>
void argmin(Context& context, const T* input, std::uint64_t count, IndexedValue<T>* output,
            Stream stream = nullptr) {
  context.reducer({.op = Operator::argmin, .type = element_type_of<T>()})(input, count, output,
                                                                          stream);
}
template <class T>
void argmax(Context& context, const T* input, std::uint64_t count, IndexedValue<T>* output,
            Stream stream = nullptr) {
  context.reducer({.op = Operator::argmax, .type = element_type_of<T>()})(input, count, output,
                                                                          stream);
}
template <class T>
void minmax(Context& context, const T* input, std::uint64_t count, MinMax<T>* output,
            Stream stream = nullptr) {
  context.reducer({.op = Operator::minmax, .type = element_type_of<T>()})(input, count, output,
                                                                          stream);
}
/// The sum of x[i] * y[i].
template <class T>
void dot(Context& context, const T* x, const T* y, std::uint64_t count, SumResultOf<T>* output,
         Stream stream = nullptr) {
  context.reducer({.op = Operator::dot, .type = element_type_of<T>()})({x, y}, count, output,
                                                                       stream);
}

}  // namespace foldtune
