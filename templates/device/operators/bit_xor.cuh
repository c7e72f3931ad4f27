#pragma once

#include "templates/device/packed_bits.cuh"

namespace foldtune {

template <class T, class A>
struct BitXor : NumberFold<T, A> {
  static constexpr Instruction kInstruction = Instruction::bit_xor;

  static FOLDTUNE_DEVICE Held<A> identity() { return 0; }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return a ^ b; }
};

template <class T, class A>
struct PackedFold<BitXor<T, A>> : PackedBits<BitXor<T, A>, T> {};

}  // namespace foldtune
