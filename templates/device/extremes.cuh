/// The smaller and the larger of two numbers, and of the elements of two words.
#pragma once

#include "templates/device/operator.cuh"
#include "templates/device/packed.cuh"

namespace foldtune {

/// Of two floating-point numbers: NaN if one is, what the bits `of_equal` stand for if they are
/// equal, else `preferred`. Selects instead of branches, which lanes of a warp take at odds.
template <class T>
FOLDTUNE_DEVICE T break_ties(T a, T b, T preferred, Word<sizeof(T)> of_equal) {
  const T number = a == b ? bit_cast<T>(of_equal) : preferred;
  const bool a_is_nan = is_nan(a);
  const bool b_is_nan = is_nan(b);
  return (a_is_nan | b_is_nan) ? Limits<T>::nan() : number;
}

/// The smaller of two numbers. NaN wins over every number, and -0 over +0; the NaN is always the
/// same one, so that the result's bits do not depend on the order.
template <class T>
FOLDTUNE_DEVICE T minimum(T a, T b) {
  if constexpr (platform::kHasNativeMinimum<T>) {
    return platform::native_minimum(a, b);
  } else if constexpr (kIsFloating<T>) {
    using Bits = Word<sizeof(T)>;
    return break_ties(a, b, b < a ? b : a, bit_cast<Bits>(a) | bit_cast<Bits>(b));
  } else {
    return b < a ? b : a;
  }
}

/// The larger of two numbers, with the rules of `minimum`; +0 wins over -0.
template <class T>
FOLDTUNE_DEVICE T maximum(T a, T b) {
  if constexpr (platform::kHasNativeMinimum<T>) {
    return platform::native_maximum(a, b);
  } else if constexpr (kIsFloating<T>) {
    using Bits = Word<sizeof(T)>;
    return break_ties(a, b, a < b ? b : a, bit_cast<Bits>(a) & bit_cast<Bits>(b));
  } else {
    return a < b ? b : a;
  }
}

/// What the halves of a word of elements of T are; of bytes, what orders them by their upper ones.
template <class T>
inline constexpr HalfType kHalfType = HalfType::u16;
template <>
inline constexpr HalfType kHalfType<signed char> = HalfType::i16;
template <>
inline constexpr HalfType kHalfType<short> = HalfType::i16;
template <>
inline constexpr HalfType kHalfType<float16> = HalfType::f16;
template <>
inline constexpr HalfType kHalfType<bfloat16> = HalfType::bf16;

/// The extremes of the halves of two words.
template <Instruction kInstruction, class T, NanPolicy kNan>
FOLDTUNE_DEVICE uint32 half_extremes(uint32 a, uint32 b) {
  constexpr bool kDropsNan = kNan == NanPolicy::ignore;
  if constexpr (kInstruction == Instruction::min) {
    return platform::half_minima<kHalfType<T>, kDropsNan>(a, b);
  } else {
    return platform::half_maxima<kHalfType<T>, kDropsNan>(a, b);
  }
}

/// Of every element, the bits of `kMask` count.
template <class Op, class T, NanPolicy kNan, uint32 kMask = ~0u>
struct PackedExtreme {
  static constexpr bool kExists =
      sizeof(T) < sizeof(uint32) && platform::kHasHalfExtremes<kHalfType<T>>;
  using Partial = uint32;
  static FOLDTUNE_DEVICE uint32 of(uint32 word) { return word & kMask; }
  static FOLDTUNE_DEVICE uint32 add(uint32 partial, uint32 word) {
    return combine(partial, of(word));
  }
  static FOLDTUNE_DEVICE uint32 combine(uint32 a, uint32 b) {
    return half_extremes<Op::kInstruction, T, kNan>(a, b);
  }
  static FOLDTUNE_DEVICE auto widen(uint32 partial) { return fold_elements<Op, T>(partial); }
};

/// Extremes of bytes 1 and 3, and of bytes 0 and 2, each in the upper byte of a half: what is in
/// the lower one decides between equal bytes alone.
struct BytesInHalves {
  uint32 odd;
  uint32 even;
};
template <class Op, class T, NanPolicy kNan>
requires(kIsByte<T>) struct PackedExtreme<Op, T, kNan> {
  static constexpr bool kExists = platform::kHasHalfExtremes<kHalfType<T>>;
  using Partial = BytesInHalves;
  static FOLDTUNE_DEVICE BytesInHalves of(uint32 word) { return {word, word << 8}; }
  static FOLDTUNE_DEVICE BytesInHalves add(BytesInHalves partial, uint32 word) {
    return combine(partial, of(word));
  }
  static FOLDTUNE_DEVICE BytesInHalves combine(BytesInHalves a, BytesInHalves b) {
    return {half_extremes<Op::kInstruction, T, kNan>(a.odd, b.odd),
            half_extremes<Op::kInstruction, T, kNan>(a.even, b.even)};
  }
  static FOLDTUNE_DEVICE auto widen(BytesInHalves partial) {
    return fold_elements<Op, T>((partial.odd & 0xff00ff00u) | (partial.even >> 8 & 0x00ff00ffu));
  }
};

}  // namespace foldtune
