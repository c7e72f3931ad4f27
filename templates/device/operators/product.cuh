#pragma once

#include "templates/device/packed.cuh"

namespace foldtune {

/// Multiplication. Integers wrap.
template <class T, class A>
struct Product : NumberFold<T, A> {
  static FOLDTUNE_DEVICE Held<A> identity() { return 1; }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return multiply(a, b); }
};

/// Four bytes at a time: their product fits 32 bits.
template <class T, class A>
requires(kIsByte<T> && !kIsFloating<Held<A>>) struct PackedFold<Product<T, A>> {
  static constexpr bool kExists = true;
  using Partial = Held<A>;
  static FOLDTUNE_DEVICE Partial of(uint32 word) {
    return static_cast<Partial>(fold_elements<Product<T, Held<T>>, T>(word));
  }
  static FOLDTUNE_DEVICE Partial add(Partial a, uint32 word) { return multiply(a, of(word)); }
  static FOLDTUNE_DEVICE Partial combine(Partial a, Partial b) { return multiply(a, b); }
  static FOLDTUNE_DEVICE Partial widen(Partial a) { return a; }
};

}  // namespace foldtune
