/// What one call of the family `segments` works on, as host and device see it.
#pragma once

namespace foldtune {

struct SegmentWork {
  unsigned long long segments;
  unsigned long long elements;  ///< of each input; no segment goes beyond
  unsigned tile_blocks;  ///< the first ones of the grid, to whose warps tiles are dealt in turn
  unsigned helpers;      ///< the rest of the grid, which takes what tiles leave
  unsigned long long long_elements;  ///< a segment of more is long: helpers fold it
  unsigned share_shift;     ///< elements are counted in shares of 2^share_shift, to know a crowd
  unsigned chunk_elements;  ///< of a long segment, that a helper takes at a time
  unsigned max_chunks;      ///< that tiles may leave, see SegmentQueue
};

/// The scratch: a header, then a word for each entry, a partial result for each chunk, and a count
/// for each entry. All but the partial results is zero between calls.
inline constexpr unsigned kSegmentHeaderBytes = 16;
inline constexpr unsigned kMaxSegmentChunks = 1u << 20;

/// Elements of a chunk at least, and chunks of a helper where they are more.
inline constexpr unsigned kLeastSegmentChunk = 4096;
inline constexpr unsigned kChunksOfHelper = 16;

}  // namespace foldtune
