/// Block stages made of parts of the CUDA Toolkit. For CUDA's compilers alone, which find its
/// headers; included after reduce.cuh.
#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cub/block/block_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>

#include "templates/reduce/block_stage.cuh"

namespace foldtune {

/// Op::combine as a function object. Of two arguments, since cg::reduce takes a template of one for
/// an operation on its argument.
template <class Op, class A>
struct Combine {
  FOLDTUNE_DEVICE A operator()(const A& a, const A& b) const { return Op::combine(a, b); }
};

/// Folds a warp with cg::reduce. The library takes the warp's own instructions where it knows the
/// operation by its name.
template <class Op>
struct GroupWarp {
  using A = typename Op::Accumulator;
  static constexpr bool kIsWord = kIsSame<A, int32> || kIsSame<A, uint32>;

  static FOLDTUNE_DEVICE A fold(A value) {
    namespace cg = cooperative_groups;
    const auto warp = cg::tiled_partition<kWarpSize>(cg::this_thread_block());
    if constexpr (kIsWord && Op::kInstruction == Instruction::add) {
      return static_cast<A>(cg::reduce(warp, static_cast<uint32>(value), cg::plus<uint32>()));
    } else if constexpr (kIsWord && Op::kInstruction == Instruction::min) {
      return cg::reduce(warp, value, cg::less<A>());
    } else if constexpr (kIsWord && Op::kInstruction == Instruction::max) {
      return cg::reduce(warp, value, cg::greater<A>());
    } else {
      return cg::reduce(warp, value, Combine<Op, A>());
    }
  }
};

template <class Op, int kBlockSize>
struct BlockFold<Op, kBlockSize, BlockStage::cooperative_groups>
    : WarpsFold<Op, kBlockSize, GroupWarp<Op>> {};

template <class Op, int kBlockSize>
struct BlockFold<Op, kBlockSize, BlockStage::tree_cooperative_groups>
    : TreeFold<Op, kBlockSize, kWarpSize> {
  using A = typename Op::Accumulator;
  using Tree = TreeFold<Op, kBlockSize, kWarpSize>;

  static FOLDTUNE_DEVICE A fold(typename Tree::Storage& storage, A value) {
    value = Tree::fold(storage, value);
    return platform::thread_index() < kWarpSize ? GroupWarp<Op>::fold(value) : value;
  }
};

template <class Op, int kBlockSize>
struct BlockFold<Op, kBlockSize, BlockStage::cub_block> {
  using A = typename Op::Accumulator;
  using Reduce = cub::BlockReduce<A, kBlockSize>;
  using Storage = typename Reduce::TempStorage;

  static FOLDTUNE_DEVICE A fold(Storage& storage, A value) {
    return Reduce(storage).Reduce(value, Combine<Op, A>());
  }
};

template <class Op, int kBlockSize>
struct BlockFold<Op, kBlockSize, BlockStage::cub_warp> {
  using A = typename Op::Accumulator;
  using Reduce = cub::WarpReduce<A>;
  static constexpr uint32 kWarps = kBlockSize / kWarpSize;

  struct Storage {
    typename Reduce::TempStorage warps[kWarps];
    A values[kWarps];
  };

  static FOLDTUNE_DEVICE A fold(Storage& storage, A value) {
    const uint32 thread = platform::thread_index();
    const uint32 warp = thread / kWarpSize;
    value = Reduce(storage.warps[warp]).Reduce(value, Combine<Op, A>());
    if constexpr (kWarps > 1) {
      if (thread % kWarpSize == 0) storage.values[warp] = value;
      platform::sync_block();
      if (warp == 0) {
        value = thread < kWarps ? storage.values[thread] : Op::identity();
        value = Reduce(storage.warps[0]).Reduce(value, Combine<Op, A>());
      }
    }
    return value;
  }
};

}  // namespace foldtune
