#pragma once

#include "templates/device/zero_test.cuh"

namespace foldtune {

/// 1 if no element is zero, else 0. NaN is not zero.
template <class T, class A>
struct All : NumberFold<T, A> {
  static constexpr Instruction kInstruction = Instruction::all;

  static FOLDTUNE_DEVICE Held<A> identity() { return 1; }
  static FOLDTUNE_DEVICE Held<A> map(Held<T> x, uint64) { return x != Held<T>{0} ? 1 : 0; }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return a & b; }
};

template <class T, class A>
struct PackedFold<All<T, A>> {
  static constexpr bool kExists = ZeroTest<T>::kExists;
  using Partial = uint32;
  static FOLDTUNE_DEVICE uint32 of(uint32 word) { return ZeroTest<T>::tops(word); }
  static FOLDTUNE_DEVICE uint32 add(uint32 partial, uint32 word) { return partial & of(word); }
  static FOLDTUNE_DEVICE uint32 combine(uint32 a, uint32 b) { return a & b; }
  static FOLDTUNE_DEVICE Held<A> widen(uint32 partial) {
    return partial == ZeroTest<T>::kTops ? 1 : 0;
  }
};

}  // namespace foldtune
