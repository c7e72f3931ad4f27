/// Partial results as words, to move them between threads.
#pragma once

#include "templates/device/types.cuh"

namespace foldtune {

/// A value as words of 4 bytes.
template <class A>
struct Words {
  static constexpr uint32 kCount = sizeof(A) / sizeof(uint32);
  static_assert(sizeof(A) % sizeof(uint32) == 0, "a partial result is made of words of 4 bytes");

  uint32 words[kCount];

  static FOLDTUNE_DEVICE Words of(const A& value) { return bit_cast<Words>(value); }
  FOLDTUNE_DEVICE A value() const { return bit_cast<A>(*this); }
};

/// The value of the lane `delta` above; the top `delta` lanes keep their own.
template <class A>
FOLDTUNE_DEVICE A shuffle_down(const A& value, uint32 delta) {
  Words<A> words = Words<A>::of(value);
  FOLDTUNE_UNROLL
  for (uint32 i = 0; i < Words<A>::kCount; ++i) {
    words.words[i] = platform::shuffle_down(words.words[i], delta);
  }
  return words.value();
}

/// The value of lane `lane`.
template <class A>
FOLDTUNE_DEVICE A value_of_lane(const A& value, uint32 lane) {
  Words<A> words = Words<A>::of(value);
  FOLDTUNE_UNROLL
  for (uint32& word : words.words) word = platform::shuffle(word, lane);
  return words.value();
}

}  // namespace foldtune
