/// The second stage: the threads of a block fold their values into one.
#pragma once

#include "templates/reduce/atomics.cuh"
#include "templates/reduce/params.cuh"
#include "templates/reduce/redux.cuh"

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
///
/// The first template is that of the trees.
template <class Op, int kBlockSize, BlockStage kStage>
struct BlockFold : TreeFold<Op, kBlockSize, kStage == BlockStage::tree ? 1 : kWarpSize> {
  using A = typename Op::Accumulator;
  using Tree = TreeFold<Op, kBlockSize, kStage == BlockStage::tree ? 1 : kWarpSize>;
  using Storage = typename Tree::Storage;

  static FOLDTUNE_DEVICE A fold(Storage& storage, A value) {
    static_assert(kStage == BlockStage::tree || kStage == BlockStage::tree_shuffle ||
                  kStage == BlockStage::tree_unrolled);
    value = Tree::fold(storage, value);
    if constexpr (kStage == BlockStage::tree_shuffle) {
      if (platform::thread_index() < kWarpSize) value = ShuffleWarp<Op>::fold(value);
    }
    if constexpr (kStage == BlockStage::tree_unrolled) {
      if (platform::thread_index() < kWarpSize) value = fold_last_warp(storage, value);
    }
    return value;
  }

 private:
  /// The textbook's `volatile` tail, with the synchronization that warps need since Volta: lanes of
  /// a warp need not run in step.
  static FOLDTUNE_DEVICE A fold_last_warp(Storage& storage, A value) {
    const uint32 lane = platform::thread_index();
    FOLDTUNE_UNROLL
    for (uint32 half = kWarpSize / 2; half > 0; half /= 2) {
      if (lane < half) {
        value = Op::combine(value, storage.values[lane + half]);
        storage.values[lane] = value;
      }
      platform::sync_warp();
    }
    return value;
  }
};

template <class Op, int kBlockSize>
struct BlockFold<Op, kBlockSize, BlockStage::shuffle> : WarpsFold<Op, kBlockSize, ShuffleWarp<Op>> {
};

template <class Op, int kBlockSize>
struct BlockFold<Op, kBlockSize, BlockStage::redux> : WarpsFold<Op, kBlockSize, ReduxWarp<Op>> {};

// A single warp has met when its shuffles end; blocks of several do not meet before the grid does.
template <class Op, int kBlockSize>
struct BlockFold<Op, kBlockSize, BlockStage::warp> : WarpsFold<Op, kBlockSize, ShuffleWarp<Op>> {};

template <class Op, int kBlockSize>
struct BlockFold<Op, kBlockSize, BlockStage::none> : WarpsFold<Op, kBlockSize, ShuffleWarp<Op>> {};

template <class Op, int kBlockSize>
struct BlockFold<Op, kBlockSize, BlockStage::interleaved> {
  using A = typename Op::Accumulator;

  struct Storage {
    A values[kBlockSize];
  };

  static FOLDTUNE_DEVICE A fold(Storage& storage, A value) {
    const uint32 thread = platform::thread_index();
    storage.values[thread] = value;
    platform::sync_block();
    for (uint32 distance = 1; distance < kBlockSize; distance *= 2) {
      if (thread % (2 * distance) == 0) {
        value = Op::combine(value, storage.values[thread + distance]);
        storage.values[thread] = value;
      }
      platform::sync_block();
    }
    return value;
  }
};

template <class Op, int kBlockSize>
struct BlockFold<Op, kBlockSize, BlockStage::shared_atomic> {
  using A = typename Op::Accumulator;

  struct Storage {
    A total;
  };

  static FOLDTUNE_DEVICE A fold(Storage& storage, A value) {
    const bool is_first = platform::thread_index() == 0;
    if (is_first) storage.total = Op::identity();
    platform::sync_block();
    atomic_combine<Op>(&storage.total, value);
    platform::sync_block();
    return is_first ? storage.total : value;
  }
};

}  // namespace foldtune
