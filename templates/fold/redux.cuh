/// Folds of a warp: in pairs of lanes by shuffles, and of all lanes at once.
#pragma once

#include "templates/device/operator.cuh"
#include "templates/device/words.cuh"

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

/// What the `merge` of an operator may ask the lanes of a warp for. All lanes get the same.
struct Lanes {
  template <class Number>
  static FOLDTUNE_DEVICE Number sum(Number value) {
    if constexpr (kIsSame<Number, uint32>) {
      return platform::warp_add(value);
    } else {
      const uint32 lane = platform::thread_index() % kWarpSize;
      FOLDTUNE_UNROLL
      for (uint32 bit = kWarpSize / 2; bit > 0; bit /= 2) {
        value = value + value_of_lane(value, lane ^ bit);
      }
      return value;
    }
  }
  /// With NaN, NaN; -0 is below +0.
  template <class Number>
  static FOLDTUNE_DEVICE Number minimum(Number value) {
    return Rank<false, Number>::value(warp_minimum(Rank<false, Number>::of(value)));
  }
  template <class Number>
  static FOLDTUNE_DEVICE Number maximum(Number value) {
    return Rank<true, Number>::value(warp_maximum(Rank<true, Number>::of(value)));
  }
  /// That of the lowest lane where `vote` is true; of any lane if there is none.
  template <class Number>
  static FOLDTUNE_DEVICE Number value_where(bool vote, Number value) {
    return value_of_lane(value, platform::first_lane(vote));
  }
};

/// Folds all lanes of a warp at once: by the operator's `merge`, or by the warp's own instructions,
/// which know words of 32 bits; by shuffles where the device has none. All lanes have the total.
template <class Op>
struct ReduxWarp {
  using A = typename Op::Accumulator;
  /// Whether it folds several partial results of each lane sooner than one after another.
  static constexpr bool kMerges = platform::kHasWarpInstructions && requires(const A* values) {
    Op::template merge<1>(values, Lanes{});
  };

  /// `kCount` of each lane; where it merges.
  template <int kCount>
  static FOLDTUNE_DEVICE A fold_all(const A* values) {
    return Op::template merge<kCount>(values, Lanes{});
  }

  static FOLDTUNE_DEVICE A fold(const A& value) {
    constexpr Instruction kInstruction = Op::kInstruction;
    if constexpr (!platform::kHasWarpInstructions) {
      return ShuffleWarp<Op>::fold(value);
    } else if constexpr (kMerges) {
      return fold_all<1>(&value);
    } else if constexpr (kInstruction == Instruction::all) {
      return platform::warp_all(value != 0) ? 1 : 0;
    } else if constexpr (kInstruction == Instruction::any) {
      return platform::warp_any(value != 0) ? 1 : 0;
    } else if constexpr (kInstruction == Instruction::min) {
      return Lanes::minimum(value);
    } else if constexpr (kInstruction == Instruction::max) {
      return Lanes::maximum(value);
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
    using Number = typename Op::Number;
    const auto rank = rank_of<Number>(element.value);
    const auto best = warp_maximum(rank);
    const bool is_best = rank == best;
    const auto index = is_best ? element.index : Op::kNowhere;
    const auto first = warp_minimum(index);
    Number value = number_of<Number>(best);
    if constexpr (kIsFloating<Number>) {
      // Which zero, or which NaN, the lane knows. All lanes come here, or none.
      if (value == 0 || is_nan(value)) {
        const bool is_first = index == first;
        value = Lanes::value_where(is_best & is_first, element.value);
      }
    }
    return A::of(value, first);
  }

  static constexpr bool kIsMax = Op::kInstruction == Instruction::arg_max;

  /// Higher for what is preferred, and the same for all zeros and for all NaNs.
  template <class Number>
  static FOLDTUNE_DEVICE auto rank_of(Number value) {
    using Order = Rank<kIsMax, Number>;
    if constexpr (kIsFloating<Number>) {
      value = is_nan(value) ? Limits<Number>::nan() : value + Number{0};  // -0 becomes +0
    }
    return kIsMax ? Order::of(value) : ~Order::of(value);
  }
  template <class Number>
  static FOLDTUNE_DEVICE Number number_of(Word<sizeof(Number)> rank) {
    using Order = Rank<kIsMax, Number>;
    return kIsMax ? Order::value(rank) : Order::value(~rank);
  }
};

}  // namespace foldtune
