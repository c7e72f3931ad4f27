#pragma once

#include "templates/device/extremes.cuh"

namespace foldtune {

/// The greatest |x|, 0 of nothing. Magnitudes of integers are kept without a sign; stored in the
/// element's type, that of the lowest integer wraps.
template <class T, class A, NanPolicy kNan>
struct AbsMax : NumberFold<T, A> {
  using Accumulator = Magnitude<Held<A>>;
  static constexpr Instruction kInstruction = Instruction::max;

  static FOLDTUNE_DEVICE Accumulator identity() { return 0; }
  static FOLDTUNE_DEVICE Accumulator map(Held<T> x, uint64) {
    return kNan == NanPolicy::ignore && is_nan(x) ? identity() : magnitude(x);
  }
  static FOLDTUNE_DEVICE Accumulator combine(Accumulator a, Accumulator b) { return maximum(a, b); }
  static FOLDTUNE_DEVICE Accumulator finish(Accumulator a, uint64) { return a; }
  static FOLDTUNE_DEVICE bool precedes(Accumulator a, Accumulator b) { return b < a; }
};

template <class T, class A, NanPolicy kNan>
requires(kIsSmallFloat<T>) struct PackedFold<AbsMax<T, A, kNan>>
    : PackedExtreme<AbsMax<T, A, kNan>, T, kNan, 0x7fff7fffu> {
};

/// The extremes of the magnitudes, which are unsigned.
template <class T, class A, NanPolicy kNan>
requires(kIsNarrowInteger<T>) struct PackedFold<AbsMax<T, A, kNan>>
    : PackedExtreme<AbsMax<Word<sizeof(T)>, A, kNan>, Word<sizeof(T)>, kNan> {
  using Base = PackedExtreme<AbsMax<Word<sizeof(T)>, A, kNan>, Word<sizeof(T)>, kNan>;
  using Partial = typename Base::Partial;
  static FOLDTUNE_DEVICE Partial of(uint32 word) { return Base::of(magnitudes_of<T>(word)); }
  static FOLDTUNE_DEVICE Partial add(Partial partial, uint32 word) {
    return Base::combine(partial, of(word));
  }
};

}  // namespace foldtune
