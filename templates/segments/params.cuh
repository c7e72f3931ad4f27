/// The tunables of the family `segments`, as host and device see them.
#pragma once

#include "templates/device/constexpr.cuh"

namespace foldtune {

struct SegmentParams {
  int block_size = 128;
  int vector_width = 4;  ///< elements per load
  int unroll = 2;        ///< loads of a segment in flight per thread and input
  int group = 4;         ///< threads that fold a segment together, a warp at most
  int segments = 2;      ///< that a group loads together
};

/// Segments of a tile, which a warp folds.
FOLDTUNE_CONSTEXPR int tile_segments(const SegmentParams& params) {
  constexpr int kWarp = 32;
  return kWarp / params.group * params.segments;
}

/// Elements of a segment up to which a group folds it.
FOLDTUNE_CONSTEXPR int max_group_elements(const SegmentParams& params) {
  constexpr int kTurns = 8;
  return params.group * params.vector_width * params.unroll * kTurns;
}

/// Elements of a segment up to which a warp folds it, where a group does not. What is longer is
/// left to the helpers.
FOLDTUNE_CONSTEXPR int max_warp_elements(const SegmentParams& params) {
  constexpr int kLeast = 2048;
  const int of_group = max_group_elements(params);
  return of_group > kLeast ? of_group : kLeast;
}

}  // namespace foldtune
