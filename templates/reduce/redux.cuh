/// Folds of a warp: by shuffles, and by the warp's own instructions.
#pragma once

#include "templates/operators.cuh"
#include "templates/reduce/words.cuh"

namespace foldtune {

/// Folds the lanes of a warp by shuffles; the total is in lane 0.
template <class Op>
struct ShuffleWarp {
  using A = typename Op::Accumulator;
  static FOLDTUNE_DEVICE A fold(A value) {
    FOLDTUNE_UNROLL
    for (uint32 delta = kWarpSize / 2; delta > 0; delta /= 2) {
      value = Op::combine(value, shuffle_down(value, delta));
    }
    return value;
  }
};

/// An unsigned number that orders what registers hold; no two values have the same. NaNs are above
/// all numbers if `kNanIsTop`, else below them; -0 is below +0.
template <bool kNanIsTop, class T>
struct Rank {
  using Bits = Word<sizeof(T)>;
  static constexpr Bits kSign = Bits{1} << (8 * sizeof(T) - 1);
  static constexpr bool kIsSigned = T(-1) < T(0);

  static FOLDTUNE_DEVICE Bits of(T value) {
    const Bits bits = bit_cast<Bits>(value);
    if constexpr (!kIsFloating<T>) {
      return kIsSigned ? bits ^ kSign : bits;
    } else {
      return ((bits & kSign) != 0 ? ~bits : bits | kSign) + kShift;
    }
  }
  static FOLDTUNE_DEVICE T value(Bits rank) {
    if constexpr (!kIsFloating<T>) {
      return bit_cast<T>(kIsSigned ? rank ^ kSign : rank);
    } else {
      const Bits bits = rank - kShift;
      return bit_cast<T>((bits & kSign) != 0 ? bits & ~kSign : ~bits);
    }
  }

 private:
  /// Before it is added, NaNs are at both ends: as many as there are fractions but that of
  /// infinity. The sum wraps, and all are at one.
  static constexpr Bits kNans = (Bits{1} << (sizeof(T) == 8 ? 52 : 23)) - 1;
  static constexpr Bits kShift = kNanIsTop ? Bits{0} - kNans : kNans;
};

/// The least or the greatest rank in the warp, and bits of all ranks. Of 64 bits, the upper halves
/// are compared first, then the lower ones of those lanes whose upper one it is.
template <class Bits>
FOLDTUNE_DEVICE Bits warp_minimum(Bits rank) {
  if constexpr (sizeof(Bits) == 4) {
    return platform::warp_min(rank);
  } else {
    const auto high = static_cast<uint32>(rank >> 32);
    const uint32 least = platform::warp_min(high);
    const uint32 low = platform::warp_min(high == least ? static_cast<uint32>(rank) : ~0u);
    return static_cast<Bits>(least) << 32 | low;
  }
}
template <class Bits>
FOLDTUNE_DEVICE Bits warp_maximum(Bits rank) {
  if constexpr (sizeof(Bits) == 4) {
    return platform::warp_max(rank);
  } else {
    const auto high = static_cast<uint32>(rank >> 32);
    const uint32 greatest = platform::warp_max(high);
    const uint32 low = platform::warp_max(high == greatest ? static_cast<uint32>(rank) : 0u);
    return static_cast<Bits>(greatest) << 32 | low;
  }
}

/// Folds the lanes of a warp by the warp's own instructions, which know words of 32 bits, or by
/// shuffles where the device has none. All lanes have the total.
template <class Op>
struct ReduxWarp {
  using A = typename Op::Accumulator;
  static FOLDTUNE_DEVICE A fold(const A& value) {
    constexpr Instruction kInstruction = Op::kInstruction;
    if constexpr (!platform::kHasWarpInstructions) {
      return ShuffleWarp<Op>::fold(value);
    } else if constexpr (kInstruction == Instruction::all) {
      return platform::warp_all(value != 0) ? 1 : 0;
    } else if constexpr (kInstruction == Instruction::any) {
      return platform::warp_any(value != 0) ? 1 : 0;
    } else if constexpr (kInstruction == Instruction::min) {
      return Rank<false, A>::value(warp_minimum(Rank<false, A>::of(value)));
    } else if constexpr (kInstruction == Instruction::max) {
      return Rank<true, A>::value(warp_maximum(Rank<true, A>::of(value)));
    } else if constexpr (kInstruction == Instruction::arg_min ||
                         kInstruction == Instruction::arg_max) {
      return find(value);
    } else {
      return fold_words(value);
    }
  }

 private:
  /// Sums of one word, and bits of any number of them.
  static FOLDTUNE_DEVICE A fold_words(const A& value) {
    constexpr Instruction kInstruction = Op::kInstruction;
    static_assert(!kIsFloating<A>);
    Words<A> words = Words<A>::of(value);
    FOLDTUNE_UNROLL
    for (uint32& word : words.words) {
      if constexpr (kInstruction == Instruction::add) {
        static_assert(sizeof(A) == sizeof(uint32));
        word = platform::warp_add(word);
      } else if constexpr (kInstruction == Instruction::bit_and) {
        word = platform::warp_and(word);
      } else if constexpr (kInstruction == Instruction::bit_or) {
        word = platform::warp_or(word);
      } else {
        static_assert(kInstruction == Instruction::bit_xor);
        word = platform::warp_xor(word);
      }
    }
    return words.value();
  }

  /// The best value first, then the lowest index of the lanes that have it.
  static FOLDTUNE_DEVICE A find(const A& element) {
    const auto rank = rank_of(element.value);
    const bool is_best = rank == warp_maximum(rank);
    const auto index = is_best ? element.index : Op::kNowhere;
    const auto first = warp_minimum(index);
    const bool is_first = index == first;
    const uint32 lane = platform::first_lane(is_best & is_first);
    return A::of(value_of_lane(element.value, lane), first);
  }

  /// Higher for what is preferred, and the same for all zeros and for all NaNs.
  template <class Number>
  static FOLDTUNE_DEVICE auto rank_of(Number value) {
    constexpr bool kIsMax = Op::kInstruction == Instruction::arg_max;
    using Order = Rank<kIsMax, Number>;
    if constexpr (kIsFloating<Number>) {
      value = is_nan(value) ? Limits<Number>::nan() : value + Number{0};  // -0 becomes +0
    }
    return kIsMax ? Order::of(value) : ~Order::of(value);
  }
};

}  // namespace foldtune
