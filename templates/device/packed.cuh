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

#include "templates/device/operators.cuh"

namespace foldtune {

template <class Op>
struct PackedFold {
  static constexpr bool kExists = false;
};

template <class T>
inline constexpr bool kIsByte = kIsSame<T, signed char> || kIsSame<T, unsigned char>;
template <class T>
inline constexpr bool kIsHalfInteger = kIsSame<T, short> || kIsSame<T, unsigned short>;

inline constexpr uint32 kOneInEveryByte = 0x01010101u;

/// What sums have in common.
template <class T, class A>
struct PackedSum {
  static constexpr bool kExists = true;
  using Partial = Held<T>;
  static FOLDTUNE_DEVICE Partial combine(Partial a, Partial b) { return a + b; }
  static FOLDTUNE_DEVICE Held<A> widen(Partial partial) { return static_cast<Held<A>>(partial); }
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

template <class T, class A>
struct PackedFold<Mean<T, A, false>> : PackedFold<Sum<T, A>> {};

template <class T, class A>
requires(kIsByte<T>) struct PackedFold<Dot<T, A>> : PackedSum<T, A> {
  static FOLDTUNE_DEVICE Held<T> of(uint32 x, uint32 y) { return add(0, x, y); }
  static FOLDTUNE_DEVICE Held<T> add(Held<T> sum, uint32 x, uint32 y) {
    return platform::dot_bytes(x, y, sum);
  }
};

template <class T, class A>
requires(kIsByte<T>) struct PackedFold<SumOfSquares<T, A>> : PackedSum<T, A> {
  static FOLDTUNE_DEVICE Held<T> of(uint32 word) { return add(0, word); }
  static FOLDTUNE_DEVICE Held<T> add(Held<T> sum, uint32 word) {
    return platform::dot_bytes(word, word, sum);
  }
};

template <class T, class A>
struct PackedFold<Nrm2<T, A, false>> : PackedFold<SumOfSquares<T, A>> {};

template <class A>
struct PackedFold<Asum<unsigned char, A>> : PackedFold<Sum<unsigned char, A>> {};
template <class A>
struct PackedFold<Asum<unsigned short, A>> : PackedFold<Sum<unsigned short, A>> {};
template <class A>
struct PackedFold<Asum<signed char, A>> : PackedSum<signed char, A> {
  static FOLDTUNE_DEVICE int32 of(uint32 word) { return add(0, word); }
  static FOLDTUNE_DEVICE int32 add(int32 sum, uint32 word) {
    // The sign of every byte: 255, which is -1, of negative ones, else 1.
    const uint32 signs = (word >> 7 & kOneInEveryByte) * 255 | kOneInEveryByte;
    return platform::dot_bytes(word, signs, sum);
  }
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

/// Bit operators know no elements.
template <class Op, class T>
struct PackedBits {
  static constexpr bool kExists = sizeof(T) < sizeof(uint32);
  using Partial = uint32;
  static FOLDTUNE_DEVICE uint32 of(uint32 word) { return word; }
  static FOLDTUNE_DEVICE uint32 add(uint32 partial, uint32 word) { return combine(partial, word); }
  static FOLDTUNE_DEVICE uint32 combine(uint32 a, uint32 b) { return Op::combine(a, b); }
  static FOLDTUNE_DEVICE auto widen(uint32 partial) { return fold_elements<Op, T>(partial); }
};

template <class T, class A>
struct PackedFold<BitAnd<T, A>> : PackedBits<BitAnd<T, A>, T> {};
template <class T, class A>
struct PackedFold<BitOr<T, A>> : PackedBits<BitOr<T, A>, T> {};
template <class T, class A>
struct PackedFold<BitXor<T, A>> : PackedBits<BitXor<T, A>, T> {};

template <class T>
inline constexpr bool kIsSmallFloat = kIsSame<T, float16> || kIsSame<T, bfloat16>;

/// Tests of the elements of a word for zero.
template <class T>
struct ZeroTest {
  static constexpr bool kExists = sizeof(T) < sizeof(uint32);
  static constexpr uint32 kTops = sizeof(T) == 1 ? 0x80808080u : 0x80008000u;

  /// All bits of the elements but the sign of zeros.
  static FOLDTUNE_DEVICE uint32 significant(uint32 word) {
    return kIsSmallFloat<T> ? word & ~kTops : word;
  }
  /// The top bit of every element: 1 if the element is not zero.
  static FOLDTUNE_DEVICE uint32 tops(uint32 word) {
    const uint32 carries = (word & ~kTops) + ~kTops;  // none leaves its element
    return (carries | significant(word)) & kTops;
  }
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

template <class T, class A>
struct PackedFold<Any<T, A>> {
  static constexpr bool kExists = ZeroTest<T>::kExists;
  using Partial = uint32;
  static FOLDTUNE_DEVICE uint32 of(uint32 word) { return ZeroTest<T>::significant(word); }
  static FOLDTUNE_DEVICE uint32 add(uint32 partial, uint32 word) { return partial | of(word); }
  static FOLDTUNE_DEVICE uint32 combine(uint32 a, uint32 b) { return a | b; }
  static FOLDTUNE_DEVICE Held<A> widen(uint32 partial) { return partial != 0 ? 1 : 0; }
};

/// Adds up top bits: 128 or 32768 for each element.
template <class T, class A>
struct PackedFold<CountNonzero<T, A>> {
  static constexpr bool kExists = ZeroTest<T>::kExists;
  using Partial = uint32;
  static FOLDTUNE_DEVICE uint32 of(uint32 word) { return add(0, word); }
  static FOLDTUNE_DEVICE uint32 add(uint32 partial, uint32 word) {
    const uint32 tops = ZeroTest<T>::tops(word);
    return sizeof(T) == 1 ? platform::dot_bytes(tops, kOneInEveryByte, partial)
                          : platform::add_halves(tops, partial);
  }
  static FOLDTUNE_DEVICE uint32 combine(uint32 a, uint32 b) { return a + b; }
  static FOLDTUNE_DEVICE Held<A> widen(uint32 partial) { return partial >> (8 * sizeof(T) - 1); }
};

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

template <class T, class A, NanPolicy kNan>
struct PackedFold<Min<T, A, kNan>> : PackedExtreme<Min<T, A, kNan>, T, kNan> {};
template <class T, class A, NanPolicy kNan>
struct PackedFold<Max<T, A, kNan>> : PackedExtreme<Max<T, A, kNan>, T, kNan> {};
template <class T, class A, NanPolicy kNan>
requires(kIsSmallFloat<T>) struct PackedFold<AbsMax<T, A, kNan>>
    : PackedExtreme<AbsMax<T, A, kNan>, T, kNan, 0x7fff7fffu> {
};

}  // namespace foldtune
