#pragma once

#include "templates/device/extremes.cuh"

namespace foldtune {

template <class T, class A, NanPolicy kNan>
struct Max : NumberFold<T, A> {
  static constexpr Instruction kInstruction = Instruction::max;

  static FOLDTUNE_DEVICE Held<A> identity() { return lowest_element<A>(); }
  static FOLDTUNE_DEVICE Held<A> map(Held<T> x, uint64) {
    return kNan == NanPolicy::ignore && is_nan(x) ? identity() : x;
  }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return maximum(a, b); }
  static FOLDTUNE_DEVICE bool precedes(Held<A> a, Held<A> b) { return b < a; }
};

template <class T, class A, NanPolicy kNan>
struct PackedFold<Max<T, A, kNan>> : PackedExtreme<Max<T, A, kNan>, T, kNan> {};

}  // namespace foldtune
