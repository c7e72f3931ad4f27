/// The first stage: every thread folds its share of the inputs, a run whose tiles are dealt to the
/// blocks in turn.
#pragma once

#include "templates/device/prefetch.cuh"
#include "templates/fold/run.cuh"
#include "templates/reduce/params.cuh"

namespace foldtune {

/// Loads and folds the elements that one kernel's threads share.
template <class Op, class Inputs, class Index, bool kAligned, ReduceParams kParams>
struct Share;

template <class Op, class T, class... Rest, class Index, bool kAligned, ReduceParams kParams>
struct Share<Op, TypeList<T, Rest...>, Index, kAligned, kParams> {
  using Elements = Run<TypeList<T, Rest...>, Index,
                       RunParams{.threads = kParams.block_size,
                                 .vector_width = kParams.vector_width,
                                 .unroll = kParams.unroll,
                                 .is_aligned = kAligned,
                                 .is_split = kParams.tile_layout == TileLayout::split}>;

  /// Brings this block's share of the inputs into the L2, of large ones a part. With
  /// TileLayout::split it is other blocks' vectors, which they find there as well.
  static FOLDTUNE_DEVICE void prefetch(const InputPointers<sizeof...(Rest) + 1>& inputs,
                                       Index count) {
    prefetch_tiles<Elements::kThreads, Elements::kTileRows * Elements::kWidth, T, Rest...>(
        inputs.pointers, count);
  }

  /// The fold of this thread's share of the first `count` elements; the identity if it has none.
  /// `kAligned` promises that every input is aligned to a vector.
  static FOLDTUNE_DEVICE typename Op::Accumulator fold(
      const InputPointers<sizeof...(Rest) + 1>& inputs, Index count) {
    return fold_walk<Op>(Walk{
        {.inputs = inputs.pointers,
         .start = 0,
         .count = count,
         .place = {platform::thread_index(), platform::block_index(), platform::grid_size()}}});
  }

 private:
  struct Walk {
    Elements elements;

    template <class F>
    FOLDTUNE_DEVICE typename F::Accumulator fold() const {
      return elements.template add_to<F>(F::identity(), 0);
    }
    template <class F>
    FOLDTUNE_DEVICE typename F::Accumulator fold_each() const {
      return elements.template add_each_to<F>(F::identity(), 0);
    }
  };
};

}  // namespace foldtune
