/// Partial results that blocks leave in global memory for one another, with and without flags.
#pragma once

#include "templates/device/words.cuh"

namespace foldtune {

/// A partial as words that one access moves.
template <class A>
struct Slot {
  using SlotWord = Word<sizeof(A) % 8 == 0 ? 8 : 4>;
  static constexpr uint32 kCount = sizeof(A) / sizeof(SlotWord);
  SlotWord words[kCount];
};

/// Partials without flags, in the order of the blocks.
template <class A>
class Partials {
 public:
  /// From the first block's slot on.
  explicit FOLDTUNE_DEVICE Partials(void* slots) : slots_(static_cast<Slot<A>*>(slots)) {}

  FOLDTUNE_DEVICE void put(uint32 block, const A& value) const {
    const Slot<A> slot = bit_cast<Slot<A>>(value);
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < Slot<A>::kCount; ++i) {
      platform::store_relaxed(&slots_[block].words[i], slot.words[i]);
    }
  }
  FOLDTUNE_DEVICE A get(uint32 block) const {
    Slot<A> slot;
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < Slot<A>::kCount; ++i) {
      slot.words[i] = platform::load_relaxed(&slots_[block].words[i]);
    }
    return bit_cast<A>(slot);
  }

 private:
  Slot<A>* slots_;
};

/// Partials with a flag in every word: a slot is a word of 64 bits for each 4 bytes of the partial,
/// the value in the low half and the flag in the high half, so that one access moves both and no
/// fence is needed. Slots are empty before the first launch, and each launch leaves them so.
template <class A>
class FlaggedPartials {
 public:
  /// From the first block's slot on.
  explicit FOLDTUNE_DEVICE FlaggedPartials(void* slots) : words_(static_cast<uint64*>(slots)) {}

  FOLDTUNE_DEVICE void put(uint32 block, const A& value) const {
    const Words<A> words = Words<A>::of(value);
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kWords; ++i) {
      platform::store_relaxed(words_ + block * uint64{kWords} + i, kPresent | words.words[i]);
    }
  }

  /// Looks at the slot once. True if the whole partial was there; it is in `words` then.
  FOLDTUNE_DEVICE bool try_get(uint32 block, Words<A>& words) const {
    uint64 present = kPresent;
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kWords; ++i) {
      const uint64 word = platform::load_relaxed(words_ + block * uint64{kWords} + i);
      present &= word;
      words.words[i] = static_cast<uint32>(word);
    }
    return present != 0;
  }

  FOLDTUNE_DEVICE void clear(uint32 block) const {
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kWords; ++i) {
      platform::store_relaxed(words_ + block * uint64{kWords} + i, uint64{0});
    }
  }

 private:
  static constexpr uint32 kWords = Words<A>::kCount;
  static constexpr uint64 kPresent = uint64{1} << 32;
  uint64* words_;
};

}  // namespace foldtune
