#pragma once

#include "templates/device/operators/sum.cuh"

namespace foldtune {

/// The sum of x * y. Integers wrap.
template <class T, class A>
struct Dot : Sum<T, A> {
  using Inputs = TypeList<T, T>;

  static FOLDTUNE_DEVICE Held<A> map(Held<T> x, Held<T> y, uint64) {
    return multiply(static_cast<Held<A>>(x), static_cast<Held<A>>(y));
  }
};

template <class T, class A>
requires(kIsByte<T>) struct PackedFold<Dot<T, A>> : PackedSum<T, A> {
  static FOLDTUNE_DEVICE Held<T> of(uint32 x, uint32 y) { return add(0, x, y); }
  static FOLDTUNE_DEVICE Held<T> add(Held<T> sum, uint32 x, uint32 y) {
    return platform::dot_bytes(x, y, sum);
  }
};

}  // namespace foldtune
