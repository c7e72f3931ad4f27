/// The blocks' partials in the scratch, with and without flags.
#pragma once

#include "templates/device/words.cuh"
#include "templates/reduce/scratch.cuh"

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
  explicit FOLDTUNE_DEVICE Partials(void* scratch)
      : slots_(reinterpret_cast<Slot<A>*>(static_cast<char*>(scratch) + kScratchHeaderBytes)) {}

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

/// Partials with a flag in every word.
template <class A>
class FlaggedPartials {
 public:
  explicit FOLDTUNE_DEVICE FlaggedPartials(void* scratch)
      : words_(reinterpret_cast<uint64*>(static_cast<char*>(scratch) + kScratchHeaderBytes)) {}

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
