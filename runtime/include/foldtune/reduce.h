/// Typed one-line reductions: `foldtune::sum(context, input, count, output, stream)`.
#pragma once

#include <cstdint>

#include "foldtune/context.h"
#include "foldtune/result.h"

namespace foldtune {

/// @{
/// Enqueue `*output = fold of input[0, count)` on `stream`, as Reducer does, with the defaults of
/// the catalogue; the pointers are device memory. Each finds its reducer by the problem, under a
/// lock: where half a microsecond counts, keep the reducer and call that. T is a type of the
/// catalogue (`element_type_of`).
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
/// @}

/// The sum of x[i] * y[i].
template <class T>
void dot(Context& context, const T* x, const T* y, std::uint64_t count, SumResultOf<T>* output,
         Stream stream = nullptr) {
  context.reducer({.op = Operator::dot, .type = element_type_of<T>()})({x, y}, count, output,
                                                                       stream);
}

/// @{
/// The same, blocking: `sum_value(context, input, count)` waits and returns the result, as
/// Reducer::value does.
template <class T>
SumResultOf<T> sum_value(Context& context, const T* input, std::uint64_t count,
                         Stream stream = nullptr) {
  return context.reducer({.op = Operator::sum, .type = element_type_of<T>()})
      .template value<SumResultOf<T>>(input, count, stream);
}
template <class T>
T min_value(Context& context, const T* input, std::uint64_t count, Stream stream = nullptr) {
  return context.reducer({.op = Operator::min, .type = element_type_of<T>()})
      .template value<T>(input, count, stream);
}
template <class T>
T max_value(Context& context, const T* input, std::uint64_t count, Stream stream = nullptr) {
  return context.reducer({.op = Operator::max, .type = element_type_of<T>()})
      .template value<T>(input, count, stream);
}
template <class T>
IndexedValue<T> argmin_value(Context& context, const T* input, std::uint64_t count,
                             Stream stream = nullptr) {
  return context.reducer({.op = Operator::argmin, .type = element_type_of<T>()})
      .template value<IndexedValue<T>>(input, count, stream);
}
template <class T>
IndexedValue<T> argmax_value(Context& context, const T* input, std::uint64_t count,
                             Stream stream = nullptr) {
  return context.reducer({.op = Operator::argmax, .type = element_type_of<T>()})
      .template value<IndexedValue<T>>(input, count, stream);
}
template <class T>
MinMax<T> minmax_value(Context& context, const T* input, std::uint64_t count,
                       Stream stream = nullptr) {
  return context.reducer({.op = Operator::minmax, .type = element_type_of<T>()})
      .template value<MinMax<T>>(input, count, stream);
}
template <class T>
SumResultOf<T> dot_value(Context& context, const T* x, const T* y, std::uint64_t count,
                         Stream stream = nullptr) {
  return context.reducer({.op = Operator::dot, .type = element_type_of<T>()})
      .template value<SumResultOf<T>>({x, y}, count, stream);
}
/// @}

}  // namespace foldtune
