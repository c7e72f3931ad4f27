#pragma once

#include "templates/device/packed_bits.cuh"

namespace foldtune {

template <class T, class A>
struct BitOr : NumberFold<T, A> {
  static constexpr Instruction kInstruction = Instruction::bit_or;

  static FOLDTUNE_DEVICE Held<A> identity() { return 0; }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return a | b; }
};

template <class T, class A>
struct PackedFold<BitOr<T, A>> : PackedBits<BitOr<T, A>, T> {};

}  // namespace foldtune
