/// The blocks' partials in the scratch, with and without flags.
#pragma once

#include "templates/platform.cuh"
#include "templates/reduce/scratch.cuh"

namespace foldtune {

/// A partial as words of 4 bytes.
template <class A>
struct PartialWords {
  static constexpr uint32 kCount = sizeof(A) / sizeof(uint32);
  static_assert(sizeof(A) % sizeof(uint32) == 0);

  uint32 words[kCount];

  static FOLDTUNE_DEVICE PartialWords of(A value) {
    const auto bits = platform::to_bits(value);
    PartialWords result;
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kCount; ++i) {
      result.words[i] = static_cast<uint32>(static_cast<uint64>(bits) >> (32 * i));
    }
    return result;
  }
  FOLDTUNE_DEVICE A value() const {
    decltype(platform::to_bits(A{})) bits = 0;
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kCount; ++i) {
      bits |= static_cast<decltype(bits)>(words[i]) << (32 * i);
    }
    A result;
    platform::from_bits(bits, result);
    return result;
  }
};

/// Partials without flags, in the order of the blocks.
template <class A>
class Partials {
 public:
  explicit FOLDTUNE_DEVICE Partials(void* scratch)
      : words_(reinterpret_cast<Word*>(static_cast<char*>(scratch) + kScratchHeaderBytes)) {}

  FOLDTUNE_DEVICE void put(uint32 block, A value) const {
    platform::store_relaxed(words_ + block, platform::to_bits(value));
  }
  FOLDTUNE_DEVICE A get(uint32 block) const {
    A value;
    platform::from_bits(platform::load_relaxed(words_ + block), value);
    return value;
  }

 private:
  using Word = decltype(platform::to_bits(A{}));
  Word* words_;
};

/// Partials with a flag in every word.
template <class A>
class FlaggedPartials {
 public:
  explicit FOLDTUNE_DEVICE FlaggedPartials(void* scratch)
      : words_(reinterpret_cast<uint64*>(static_cast<char*>(scratch) + kScratchHeaderBytes)) {}

  FOLDTUNE_DEVICE void put(uint32 block, A value) const {
    const PartialWords<A> words = PartialWords<A>::of(value);
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kWords; ++i) {
      platform::store_relaxed(words_ + block * uint64{kWords} + i, kPresent | words.words[i]);
    }
  }

  /// Looks at the slot once. True if the whole partial was there; it is in `words` then.
  FOLDTUNE_DEVICE bool try_get(uint32 block, PartialWords<A>& words) const {
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
  static constexpr uint32 kWords = PartialWords<A>::kCount;
  static constexpr uint64 kPresent = uint64{1} << 32;
  uint64* words_;
};

}  // namespace foldtune
