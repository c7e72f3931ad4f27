/// The tunables of the family `histogram`: one plain struct, the same on host and device, and the
/// template argument that makes a variant.
#pragma once

namespace foldtune {

/// Where threads count before the counts of the grid are added up.
enum class BinPrivacy {
  global,  ///< nowhere: every count goes to global memory at once
  block,   ///< in shared memory, `copies` of the bins per block
  warp,    ///< in shared memory, the bins of each warp apart
};

/// How a thread counts elements that follow one another.
enum class BinAggregation {
  none,  ///< one at a time
  runs,  ///< those that fall into the same bin are counted together
};

/// How the blocks' counts become the output. A grid of one block writes what it counted and needs
/// neither, unless it counted in global memory.
enum class HistogramFinal {
  last_block,  ///< blocks add to totals in the scratch; the last one moves them to the output
  zero_first,  ///< blocks add to the output; a launch before them sets it to zero
  polling,     ///< blocks add to totals in the scratch; one waits for all and moves them
};

struct HistogramParams {
  int block_size = 256;  ///< threads, a power of two from 32 to 1024
  int vector_width = 4;  ///< elements per load, a power of two up to 16 bytes
  int unroll = 4;        ///< loads in flight per thread, a power of two
  BinPrivacy privacy = BinPrivacy::block;
  int copies = 1;  ///< of the bins per block, a power of two; 1 unless the privacy is `block`
  BinAggregation aggregation = BinAggregation::none;
  HistogramFinal finish = HistogramFinal::last_block;
  int blocks_per_multiprocessor = 2;  ///< of the grid, as far as there are tiles
};

}  // namespace foldtune
