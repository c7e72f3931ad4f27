/// What a thread counts, and where.
#pragma once

#include "templates/histogram/bins.cuh"

namespace foldtune {

/// Slots that are bins. The slot `kCount` is no bin.
template <class T, BinRule kRule, uint32 kBins, bool kAreValues>
struct Slots {
  static constexpr uint32 kCount = kBins;
  static constexpr bool kAreBins = true;
  BinFinder<T, kRule, kBins> bins;

  FOLDTUNE_DEVICE uint32 find(Held<T> x) const { return bins.find(x); }
  FOLDTUNE_DEVICE uint32 bin_of(uint32 slot) const { return slot; }
};

/// Slots that are the values of a byte.
template <class T, BinRule kRule, uint32 kBins>
struct Slots<T, kRule, kBins, true> {
  static constexpr uint32 kCount = 256;
  static constexpr bool kAreBins = kRule == BinRule::key;  // if not in the same order
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
};

template <class Counter>
struct GlobalCounters {
  static constexpr bool kTakesNoBin = false;
  Counter* first;
  FOLDTUNE_DEVICE void add(uint32 slot, uint32 amount) const {
    platform::count(first + slot, Counter{amount});
  }
};

/// Counts the elements that it visits.
template <class T, class SlotsType, class Counters, BinAggregation kAggregation>
struct SlotCounter {
  const SlotsType& slots;
  Counters counters;
  uint32 run_slot = SlotsType::kCount;
  uint32 run = 0;

  FOLDTUNE_DEVICE void visit(T element) {
    const uint32 slot = slots.find(load_number(element));
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
