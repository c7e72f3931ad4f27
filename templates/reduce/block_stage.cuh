/// The second stage: the threads of a block fold their values into one.
#pragma once

#include "templates/operators.cuh"
#include "templates/reduce/params.cuh"

namespace foldtune {

/// Folds the lanes of a warp; the total is in lane 0.
template <class Op, class A>
FOLDTUNE_DEVICE A fold_warp(A value) {
  FOLDTUNE_UNROLL
  for (uint32 delta = kWarpSize / 2; delta > 0; delta /= 2) {
    value = Op::combine(value, platform::shuffle_down(value, delta));
  }
  return value;
}

/// `fold` is called by all threads and gives the block's total to thread 0. The storage may be used
/// again after a `sync_block`.
template <class Op, class A, int kBlockSize, BlockStage kStage>
struct BlockFold {
  static constexpr uint32 kSlots = kBlockSize;
  /// The tree ends when this many threads are left.
  static constexpr uint32 kTreeEnd = kStage == BlockStage::tree ? 1 : kWarpSize;

  struct Storage {
    A values[kSlots];
  };

  static FOLDTUNE_DEVICE A fold(Storage& storage, A value) {
    const uint32 thread = platform::thread_index();
    storage.values[thread] = value;
    platform::sync_block();
    FOLDTUNE_UNROLL
    for (uint32 half = kBlockSize / 2; half >= kTreeEnd; half /= 2) {
      if (thread < half) {
        value = Op::combine(value, storage.values[thread + half]);
        storage.values[thread] = value;
      }
      platform::sync_block();
    }
    if constexpr (kStage == BlockStage::tree_shuffle) {
      if (thread < kWarpSize) value = fold_warp<Op>(value);
    }
    return value;
  }
};

template <class Op, class A, int kBlockSize>
struct BlockFold<Op, A, kBlockSize, BlockStage::shuffle> {
  static constexpr uint32 kWarps = kBlockSize / kWarpSize;

  struct Storage {
    A values[kWarps];
  };

  static FOLDTUNE_DEVICE A fold(Storage& storage, A value) {
    value = fold_warp<Op>(value);
    if constexpr (kWarps > 1) {
      const uint32 thread = platform::thread_index();
      if (thread % kWarpSize == 0) storage.values[thread / kWarpSize] = value;
      platform::sync_block();
      if (thread < kWarpSize) {
        value = thread < kWarps ? storage.values[thread] : Op::template identity<A>();
        value = fold_warp<Op>(value);
      }
    }
    return value;
  }
};

}  // namespace foldtune
