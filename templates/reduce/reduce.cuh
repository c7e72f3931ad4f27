/// The kernels of the family `reduce`.
#pragma once

#include "templates/operators.cuh"
#include "templates/reduce/block_stage.cuh"
#include "templates/reduce/final_stage.cuh"
#include "templates/reduce/load.cuh"
#include "templates/reduce/params.cuh"

namespace foldtune {

/// Folds `input[0, count)` of element type T in accumulators of type A into `*output`. `input` is
/// aligned to 16 bytes if `kAligned`, else to its element; `scratch` is as scratch.cuh says. Any
/// grid works for any count that the unsigned type Index holds with room for a grid of tiles.
template <class T, class A, class Op, class Index, bool kAligned, ReduceParams kParams>
FOLDTUNE_KERNEL(kParams.block_size)
reduce(const T* input, Index count, A* output, void* scratch) {
  using Fold = BlockFold<Op, A, kParams.block_size, kParams.block_stage>;
  FOLDTUNE_SHARED(FinalStorage<Fold>, storage);
  const A share = fold_share<T, A, Op, Index, kAligned, kParams>(input, count);
  const A total = Fold::fold(storage.fold, share);
  finish<Op, A, kParams, Fold>(storage, total, output, scratch);
}

/// Before `reduce` with the final stage `atomic`: the output to fold into.
template <class A, class Op>
FOLDTUNE_KERNEL(kWarpSize)
store_identity(A* output) {
  if (platform::thread_index() == 0) *output = Op::template identity<A>();
}

/// After `reduce` with the final stage `two_pass`: one block folds the `count` partials.
template <class A, class Op, ReduceParams kParams>
FOLDTUNE_KERNEL(kParams.block_size)
fold_blocks(void* scratch, uint32 count, A* output) {
  using Fold = BlockFold<Op, A, kParams.block_size, kParams.block_stage>;
  FOLDTUNE_SHARED(typename Fold::Storage, storage);
  const A share = fold_partials<Op, A, kParams.block_size>(Partials<A>(scratch), count);
  const A total = Fold::fold(storage, share);
  if (platform::thread_index() == 0) *output = total;
}

}  // namespace foldtune
