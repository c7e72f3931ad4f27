/// How the threads that share results meet: in a block, and across blocks.
#pragma once

#include "templates/axis/lines.cuh"
#include "templates/axis/params.cuh"
#include "templates/fold/group.cuh"
#include "templates/fold/partials.cuh"

namespace foldtune {

/// Folds a matrix of `height` lines of `width` partial results into its first line, as a tree, by
/// `threads` threads of which this is number `thread`. Each thread of the block calls it, with the
/// same height. What others wrote is visible to it only after a `sync_block`, which it ends with.
template <class Op>
FOLDTUNE_DEVICE void fold_matrix(typename Op::Accumulator* values, uint32 height, uint32 width,
                                 uint32 thread, uint32 threads) {
  while (height > 1) {
    const uint32 half = (height + 1) / 2;
    for (uint32 i = thread; i < (height - half) * width; i += threads) {
      values[i] = Op::combine(values[i], values[i + half * width]);
    }
    platform::sync_block();
    height = half;
  }
}

/// Adds the partial results of `count` slots, `step` apart, to `total`, and leaves the slots empty.
/// Waits for each, and asks for several at once.
template <class Op>
FOLDTUNE_DEVICE typename Op::Accumulator add_partials(
    typename Op::Accumulator total, FlaggedPartials<typename Op::Accumulator> partials, uint32 slot,
    uint32 step, uint32 count) {
  constexpr uint32 kAtOnce = 8;
  for (uint32 first = 0; first < count; first += kAtOnce) {
    Words<typename Op::Accumulator> words[kAtOnce];
    bool is_there[kAtOnce];
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kAtOnce; ++i) {
      is_there[i] = first + i < count && partials.try_get(slot + (first + i) * step, words[i]);
    }
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kAtOnce; ++i) {
      if (first + i >= count) break;
      const uint32 own = slot + (first + i) * step;
      if (!is_there[i]) {
        while (!partials.try_get(own, words[i])) platform::pause();
      }
      partials.clear(own);
      total = Op::combine(total, words[i].value());
    }
  }
  return total;
}

/// Called by all threads of all `splits` blocks that share a result, number `part` of them, with
/// its `total` in the first thread. True in the last block, whose first thread then has the total
/// of all. Blocks begin in the order of their index, so that no block which the last one waits for
/// is waiting for its place.
template <class Op, class Group>
FOLDTUNE_DEVICE bool meet_for_one(typename Group::Storage& storage, typename Op::Accumulator& total,
                                  uint64 unit, uint32 part, uint32 splits, void* scratch) {
  const FlaggedPartials<typename Op::Accumulator> partials(scratch);
  const uint32 thread = platform::thread_index();
  const auto first = static_cast<uint32>(unit * splits);
  if (part != splits - 1) {
    if (thread == 0) partials.put(first + part, total);
    return false;
  }
  auto share = add_partials<Op>(Op::identity(), partials, first + thread, Group::kThreads,
                                turns_of(thread, splits - 1, Group::kThreads));
  if (thread == 0) share = Op::combine(share, total);
  platform::sync_block();
  total = Group::fold(storage, share);
  return true;
}

/// The same of a unit of `width` results, whose totals are in `values`, which has room for `kRoom`.
/// Each block's slots follow those of the one before.
template <class Op, uint32 kBlockSize, uint32 kRoom>
FOLDTUNE_DEVICE bool meet_blocks(typename Op::Accumulator* values, uint32 width, uint64 unit,
                                 uint32 part, uint32 splits, void* scratch) {
  using A = typename Op::Accumulator;
  const FlaggedPartials<A> partials(scratch);
  const uint32 thread = platform::thread_index();
  const auto first = static_cast<uint32>(unit * splits) * width;
  if (part != splits - 1) {
    for (uint32 i = thread; i < width; i += kBlockSize) {
      partials.put(first + part * width + i, values[i]);
    }
    return false;
  }
  // As many lines of threads as there are, each for every so many blocks.
  const uint32 height = width >= kBlockSize ? 1 : kBlockSize / width;
  const uint32 line = width >= kBlockSize ? 0 : thread / width;
  const uint32 begin = width >= kBlockSize ? thread : thread % width;
  for (uint32 i = begin; i < width && line < height; i += kBlockSize) {
    const uint32 others = line < splits - 1 ? (splits - 1 - line + height - 1) / height : 0;
    const A total = add_partials<Op>(Op::identity(), partials, first + line * width + i,
                                     height * width, others);
    if (line == 0) {
      values[i] = Op::combine(total, values[i]);
    } else {
      values[line * width + i] = total;
    }
  }
  platform::sync_block();
  static_assert(kRoom >= kBlockSize);
  fold_matrix<Op>(values, height, width, thread, kBlockSize);
  return true;
}

/// Stores the results of neighbouring folds of `count` elements, which are `stride` apart: together
/// where that is possible.
template <class Op, class Output, int kCount>
FOLDTUNE_DEVICE void store_neighbours(Output* output, int64 stride,
                                      const typename Op::Accumulator (&totals)[kCount],
                                      uint64 count) {
  constexpr int kMost = sizeof(Output) < 16 ? int{16 / sizeof(Output)} : 1;
  constexpr int kWidth = kCount < kMost ? kCount : kMost;
  using Vector = Pack<Output, kWidth>;
  if (kWidth > 1 && stride == 1 && reinterpret_cast<uint64>(output) % sizeof(Vector) == 0) {
    FOLDTUNE_UNROLL
    for (int i = 0; i < kCount; i += kWidth) {
      Vector results;
      FOLDTUNE_UNROLL
      for (int j = 0; j < kWidth; ++j) {
        results.elements[j] = result_of_one<Op, Output>(totals[i + j], count);
      }
      *reinterpret_cast<Vector*>(output + i) = results;
    }
    return;
  }
  FOLDTUNE_UNROLL
  for (int i = 0; i < kCount; ++i) {
    output[i * stride] = result_of_one<Op, Output>(totals[i], count);
  }
}

}  // namespace foldtune
