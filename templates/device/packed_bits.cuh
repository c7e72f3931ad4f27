/// Bits of words.
#pragma once

#include "templates/device/packed.cuh"

namespace foldtune {

/// Bit operators know no elements.
template <class Op, class T>
struct PackedBits {
  static constexpr bool kExists = sizeof(T) < sizeof(uint32);
  using Partial = uint32;
  static FOLDTUNE_DEVICE uint32 of(uint32 word) { return word; }
  static FOLDTUNE_DEVICE uint32 add(uint32 partial, uint32 word) { return combine(partial, word); }
  static FOLDTUNE_DEVICE uint32 combine(uint32 a, uint32 b) { return Op::combine(a, b); }
  static FOLDTUNE_DEVICE auto widen(uint32 partial) { return fold_elements<Op, T>(partial); }
};

}  // namespace foldtune
