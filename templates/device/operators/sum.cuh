#pragma once

#include "templates/device/operator.cuh"
#include "templates/device/packed.cuh"

namespace foldtune {

/// Addition. Integers wrap.
template <class T, class A>
struct Sum : NumberFold<T, A> {
  static constexpr Instruction kInstruction = Instruction::add;

  static FOLDTUNE_DEVICE Held<A> identity() { return 0; }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return add(a, b); }
};

template <class T, class A>
requires(kIsByte<T>) struct PackedFold<Sum<T, A>> : PackedSum<T, A> {
  static FOLDTUNE_DEVICE Held<T> of(uint32 word) { return add(0, word); }
  static FOLDTUNE_DEVICE Held<T> add(Held<T> sum, uint32 word) {
    return platform::dot_bytes(word, kOneInEveryByte, sum);
  }
};

template <class T, class A>
requires(kIsHalfInteger<T>) struct PackedFold<Sum<T, A>> : PackedSum<T, A> {
  static FOLDTUNE_DEVICE Held<T> of(uint32 word) { return add(0, word); }
  static FOLDTUNE_DEVICE Held<T> add(Held<T> sum, uint32 word) {
    return platform::add_halves(word, sum);
  }
};

}  // namespace foldtune
