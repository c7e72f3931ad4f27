/// Which elements of a word are zero.
#pragma once

#include "templates/device/packed.cuh"

namespace foldtune {

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

}  // namespace foldtune
