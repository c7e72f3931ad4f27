/// The second stage: the threads of a block fold their values into one.
#pragma once

#include "templates/fold/redux.cuh"
#include "templates/reduce/params.cuh"

namespace foldtune {

/// Folds every warp with `Warp`, then the warps' results.
template <class Op, int kBlockSize, class Warp>
struct WarpsFold {
  using A = typename Op::Accumulator;
  static constexpr uint32 kWarps = kBlockSize / kWarpSize;

  struct Storage {
    A values[kWarps];
  };

  static FOLDTUNE_DEVICE A fold(Storage& storage, A value) {
    value = Warp::fold(value);
    if constexpr (kWarps > 1) {
      const uint32 thread = platform::thread_index();
      if (thread % kWarpSize == 0) storage.values[thread / kWarpSize] = value;
      platform::sync_block();
      if (thread < kWarpSize) {
        value = thread < kWarps ? storage.values[thread] : Op::identity();
        value = Warp::fold(value);
      }
    }
    return value;
  }
};

/// A tree over shared memory that halves the active threads down to the first `kEnd`, which hold
/// what is left.
template <class Op, int kBlockSize, uint32 kEnd>
struct TreeFold {
  using A = typename Op::Accumulator;

  struct Storage {
    A values[kBlockSize];
  };

  static FOLDTUNE_DEVICE A fold(Storage& storage, A value) {
    const uint32 thread = platform::thread_index();
    storage.values[thread] = value;
    platform::sync_block();
    FOLDTUNE_UNROLL
    for (uint32 half = kBlockSize / 2; half >= kEnd; half /= 2) {
      if (thread < half) {
        value = Op::combine(value, storage.values[thread + half]);
        storage.values[thread] = value;
      }
      platform::sync_block();
    }
    return value;
  }
};

/// How a warp alone meets in a kernel with this block stage.
template <class Op, BlockStage kStage>
struct WarpFold : ShuffleWarp<Op> {
  static constexpr bool kMerges = false;
};
template <class Op>
struct WarpFold<Op, BlockStage::redux> : ReduxWarp<Op> {};

/// `fold` is called by all threads and gives the block's total to thread 0. The storage may be used
/// again after a `sync_block`.
template <class Op, int kBlockSize, BlockStage kStage>
struct BlockFold;

template <class Op, int kBlockSize>
struct BlockFold<Op, kBlockSize, BlockStage::tree> : TreeFold<Op, kBlockSize, 1> {};

template <class Op, int kBlockSize>
struct BlockFold<Op, kBlockSize, BlockStage::tree_shuffle> : TreeFold<Op, kBlockSize, kWarpSize> {
  using A = typename Op::Accumulator;
  using Tree = TreeFold<Op, kBlockSize, kWarpSize>;

  static FOLDTUNE_DEVICE A fold(typename Tree::Storage& storage, A value) {
    value = Tree::fold(storage, value);
    if (platform::thread_index() < kWarpSize) value = ShuffleWarp<Op>::fold(value);
    return value;
  }
};

template <class Op, int kBlockSize>
struct BlockFold<Op, kBlockSize, BlockStage::shuffle> : WarpsFold<Op, kBlockSize, ShuffleWarp<Op>> {
};

template <class Op, int kBlockSize>
struct BlockFold<Op, kBlockSize, BlockStage::redux> : WarpsFold<Op, kBlockSize, ReduxWarp<Op>> {};

}  // namespace foldtune
