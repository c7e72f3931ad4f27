/// The third stage: the blocks of a grid fold their totals into the output. scratch.cuh says how
/// the scratch is laid out.
#pragma once

#include "templates/fold/partials.cuh"
#include "templates/fold/result.cuh"
#include "templates/reduce/atomics.cuh"
#include "templates/reduce/block_stage.cuh"
#include "templates/reduce/cluster_stage.cuh"
#include "templates/reduce/scratch.cuh"

namespace foldtune {

/// Where the blocks' slots begin.
FOLDTUNE_DEVICE void* slots_of(void* scratch) {
  return static_cast<char*>(scratch) + kScratchHeaderBytes;
}

/// Slots that a thread looks at together, so that their loads overlap: of large partials few, for
/// the registers that they take cost more.
template <class Op>
inline constexpr uint32 kPollBatch = requires {
  typename Op::Plain;
}
? 2 : 4;

/// A batch of the `count` partials that other blocks put, those of `first` and of every `kThreads`
/// blocks after it, when all have come. Their slots are left empty. `take(i, partial)` gets them.
template <uint32 kThreads, uint32 kBatch, class A, class Take>
FOLDTUNE_DEVICE void poll_batch(FlaggedPartials<A> partials, uint32 first, uint32 count,
                                Take take) {
  Words<A> words[kBatch];
  for (;;) {
    bool complete = true;
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kBatch; ++i) {
      const uint32 block = first + i * kThreads;
      if (block < count) complete &= partials.try_get(block, words[i]);
    }
    if (complete) break;
    platform::pause();
  }
  FOLDTUNE_UNROLL
  for (uint32 i = 0; i < kBatch; ++i) {
    const uint32 block = first + i * kThreads;
    if (block < count) {
      take(i, words[i].value());
      partials.clear(block);
    }
  }
}

/// One of `kThreads` threads' share of the `count` partials that other blocks put.
template <class Op, uint32 kThreads>
FOLDTUNE_DEVICE auto poll_share(FlaggedPartials<typename Op::Accumulator> partials, uint32 count) {
  using A = typename Op::Accumulator;
  A total = Op::identity();
  for (uint32 first = platform::thread_index(); first < count; first += kThreads * kPollBatch<Op>) {
    poll_batch<kThreads, kPollBatch<Op>>(partials, first, count, [&](uint32, const A& partial) {
      total = Op::combine(total, partial);
    });
  }
  return total;
}

/// By one warp: the fold of a batch for each lane and of lane 0's `total`, in lane 0.
template <class Op, class Warp>
FOLDTUNE_DEVICE auto poll_in_warp(FlaggedPartials<typename Op::Accumulator> partials, uint32 count,
                                  const typename Op::Accumulator& total) {
  using A = typename Op::Accumulator;
  const uint32 lane = platform::thread_index();
  if constexpr (Warp::kMerges) {
    A values[kPollBatch<Op> + 1];
    FOLDTUNE_UNROLL
    for (A& value : values) value = Op::identity();
    poll_batch<kWarpSize, kPollBatch<Op>>(partials, lane, count,
                                          [&](uint32 i, const A& partial) { values[i] = partial; });
    if (lane == 0) values[kPollBatch<Op>] = total;
    return Warp::template fold_all<kPollBatch<Op> + 1>(values);
  } else {
    A share = poll_share<Op, kWarpSize>(partials, count);
    if (lane == 0) share = Op::combine(share, total);
    return Warp::fold(share);
  }
}

/// This thread's share of `count` partials that are all there.
template <class Op, uint32 kBlockSize>
FOLDTUNE_DEVICE auto fold_partials(Partials<typename Op::Accumulator> partials, uint32 count) {
  typename Op::Accumulator total = Op::identity();
  for (uint32 block = platform::thread_index(); block < count; block += kBlockSize) {
    total = Op::combine(total, partials.get(block));
  }
  return total;
}

