/// The tunables of the family `reduce`: one plain struct, the same on host and device, and the
/// template argument that makes a variant.
#pragma once

namespace foldtune {

/// Which vectors a thread loads at a time.
enum class TileLayout {
  contiguous,  ///< a tile is one stretch of the input
  split,       ///< `unroll` stretches, one from each of as many equal parts of the input
};

/// How the threads of a block meet.
enum class BlockStage {
  tree,          ///< halving tree in shared memory down to one thread
  tree_shuffle,  ///< the same down to one warp, then shuffles
  shuffle,       ///< shuffles in every warp, then over the warps' results
  redux,         ///< every warp at once, by instructions of its own, then the warps' results
};

/// How the blocks of a grid meet. A grid of one block writes its result and needs none of them.
enum class FinalStage {
  atomic,      ///< every block folds into the output atomically; a launch before sets the identity
  two_pass,    ///< a second launch folds the blocks' partials
  last_block,  ///< the block that takes the last ticket folds the partials
  polling,     ///< the last block of the grid waits for each partial's flag, and folds
  cluster,     ///< blocks of one cluster send their partials to the first; polling without clusters
  counted,     ///< blocks add integers to one word, which counts them, too; the last one reads it
};

/// Blocks of the grid at most with FinalStage::cluster: every device that has clusters runs so
/// many.
inline constexpr unsigned kMaxClusterBlocks = 8;

struct ReduceParams {
  int block_size = 256;  ///< threads, a power of two from 32 to 1024
  int vector_width = 4;  ///< elements per load, a power of two up to 16 bytes
  int unroll = 4;        ///< loads in flight per thread and input, a power of two
  TileLayout tile_layout = TileLayout::contiguous;
  BlockStage block_stage = BlockStage::shuffle;
  FinalStage final_stage = FinalStage::last_block;
  int waves = 0;  ///< grid in waves of resident blocks; 0: as many blocks as tiles
};

}  // namespace foldtune
