#pragma once

#include "templates/device/extremes.cuh"

namespace foldtune {

template <class T, class A, NanPolicy kNan>
struct Min : NumberFold<T, A> {
  static constexpr Instruction kInstruction = Instruction::min;

  static FOLDTUNE_DEVICE Held<A> identity() { return highest_element<A>(); }
  static FOLDTUNE_DEVICE Held<A> map(Held<T> x, uint64) {
    return kNan == NanPolicy::ignore && is_nan(x) ? identity() : x;
  }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return minimum(a, b); }
  static FOLDTUNE_DEVICE bool precedes(Held<A> a, Held<A> b) { return a < b; }
};

template <class T, class A, NanPolicy kNan>
struct PackedFold<Min<T, A, kNan>> : PackedExtreme<Min<T, A, kNan>, T, kNan> {};

}  // namespace foldtune
