#pragma once

#include "templates/device/operators/sum.cuh"

namespace foldtune {

/// The sum of x * x. Integers wrap.
template <class T, class A>
struct SumOfSquares : Sum<T, A> {
  static FOLDTUNE_DEVICE Held<A> map(Held<T> x, uint64) {
    const auto value = static_cast<Held<A>>(x);
    return multiply(value, value);
  }
};

template <class T, class A>
requires(kIsByte<T>) struct PackedFold<SumOfSquares<T, A>> : PackedSum<T, A> {
  static FOLDTUNE_DEVICE Held<T> of(uint32 word) { return add(0, word); }
  static FOLDTUNE_DEVICE Held<T> add(Held<T> sum, uint32 word) {
    return platform::dot_bytes(word, word, sum);
  }
};

}  // namespace foldtune
