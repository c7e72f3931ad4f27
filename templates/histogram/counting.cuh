/// What a thread counts, and where.
#pragma once

#include "templates/histogram/bins.cuh"

namespace foldtune {

/// Slots that are bins. The slot `kCount` is no bin.
template <class T, BinRule kRule, uint32 kBins, bool kAreValues, bool kIsExact = false>
struct Slots {
  static constexpr uint32 kCount = kBins;
  static constexpr bool kAreBins = true;
  static constexpr bool kLeavesDoubt = BinFinder<T, kRule, kBins, kIsExact>::kLeavesDoubt;
  BinFinder<T, kRule, kBins, kIsExact> bins;

  FOLDTUNE_DEVICE uint32 find(Held<T> x) const { return bins.find(x); }
  FOLDTUNE_DEVICE uint32 bin_of(uint32 slot) const { return slot; }
};

/// Slots that are the values of a byte.
template <class T, BinRule kRule, uint32 kBins>
struct Slots<T, kRule, kBins, true, false> {
  static constexpr uint32 kCount = 256;
  static constexpr bool kAreBins = kRule == BinRule::key;  // if not in the same order
  static constexpr bool kLeavesDoubt = false;
  BinFinder<T, kRule, kBins> bins;

  FOLDTUNE_DEVICE uint32 find(Held<T> x) const { return static_cast<uint32>(x) & 0xffu; }
  FOLDTUNE_DEVICE uint32 bin_of(uint32 slot) const {
    return bins.find(load_number(static_cast<T>(slot)));
  }
};

/// Counters in shared memory: slot `s` is at `first[s * kStride]`. There is one for what is in no
/// bin, which saves a branch.
template <uint32 kStride>
struct SharedCounters {
  static constexpr bool kTakesNoBin = true;
  uint32* first;
  FOLDTUNE_DEVICE void add(uint32 slot, uint32 amount) const {
    platform::count(first + slot * kStride, amount);
  }
  /// Takes back what was added, or is to be.
  FOLDTUNE_DEVICE void remove(uint32 slot) const { add(slot, ~0u); }
};

template <class Counter>
struct GlobalCounters {
  static constexpr bool kTakesNoBin = false;
  Counter* first;
  FOLDTUNE_DEVICE void add(uint32 slot, uint32 amount) const {
    platform::count(first + slot, Counter{amount});
  }
  FOLDTUNE_DEVICE void remove(uint32 slot) const { platform::count(first + slot, ~Counter{0}); }
};

/// Counts the elements that it visits. ElementSet has a bit for each of a thread's elements in a
/// tile.
template <class T, class SlotsType, class Counters, BinAggregation kAggregation, class ElementSet>
struct SlotCounter {
  const SlotsType& slots;
  Counters counters;
  uint32 run_slot = SlotsType::kCount;
  uint32 run = 0;
  ElementSet in_doubt = 0;

  FOLDTUNE_DEVICE void visit(T element) { count(slots.find(load_number(element))); }

  /// Visits vector number `number` of this thread's share of a tile. An element that is in doubt is
  /// counted in the first bin that it may be in, and remembered.
  template <int kWidth, class Vector>
  FOLDTUNE_DEVICE void visit_vector(const Vector& vector, uint32 number) {
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kWidth; ++i) {
      if constexpr (SlotsType::kLeavesDoubt) {
        const BinGuess guess = slots.bins.guess(load_number(vector.at(i)));
        count(guess.bin);
        if (guess.is_in_doubt()) in_doubt |= ElementSet{1} << (number * kWidth + i);
      } else {
        visit(vector.at(i));
      }
    }
  }

  /// After the vectors of a tile: counts those that were in doubt where they belong. They are few,
  /// so `load(number)` gets them once more, for which no registers were kept.
  template <class Load>
  FOLDTUNE_DEVICE void break_ties(const Load& load) {
    if constexpr (SlotsType::kLeavesDoubt) {
      for (; in_doubt != 0; in_doubt &= in_doubt - 1) {
        const Held<T> x = load_number(load(platform::lowest_bit(in_doubt)));
        const BinGuess guess = slots.bins.guess(x);
        const uint32 bin = slots.bins.search(guess, x);
        if (bin != guess.bin) {
          counters.remove(guess.bin);
          counters.add(bin, 1);
        }
      }
    }
  }

  FOLDTUNE_DEVICE void count(uint32 slot) {
    if constexpr (kAggregation == BinAggregation::runs) {
      if (slot != run_slot) {
        finish();
        run_slot = slot;
        run = 0;
      }
      ++run;
    } else {
      if (Counters::kTakesNoBin || slot < SlotsType::kCount) counters.add(slot, 1);
    }
  }

  /// After the last element.
  FOLDTUNE_DEVICE void finish() const {
    if constexpr (kAggregation == BinAggregation::runs) {
      if (Counters::kTakesNoBin ? run != 0 : run_slot < SlotsType::kCount) {
        counters.add(run_slot, run);
      }
    }
  }
};

}  // namespace foldtune
