// The configuration of a reduction of segments that nobody tuned.
#include <algorithm>
#include <bit>

#include "templates/fold/many_folds.h"
#include "templates/hardware.h"
#include "templates/segments/space.h"

namespace foldtune {

SegmentParams default_segment_params(const SegmentReduction& reduction,
                                     int /*multiprocessor_count*/) {
  constexpr std::uint64_t kStagedBytes = 400;  // of a segment, up to which they are staged
  constexpr std::uint64_t kStagedShare = 8;    // elements of a segment that a thread folds then
  constexpr std::uint64_t kDirectShare = 64;   // the same of one that is read from memory
  constexpr std::uint64_t kLong = 4096;        // elements
  constexpr std::uint64_t kWarp = 32;
  const std::uint64_t mean = mean_elements(reduction);
  const auto group_of = [&](std::uint64_t share, std::uint64_t least) {
    return static_cast<int>(std::bit_ceil(std::clamp(mean / share, least, kWarp)));
  };
  const auto make = [&](SegmentMethod method, int block_size, int unroll, int group) {
    SegmentParams params{
        .method = method,
        .block_size = block_size,
        .vector_width = static_cast<int>(kMaxLoadBytes / widest_element_bytes(reduction.segment)),
        .unroll = unroll,
        .group = group};
    while (params.unroll > 1 && !is_valid(reduction, params)) params.unroll /= 2;
    return params;
  };
  const SegmentParams staged = make(SegmentMethod::staged, 128, 8, group_of(kStagedShare, 1));
  if (mean * element_bytes(reduction.segment) <= kStagedBytes && is_valid(reduction, staged)) {
    return staged;
  }
  const int group = group_of(kDirectShare, 8);
  return mean < kLong ? make(SegmentMethod::direct, 128, 8, group)
                      : make(SegmentMethod::direct, 512, 4, group);
}

}  // namespace foldtune
