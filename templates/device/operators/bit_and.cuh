#pragma once

#include "templates/device/packed_bits.cuh"

namespace foldtune {

template <class T, class A>
struct BitAnd : NumberFold<T, A> {
  static constexpr Instruction kInstruction = Instruction::bit_and;

  static FOLDTUNE_DEVICE Held<A> identity() { return static_cast<A>(~A{0}); }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return a & b; }
};

template <class T, class A>
struct PackedFold<BitAnd<T, A>> : PackedBits<BitAnd<T, A>, T> {};

}  // namespace foldtune