/// Adds a block's `total` to `word`. The block that finds those of `last` others there stores the
/// result, and leaves the word zero. One access moves the sum and the number, so that no fence is
/// needed.
template <class Op, class Output>
FOLDTUNE_DEVICE void add_counted(uint64* word, typename Op::Accumulator total, uint32 last,
                                 uint64 count, Output* output) {
  const uint64 share = (static_cast<uint64>(total) << kArrivalBits) + 1;
  const uint64 others = platform::fetch_add_relaxed(word, share);
  if ((others & ((1u << kArrivalBits) - 1)) != last) return;
  platform::store_relaxed(word, uint64{0});
  const auto sum = static_cast<int64>(others + share) >> kArrivalBits;
  store_result<Op>(output, static_cast<typename Op::Accumulator>(sum), count);
}

/// What the final stage needs besides the block stage's storage.
template <class Fold, bool kHasMailbox>
struct FinalStorage {
  typename Fold::Storage fold;
  uint32 is_last;
};
template <class Fold>
struct FinalStorage<Fold, true> {
  typename Fold::Storage fold;
  Mailbox<typename Fold::A> mailbox;
};

/// Called by all threads of all blocks; thread 0 holds its block's `total`. One thread of the grid
/// writes the result of the fold of all totals to `output`.
template <class Op, ReduceParams kParams, class Fold, class Output>
FOLDTUNE_DEVICE void finish(FinalStorage<Fold, kInCluster<kParams>>& storage,
                            typename Op::Accumulator total, uint64 count, Output* output,
                            void* scratch) {
  using A = typename Op::Accumulator;
  using Warp = WarpFold<Op, kParams.block_stage>;
  constexpr uint32 kBlockSize = kParams.block_size;
  const uint32 thread = platform::thread_index();
  const uint32 block = platform::block_index();
  const uint32 last = platform::grid_size() - 1;

  if (last == 0) {
    if (thread == 0) store_result<Op>(output, total, count);
    return;
  }

  if constexpr (kParams.final_stage == FinalStage::atomic) {
    if (thread == 0) atomic_combine<Op>(output, total);
  } else if constexpr (kParams.final_stage == FinalStage::counted) {
    if (thread == 0) add_counted<Op>(static_cast<uint64*>(scratch), total, last, count, output);
  } else if constexpr (kParams.final_stage == FinalStage::two_pass) {
    if (thread == 0) Partials<A>(slots_of(scratch)).put(block, total);
  } else if constexpr (kParams.final_stage == FinalStage::last_block) {
    const Partials<A> partials(slots_of(scratch));
    if (thread == 0) {
      partials.put(block, total);
      storage.is_last = platform::take_ticket(static_cast<uint32*>(scratch), last) == last;
    }
    platform::sync_block();
    if (storage.is_last == 0) return;
    total = Fold::fold(storage.fold, fold_partials<Op, kBlockSize>(partials, last + 1));
    if (thread == 0) store_result<Op>(output, total, count);
  } else if constexpr (kInCluster<kParams>) {
    storage.mailbox.await_open();
    if (block != 0) {
      if (thread == 0) storage.mailbox.send(block, total);
      return;
    }
    if constexpr (Warp::kMerges) {
      if (thread >= kWarpSize) return;
      storage.mailbox.await_totals();
      if (thread > 0) total = thread <= last ? storage.mailbox.get(thread) : Op::identity();
      total = Warp::fold(total);
    } else {
      if (thread != 0) return;
      storage.mailbox.await_totals();
      for (uint32 other = 1; other <= last; ++other) {
        total = Op::combine(total, storage.mailbox.get(other));
      }
    }
    if (thread == 0) store_result<Op>(output, total, count);
  } else {
    static_assert(kParams.final_stage == FinalStage::polling ||
                  kParams.final_stage == FinalStage::cluster);
    const FlaggedPartials<A> partials(slots_of(scratch));
    // Blocks start in the order of their index, so the last one polls: when it runs, no block that
    // it waits for can be waiting for its place.
    if (block != last) {
      if (thread == 0) partials.put(block, total);
      return;
    }
    if (last <= kWarpSize * kPollBatch<Op>) {
      // Few enough for one warp, which needs no barrier.
      if (thread >= kWarpSize) return;
      total = poll_in_warp<Op, Warp>(partials, last, total);
      if (thread == 0) store_result<Op>(output, total, count);
      return;
    }
    A share = poll_share<Op, kBlockSize>(partials, last);
    if (thread == 0) share = Op::combine(share, total);
    platform::sync_block();
    total = Fold::fold(storage.fold, share);
    if (thread == 0) store_result<Op>(output, total, count);
  }
}

}  // namespace foldtune
