/// The kernels of the family `reduce`.
#pragma once

#include "templates/device/operator.cuh"
#include "templates/reduce/block_stage.cuh"
#include "templates/reduce/final_stage.cuh"
#include "templates/reduce/params.cuh"
#include "templates/reduce/share.cuh"

namespace foldtune {

/// Folds the first `count` elements of the inputs with the operator Op (operator.cuh) into
/// `*output`, a number of type Output or what Op::finish gives. The inputs are aligned to 16 bytes
/// if `kAligned`, else to their elements; `scratch` is as scratch.cuh says. Any grid works for any
/// count that the unsigned type Index holds with room for a grid of tiles; with FinalStage::cluster
/// it is one cluster of at most kMaxClusterBlocks blocks. `inputs_ready` promises
/// that no grid that may still be running writes the inputs: they are loaded while it runs.
template <class Op, class Output, class Index, bool kAligned, ReduceParams kParams>
FOLDTUNE_KERNEL(kParams.block_size)
reduce(InputPointers<Op::Inputs::kSize> inputs, Index count, Output* output, void* scratch,
       bool inputs_ready) {
  platform::let_next_grid_begin();
  using Fold = BlockFold<Op, kParams.block_size, kParams.block_stage>;
  using Storage = FinalStorage<Fold, kInCluster<kParams>>;
  FOLDTUNE_SHARED(Storage, storage);
  if constexpr (kInCluster<kParams>) {
    if (platform::grid_size() > 1) storage.mailbox.open(platform::grid_size() - 1);
  }
  using Elements = Share<Op, typename Op::Inputs, Index, kAligned, kParams>;
  if (!inputs_ready) {
    Elements::prefetch(inputs, count);
    platform::await_previous_grid();
  }
  const auto share = Elements::fold(inputs, count);
  const auto total = Fold::fold(storage.fold, share);
  if (inputs_ready) platform::await_previous_grid();
  finish<Op, kParams, Fold>(storage, total, count, output, scratch);
}

/// Before `reduce` with the final stage `atomic`: the output to fold into.
template <class Op, class Output>
FOLDTUNE_KERNEL(kWarpSize)
store_identity(Output* output) {
  platform::let_next_grid_begin();
  platform::await_previous_grid();
  if (platform::thread_index() == 0) store_result<Op>(output, Op::identity(), 0);
}

/// After `reduce` with the final stage `two_pass`: one block folds the partials of `blocks` blocks.
template <class Op, class Output, ReduceParams kParams>
FOLDTUNE_KERNEL(kParams.block_size)
fold_blocks(void* scratch, uint32 blocks, uint64 count, Output* output) {
  using A = typename Op::Accumulator;
  using Fold = BlockFold<Op, kParams.block_size, kParams.block_stage>;
  FOLDTUNE_SHARED(typename Fold::Storage, storage);
  platform::let_next_grid_begin();
  platform::await_previous_grid();
  const A share = fold_partials<Op, kParams.block_size>(Partials<A>(slots_of(scratch)), blocks);
  const A total = Fold::fold(storage, share);
  if (platform::thread_index() == 0) store_result<Op>(output, total, count);
}

}  // namespace foldtune
