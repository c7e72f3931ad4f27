/// The tunables of the family `reduce`: one plain struct, the same on host and device, and the
/// template argument that makes a variant.
#pragma once

namespace foldtune {

/// How the threads of a block meet.
enum class BlockStage {
  tree,          ///< halving tree in shared memory down to one thread
  tree_shuffle,  ///< the same down to one warp, then shuffles
  shuffle,       ///< shuffles in every warp, then over the warps' results
};

/// How the blocks of a grid meet. A grid of one block writes its result and needs none of them.
enum class FinalStage {
  atomic,      ///< every block folds into the output atomically; a launch before sets the identity
  two_pass,    ///< a second launch folds the blocks' partials
  last_block,  ///< the block that takes the last ticket folds the partials
  polling,     ///< the last block of the grid waits for each partial's flag, and folds
};

struct ReduceParams {
  int block_size = 256;  ///< threads, a power of two from 32 to 1024
  int vector_width = 4;  ///< elements per load, a power of two up to 16 bytes
  int unroll = 4;        ///< loads in flight per thread, a power of two
  BlockStage block_stage = BlockStage::shuffle;
  FinalStage final_stage = FinalStage::last_block;
  int waves = 0;  ///< grid in waves of resident blocks; 0: as many blocks as tiles
};

}  // namespace foldtune
