/// The final stage `polling`: one block waits until all others have added to the totals.
///
/// Every element adds 1 to one total, those in no bin to a total of their own. So a total only
/// grows while the kernel runs, and what is read of it at any time is at most what it comes to.
/// When the totals that were read, with what the polling block counted itself, sum up to the count
/// of elements, each of them is therefore complete. This needs nothing of the order in which
/// additions are seen, so they are relaxed, and there is neither a fence nor a ticket. The totals
/// are of the index's type, which holds the count, so that no sum wraps.
#pragma once

#include "templates/device/words.cuh"
#include "templates/histogram/layout.cuh"

namespace foldtune {

/// The lanes' sum, in lane 0.
template <class Word>
FOLDTUNE_DEVICE Word warp_sum(Word value) {
  if constexpr (platform::kHasWarpInstructions && sizeof(Word) == sizeof(uint32)) {
    return platform::warp_add(value);
  } else {
    FOLDTUNE_UNROLL
    for (uint32 delta = kWarpSize / 2; delta > 0; delta /= 2) value += shuffle_down(value, delta);
    return value;
  }
}

/// Sums over a block, one after another. Index is a type that `platform::count` adds to.
template <class Index>
class BlockSums {
 public:
  /// By one thread, before a barrier.
  FOLDTUNE_DEVICE void prepare() {
    for (Index& sum : sums_) sum = 0;
  }

  /// Called by all threads, with 0, 1, 2... as `round`; all of them get the sum.
  FOLDTUNE_DEVICE Index sum(Index value, uint32 round) {
    // Before the barrier some threads may still read the last round's sum, and others add to this
    // one's. The third was read before the last barrier.
    if (platform::thread_index() == 0) sums_[(round + 1) % 3] = 0;
    value = warp_sum(value);
    if (platform::thread_index() % kWarpSize == 0) platform::count(&sums_[round % 3], value);
    platform::sync_block();
    return sums_[round % 3];
  }

 private:
  Index sums_[3];
};

/// Called by all threads of all blocks, of a grid of several, when their block has counted its
/// elements. `count` is the grid's. The totals are zero before, and after.
template <class Stages>
FOLDTUNE_DEVICE void finish_by_polling(typename Stages::Storage& storage,
                                       typename Stages::Index count,
                                       typename Stages::Counter* output,
                                       const typename Stages::SlotsType& slots,
                                       typename Stages::Index* totals) {
  using Index = typename Stages::Index;
  constexpr uint32 kTotals = Stages::kCopyCounters;
  constexpr uint32 kPerThread = (kTotals + Stages::kBlockSize - 1) / Stages::kBlockSize;
  const uint32 thread = platform::thread_index();

  uint32 own[kPerThread];
  FOLDTUNE_UNROLL
  for (uint32 i = 0; i < kPerThread; ++i) {
    const uint32 slot = thread + i * Stages::kBlockSize;
    own[i] = slot < kTotals ? Stages::block_count(storage, slot) : 0;
  }

  // Blocks start in the order of their index, so the last one polls: when it runs, no block that
  // it waits for can be waiting for its place.
  if (platform::block_index() != platform::grid_size() - 1) {
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kPerThread; ++i) {
      if (own[i] != 0) platform::count(totals + thread + i * Stages::kBlockSize, Index{own[i]});
    }
    return;
  }

  Index seen[kPerThread];
  for (uint32 round = 0;; ++round) {
    Index sum = 0;
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kPerThread; ++i) {
      const uint32 slot = thread + i * Stages::kBlockSize;
      seen[i] = own[i];
      if (slot < kTotals) seen[i] += platform::load_relaxed(totals + slot);
      sum += seen[i];
    }
    if (storage.sums.sum(sum, round) == count) break;
    platform::pause();
  }

  Stages::prepare_output(output);
  FOLDTUNE_UNROLL
  for (uint32 i = 0; i < kPerThread; ++i) {
    const uint32 slot = thread + i * Stages::kBlockSize;
    // This thread's loads of the total come before its store to it, and have seen all additions.
    if (slot < kTotals) platform::store_relaxed(totals + slot, Index{0});
    if (slot < Stages::SlotsType::kCount) {
      Stages::store(output, slots, slot, static_cast<typename Stages::Counter>(seen[i]));
    }
  }
}

}  // namespace foldtune
