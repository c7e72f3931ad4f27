/// Elements of 1 and 2 bytes that are folded a word at a time, as they were loaded: to widen each
/// of them costs more instructions than to combine them.
///
/// PackedFold<Op> is a fold of the words of a tile, for the operators that have one:
///
///     Partial       the partial result of some words
///     of(x)         of one word: of(x, y) of a word of each of two inputs
///     add(p, x)     of p and one word more
///     combine(p, q) of two partial results
///     widen(p)      the operator's own partial result
///
/// It gives the bits that a fold of the elements one by one gives; where Op adds integers up in a
/// floating-point number, it is exact. A thread folds 512 bytes of input at most before it widens
/// (kMaxBytesInFlight in space.cpp), so no sum leaves 32 bits: 512 * 255 of bytes, 256 * 65535 of
/// halves, 512 * 255^2 of products of bytes.
#pragma once

#include "templates/device/operator.cuh"

namespace foldtune {

template <class Op>
struct PackedFold {
  static constexpr bool kExists = false;
};

template <class T>
inline constexpr bool kIsByte = kIsSame<T, signed char> || kIsSame<T, unsigned char>;
template <class T>
inline constexpr bool kIsHalfInteger = kIsSame<T, short> || kIsSame<T, unsigned short>;
template <class T>
inline constexpr bool kIsNarrowInteger = kIsByte<T> || kIsHalfInteger<T>;

inline constexpr uint32 kOneInEveryByte = 0x01010101u;

/// What sums have in common.
template <class T, class A>
struct PackedSum {
  static constexpr bool kExists = true;
  using Partial = Held<T>;
  static FOLDTUNE_DEVICE Partial combine(Partial a, Partial b) { return a + b; }
  static FOLDTUNE_DEVICE Held<A> widen(Partial partial) { return static_cast<Held<A>>(partial); }
};

/// The fold of the elements of a word.
template <class Op, class T>
FOLDTUNE_DEVICE auto fold_elements(uint32 word) {
  constexpr int kCount = sizeof(word) / sizeof(T);
  const auto pack = bit_cast<Pack<T, kCount>>(word);
  auto total = Op::map(load_number(pack.elements[0]), 0);
  FOLDTUNE_UNROLL
  for (int i = 1; i < kCount; ++i) {
    total = Op::combine(total, Op::map(load_number(pack.elements[i]), 0));
  }
  return total;
}

/// The magnitudes of the integers of a word, without signs.
template <class T>
requires(kIsNarrowInteger<T>) FOLDTUNE_DEVICE uint32 magnitudes_of(uint32 word) {
  if constexpr (T(-1) > T(0)) return word;
  constexpr uint32 kOnes = sizeof(T) == 1 ? kOneInEveryByte : 0x00010001u;
  const uint32 negative = word >> (8 * sizeof(T) - 1) & kOnes;
  // What is negative is the complement of its magnitude, but for 1; no carry leaves an element.
  return (word ^ negative * (sizeof(T) == 1 ? 0xffu : 0xffffu)) + negative;
}

template <class T>
inline constexpr bool kIsSmallFloat = kIsSame<T, float16> || kIsSame<T, bfloat16>;

}  // namespace foldtune
