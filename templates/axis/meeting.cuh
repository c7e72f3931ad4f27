/// How the threads that share a result meet: in a group of a block, and across blocks.
#pragma once

#include "templates/axis/params.cuh"
#include "templates/fold/partials.cuh"
#include "templates/fold/redux.cuh"
#include "templates/fold/result.cuh"

namespace foldtune {

/// Folds the values of each `kGroup` threads that follow one another; the first of them has the
/// total. `Warp` folds a whole warp. Called by all threads of the block.
template <class Op, class Warp, int kBlockSize, int kGroup>
struct GroupFold {
  using A = typename Op::Accumulator;
  static constexpr uint32 kWarps = kBlockSize / kWarpSize;
  static constexpr uint32 kGroupWarps = kGroup > int{kWarpSize} ? kGroup / kWarpSize : 1;

  struct Storage {
    A values[kGroupWarps > 1 ? kWarps : 1];
  };

  /// The storage may be used again after a `sync_block`.
  static FOLDTUNE_DEVICE A fold(Storage& storage, A value) {
    if constexpr (kGroup < int{kWarpSize}) {
      FOLDTUNE_UNROLL
      for (uint32 delta = kGroup / 2; delta > 0; delta /= 2) {
        value = Op::combine(value, shuffle_down(value, delta));
      }
    } else {
      value = Warp::fold(value);
      if constexpr (kGroupWarps > 1) {
        const uint32 thread = platform::thread_index();
        const uint32 warp = thread / kWarpSize;
        const uint32 lane = thread % kWarpSize;
        if (lane == 0) storage.values[warp] = value;
        platform::sync_block();
        if (warp % kGroupWarps == 0) {
          value = lane < kGroupWarps ? storage.values[warp + lane] : Op::identity();
          value = Warp::fold(value);
        }
      }
    }
    return value;
  }
};

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

/// Waits for the partial result of a slot, and leaves the slot empty.
template <class A>
FOLDTUNE_DEVICE A take_partial(FlaggedPartials<A> partials, uint32 slot) {
  Words<A> words;
  while (!partials.try_get(slot, words)) platform::pause();
  partials.clear(slot);
  return words.value();
}

/// Called by all threads of all `splits` blocks that share a unit of `width` results, number `part`
/// of them, with its totals in `values`, which has room for `kRoom`. True in the last one, which
/// then has the totals of all. Blocks begin in the order of their index, so that no block which the
/// last one waits for is waiting for its place. Each block's slots follow those of the one before.
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
    A total = Op::identity();
    for (uint32 from = line; from < splits - 1; from += height) {
      total = Op::combine(total, take_partial(partials, first + from * width + i));
    }
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

/// The result of a fold of `count` elements, from its last partial result: of operators that find
/// an element its number along the axis, -1 where none counts.
template <class Op, class Output>
FOLDTUNE_DEVICE void store_along_axis(Output* output, const typename Op::Accumulator& total,
                                      uint64 count) {
  if constexpr (requires { typename Op::Value; }) {
    show_result(output, total.index == Op::kNowhere ? static_cast<Output>(-1)
                                                    : static_cast<Output>(total.index));
  } else {
    store_result<Op>(output, total, count);
  }
}

}  // namespace foldtune
