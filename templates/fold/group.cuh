/// Folds by groups of threads, of which a grid has many.
#pragma once

#include "templates/fold/redux.cuh"
#include "templates/fold/result.cuh"

namespace foldtune {

/// Folds the values of each `kGroup` threads that follow one another; the first of them has the
/// total. `Warp` folds a whole warp. Called by all threads of the block.
template <class Op, class Warp, int kBlockSize, int kGroup>
struct GroupFold {
  using A = typename Op::Accumulator;
  static constexpr uint32 kThreads = kGroup;
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

/// The result of one of many folds, of `count` elements, from its last partial result: of operators
/// that find an element its number alone, -1 where none counts.
template <class Op, class Output>
FOLDTUNE_DEVICE Output result_of_one(const typename Op::Accumulator& total, uint64 count) {
  if constexpr (requires { typename Op::Value; }) {
    return total.index == Op::kNowhere ? static_cast<Output>(-1) : static_cast<Output>(total.index);
  } else {
    return result_of<Op, Output>(total, count);
  }
}

}  // namespace foldtune
