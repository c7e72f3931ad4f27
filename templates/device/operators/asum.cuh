#pragma once

#include "templates/device/operators/sum.cuh"

namespace foldtune {

/// The sum of |x|. Integers wrap.
template <class T, class A>
struct Asum : Sum<T, A> {
  static FOLDTUNE_DEVICE Held<A> map(Held<T> x, uint64) {
    return static_cast<Held<A>>(magnitude(static_cast<Held<A>>(x)));
  }
};

template <class A>
struct PackedFold<Asum<unsigned char, A>> : PackedFold<Sum<unsigned char, A>> {};
template <class A>
struct PackedFold<Asum<unsigned short, A>> : PackedFold<Sum<unsigned short, A>> {};
template <class A>
struct PackedFold<Asum<short, A>> : PackedSum<unsigned short, A> {
  static FOLDTUNE_DEVICE uint32 of(uint32 word) { return add(0, word); }
  static FOLDTUNE_DEVICE uint32 add(uint32 sum, uint32 word) {
    return platform::add_halves(magnitudes_of<short>(word), sum);
  }
};
template <class A>
struct PackedFold<Asum<signed char, A>> : PackedSum<signed char, A> {
  static FOLDTUNE_DEVICE int32 of(uint32 word) { return add(0, word); }
  static FOLDTUNE_DEVICE int32 add(int32 sum, uint32 word) {
    // The sign of every byte: 255, which is -1, of negative ones, else 1.
    const uint32 signs = (word >> 7 & kOneInEveryByte) * 255 | kOneInEveryByte;
    return platform::dot_bytes(word, signs, sum);
  }
};

}  // namespace foldtune
