/// Typed one-line reductions: `foldtune::sum(context, input, count, output, stream)`.
#pragma once

#include <cstdint>

#include "foldtune/context.h"

namespace foldtune {

/// The type of a sum of elements T: 64 bits for integers, T for floating-point types.
template <class T>
struct SumResult {
  using type = T;
};
template <>
struct SumResult<std::int32_t> {
  using type = std::int64_t;
};
template <class T>
using SumResultOf = typename SumResult<T>::type;

/// Enqueue `*output = fold of input[0, count)` on `stream`, as Reducer does; the pointers are
/// device memory. T is int32_t, float or double.
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

}  // namespace foldtune
