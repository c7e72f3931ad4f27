/// The tunables of the family `histogram`: one plain struct, the same on host and device, and the
/// template argument that makes a variant.
#pragma once

namespace foldtune {

/// Where threads count before the counts are added up.
enum class BinPrivacy {
  global,  ///< in the output itself
  block,   ///< in shared memory, `copies` of the bins per block
  warp,    ///< in shared memory, the bins of each warp apart
};

struct HistogramParams {
  int block_size = 256;  ///< threads, a power of two from 32 to 1024
  int vector_width = 4;  ///< elements per load, a power of two up to 16 bytes
  int unroll = 4;        ///< loads in flight per thread, a power of two
  BinPrivacy privacy = BinPrivacy::block;
  int copies = 1;                     ///< of the bins per block, a power of two
  int blocks_per_multiprocessor = 2;  ///< of the grid
};

}  // namespace foldtune
