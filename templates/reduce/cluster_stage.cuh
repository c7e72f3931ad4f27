/// The final stage `cluster`: the grid is one cluster, and its blocks send their totals into the
/// shared memory of the first one. Nothing goes through global memory.
#pragma once

#include "templates/fold/partials.cuh"
#include "templates/reduce/params.cuh"

namespace foldtune {

/// Whether the blocks of a kernel meet in this way. Where there are no clusters they poll.
template <ReduceParams kParams>
inline constexpr bool kInCluster =
    platform::kHasClusters&& kParams.final_stage == FinalStage::cluster;

/// In the shared memory of every block; that of the first one receives.
template <class A>
class Mailbox {
 public:
  /// Called by all threads of all blocks, as early as can be: others send when all have called it.
  FOLDTUNE_DEVICE void open(uint32 senders) {
    if (platform::block_index() == 0 && platform::thread_index() == 0) {
      platform::expect_bytes(&arrived_, senders * static_cast<uint32>(sizeof(A)));
    }
    platform::arrive_at_cluster();
  }
  /// Called by all threads of all blocks after `open`, before the following.
  FOLDTUNE_DEVICE void await_open() { platform::await_cluster(); }

  /// From a block other than the first one, once.
  FOLDTUNE_DEVICE void send(uint32 block, const A& total) {
    const Slot<A> slot = bit_cast<Slot<A>>(total);
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < Slot<A>::kCount; ++i) {
      platform::send_to_first_block(&slots_[block - 1].words[i], slot.words[i], &arrived_);
    }
  }

  /// In the first block: returns when all totals have come, and then gives that of a block.
  FOLDTUNE_DEVICE void await_totals() { platform::await_bytes(&arrived_); }
  FOLDTUNE_DEVICE A get(uint32 block) const { return bit_cast<A>(slots_[block - 1]); }

 private:
  uint64 arrived_;
  Slot<A> slots_[kMaxClusterBlocks - 1];
};

}  // namespace foldtune
