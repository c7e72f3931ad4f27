/// The tunables of the family `axis`: one plain struct, the same on host and device, and the
/// template argument that makes a variant. docs/kernels.md has pictures of the methods.
#pragma once

namespace foldtune {

/// Which elements the threads of a block read.
enum class AxisMethod {
  rows,    ///< `group` threads side by side along each row
  staged,  ///< whole rows, or whole slabs of short columns, through shared memory
  strips,  ///< `width` threads side by side across columns, `group` of these one below the other
  lines,   ///< whole lines one after another: a thread's step is a number of lines
};

/// Of a call's addresses and strides.
enum class AxisLayout {
  vector,   ///< the innermost elements follow one another, and all lines begin at 16 bytes
  element,  ///< the innermost elements follow one another
  strided,  ///< any strides
};

/// How the method `rows` reads the rows of a result.
enum class ResultRows {
  one,      ///< there is no more than one
  in_turn,  ///< one after another
  joined,   ///< as if they were one
};

struct AxisParams {
  AxisMethod method = AxisMethod::rows;
  int block_size = 256;  ///< threads, a power of two from 32 to 1024
  int vector_width = 4;  ///< elements per load, a power of two up to 16 bytes; of `strips` columns
  int unroll = 4;        ///< loads in flight per thread and input, a power of two
  int group = 32;        ///< threads that share a result in a block, a power of two
  int width = 1;         ///< of `strips`, a power of two
  int splits = 1;        ///< blocks that share a result
  int waves = 0;         ///< grid in waves of resident blocks; 0: no limit
};

}  // namespace foldtune
