// The configuration of a reduction of segments that nobody tuned.
#include <algorithm>
#include <cstdint>

#include "templates/fold/many_folds.h"
#include "templates/hardware.h"
#include "templates/segments/space.h"

namespace foldtune {
namespace {

/// For segments whose mean length is less than so many bytes. Read off tunings of sums of `f32` on
/// an H200: what a group loads at a time is as much as a segment has, or twice that.
struct Row {
  std::uint64_t bytes;
  int block_size;
  int vector_bytes;
  int unroll;
  int group;
  int segments;
};
constexpr int kWidest = static_cast<int>(kMaxLoadBytes);
constexpr Row kRows[] = {
    {32, 256, kWidest / 4, 4, 1, 4}, {128, 128, kWidest, 8, 1, 2},
    {512, 256, kWidest, 8, 4, 2},    {2048, 256, kWidest, 8, 8, 1},
    {8192, 128, kWidest, 16, 16, 1}, {~0ull, 256, kWidest, 16, 32, 1},
};
/// Where most are empty: warps fold the others, one after another.
constexpr Row kOfMostlyEmpty{0, 256, kWidest, 4, 1, 2};

}  // namespace

SegmentParams default_segment_params(const SegmentReduction& reduction,
                                     int /*multiprocessor_count*/) {
  const std::uint64_t bytes = mean_elements(reduction) * element_bytes(reduction.segment);
  const bool is_mostly_empty = reduction.lengths == SegmentLengths::mostly_empty;
  const Row& row =
      is_mostly_empty ? kOfMostlyEmpty : *std::ranges::find_if(kRows, [&](const Row& candidate) {
        return bytes < candidate.bytes;
      });
  const int width = row.vector_bytes / static_cast<int>(widest_element_bytes(reduction.segment));
  SegmentParams params{.block_size = row.block_size,
                       .vector_width = std::max(1, width),
                       .unroll = row.unroll,
                       .group = row.group,
                       .segments = row.segments};
  while (params.segments > 1 && !is_valid(reduction, params)) params.segments /= 2;
  while (params.unroll > 1 && !is_valid(reduction, params)) params.unroll /= 2;
  return params;
}

}  // namespace foldtune
