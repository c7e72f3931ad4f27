/// The tunables of the family `segments`, as host and device see them.
#pragma once

#include "templates/device/constexpr.cuh"

namespace foldtune {

/// How the segments of a tile are read, but for long ones.
enum class SegmentMethod {
  staged,  ///< what they lie in is copied into shared memory, and folded there
  direct,  ///< a group of threads reads each from memory
};

struct SegmentParams {
  SegmentMethod method = SegmentMethod::staged;
  int block_size = 256;
  int vector_width = 4;  ///< elements per load
  int unroll = 4;        ///< loads in flight per thread and input
  int group = 4;         ///< threads that fold a segment together
};

/// Segments of a tile, at most.
inline constexpr int kMaxTileSegments = 1024;

/// Elements after those that are copied, for which there is room in shared memory.
inline constexpr int kWindowBeyond = 128;

/// Elements of each input that a block of `staged` copies at a time.
FOLDTUNE_CONSTEXPR int staged_segment_elements(const SegmentParams& params) {
  return params.block_size * params.vector_width * params.unroll;
}

/// Segments that a tile has at most: with `direct` as many as the block has groups.
FOLDTUNE_CONSTEXPR int max_tile_segments(const SegmentParams& params) {
  if (params.method == SegmentMethod::direct) return params.block_size / params.group;
  constexpr int kMean = 4;  // elements of a segment; shorter ones leave room
  const int segments = staged_segment_elements(params) / kMean;
  return segments < 1 ? 1 : segments < kMaxTileSegments ? segments : kMaxTileSegments;
}

/// Elements of a segment up to which a group folds it.
FOLDTUNE_CONSTEXPR int max_group_elements(const SegmentParams& params) {
  constexpr int kStagedTurns = 16;
  constexpr int kDirectTiles = 8;
  if (params.method == SegmentMethod::staged) return params.group * kStagedTurns;
  return params.group * params.vector_width * params.unroll * kDirectTiles;
}

/// Elements of a segment up to which a warp folds it, where a group is less; the whole block folds
/// what is longer.
FOLDTUNE_CONSTEXPR int max_warp_elements(const SegmentParams& params) {
  constexpr int kWarp = 32;
  constexpr int kTurns = 64;
  const int of_group = max_group_elements(params);
  if (params.method == SegmentMethod::direct) return of_group;
  return of_group > kWarp * kTurns ? of_group : kWarp * kTurns;
}

}  // namespace foldtune
