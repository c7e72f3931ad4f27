#include "templates/segments/launcher.h"

#include <algorithm>

#include "templates/fold/operators.h"
#include "templates/segments/space.h"

namespace foldtune {
namespace {

// The arguments of a call. The inputs follow one another, as the kernel takes them; after them come
// the offsets.
constexpr std::size_t kOutput = 0;
constexpr std::size_t kInputs = 1;

constexpr std::uint64_t kLeastChunk = kLeastSegmentChunk;

/// Places for each chunk of elements: a long segment may be an eighth of one, and a part of a
/// crowded tile as small.
constexpr std::uint64_t kRoom = 12;

/// Of a chunk.
constexpr unsigned kMaxShares = 1 << 16;

/// Elements.
std::uint64_t block_loads(const SegmentParams& params) {
  return static_cast<std::uint64_t>(params.block_size) *
         static_cast<std::uint64_t>(params.vector_width) *
         static_cast<std::uint64_t>(params.unroll);
}

std::uint64_t divide_up(std::uint64_t value, std::uint64_t divisor) {
  return (value + divisor - 1) / divisor;
}

}  // namespace

SegmentLauncher::SegmentLauncher(const SegmentReduction& reduction, const SegmentParams& params,
                                 int resident_blocks)
    : params_(params),
      inputs_(reduction.segment.input_types().size()),
      are_equal_(reduction.lengths == SegmentLengths::equal),
      slot_bytes_(accumulator_bytes(reduction.segment, has_wide_numbers(reduction))),
      most_blocks_(static_cast<std::uint64_t>(std::max(1, resident_blocks))) {
  // The same for all shapes of the bucket, whose calls share the scratch.
  const Family& family = segments_family();
  const Shape most = family.max_shape(family.bucket({{reduction.segments, reduction.elements}}));
  const std::uint64_t chunks = std::min(divide_up(most[segment_extent::elements], kLeastChunk),
                                        most_blocks_ * kChunksOfHelper);
  max_chunks_ = static_cast<unsigned>(std::min<std::uint64_t>(kMaxSegmentChunks, kRoom * chunks));
}

SegmentWork SegmentLauncher::work(const Shape& shape) const {
  const std::uint64_t segments = shape[segment_extent::segments];
  const std::uint64_t elements = shape[segment_extent::elements];
  SegmentWork work{};
  work.segments = segments;
  work.elements = elements;
  constexpr std::uint64_t kWarp = 32;
  const std::uint64_t warps = block_size() / kWarp;
  // As many blocks as the device holds: a warp waits for the offsets of its first tile alone.
  work.tile_blocks = static_cast<unsigned>(std::clamp<std::uint64_t>(
      divide_up(segments, warps * static_cast<unsigned>(tile_segments(params_))), 1, most_blocks_));
  // Twice what a block loads at a time, if all helpers have some then.
  const std::uint64_t chunk =
      std::max({kLeastChunk, divide_up(elements, most_blocks_ * kChunksOfHelper),
                std::min(2 * block_loads(params_), divide_up(elements, most_blocks_))});
  work.chunk_elements = static_cast<unsigned>(std::min<std::uint64_t>(chunk, UINT32_MAX / 2));
  // What one of the warps that the device holds may take, unless segments are so short that it
  // matters: four times its share of all elements, or segments of four times the mean length. Not
  // much less than a chunk, so that there is room for the chunks of all segments.
  constexpr std::uint64_t kShares = 4;
  constexpr std::uint64_t kLeastOfChunk = 8;
  const std::uint64_t share = elements / (most_blocks_ * warps);
  const std::uint64_t mean = elements / std::max<std::uint64_t>(1, segments);
  work.long_elements =
      std::max({static_cast<std::uint64_t>(max_warp_elements(params_)),
                std::min(elements, kShares * std::min(share, mean)), chunk / kLeastOfChunk});
  // So that those of a tile do not overflow: of segments that are not long, none has more than 64
  // chunks.
  while (work.chunk_elements >> work.share_shift >= kMaxShares) ++work.share_shift;
  // A segment of all elements is not long, then, or none is as long as is said.
  if (segments == 0 || elements <= 2 * kLeastChunk) return work;
  if (are_equal_ && mean <= work.long_elements) return work;
  work.helpers =
      static_cast<unsigned>(std::min(most_blocks_, divide_up(elements, work.chunk_elements)));
  work.max_chunks = max_chunks_;
  return work;
}

std::size_t SegmentLauncher::scratch_bytes(const Shape& shape) const {
  if (shape[segment_extent::elements] <= 2 * kLeastChunk) return 0;
  return kSegmentHeaderBytes + max_chunks_ * slot_bytes_ +
         max_chunks_ * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
}

void SegmentLauncher::fill(const Call& call, void* scratch, Launches& launches) const {
  const SegmentWork work = this->work(call.shape);
  Launch& launch = launches.add(0, {work.tile_blocks + work.helpers}, {block_size()});
  launch.overlaps_previous = true;
  launch.pass(Launches::address(call.arguments[kInputs]),
              Launches::address(call.arguments[kInputs + inputs_]),
              Launches::address(call.arguments[kInputs + inputs_ + 1]), launches.keep(work),
              Launches::address(call.arguments[kOutput]), launches.keep(scratch),
              Launches::address(call.inputs_ready));
}

}  // namespace foldtune
