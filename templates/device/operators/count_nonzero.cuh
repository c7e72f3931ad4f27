#pragma once

#include "templates/device/operators/sum.cuh"
#include "templates/device/zero_test.cuh"

namespace foldtune {

/// How many elements are not zero.
template <class T, class A>
struct CountNonzero : Sum<T, A> {
  static FOLDTUNE_DEVICE Held<A> map(Held<T> x, uint64) { return x != Held<T>{0} ? 1 : 0; }
};

/// Adds up top bits: 128 or 32768 for each element.
template <class T, class A>
struct PackedFold<CountNonzero<T, A>> {
  static constexpr bool kExists = ZeroTest<T>::kExists;
  using Partial = uint32;
  static FOLDTUNE_DEVICE uint32 of(uint32 word) { return add(0, word); }
  static FOLDTUNE_DEVICE uint32 add(uint32 partial, uint32 word) {
    const uint32 tops = ZeroTest<T>::tops(word);
    return sizeof(T) == 1 ? platform::dot_bytes(tops, kOneInEveryByte, partial)
                          : platform::add_halves(tops, partial);
  }
  static FOLDTUNE_DEVICE uint32 combine(uint32 a, uint32 b) { return a + b; }
  static FOLDTUNE_DEVICE Held<A> widen(uint32 partial) { return partial >> (8 * sizeof(T) - 1); }
};

}  // namespace foldtune
