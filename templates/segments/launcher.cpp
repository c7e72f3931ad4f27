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

/// Blocks that have tiles, at most: each is counted in the queue's header.
constexpr std::uint64_t kMaxTileBlocks = std::uint64_t{1} << 20;

/// Of what a tile may hold, what it holds of segments of the mean length: most tiles fit then.
constexpr double kFilled = 0.8;

constexpr std::uint64_t kLeastChunk = kLeastSegmentChunk;

/// Chunks that there is room for, for each of so many elements: a part of a crowded tile may be a
/// small one.
constexpr std::uint64_t kRoom = 12;

/// Of a chunk.
constexpr unsigned kMaxShares = 1 << 16;

std::uint64_t divide_up(std::uint64_t value, std::uint64_t divisor) {
  return (value + divisor - 1) / divisor;
}

}  // namespace

SegmentLauncher::SegmentLauncher(const SegmentReduction& reduction, const SegmentParams& params,
                                 int resident_blocks)
    : params_(params),
      inputs_(reduction.segment.input_types().size()),
      slot_bytes_(accumulator_bytes(reduction.segment, has_wide_numbers(reduction))),
      most_helpers_(static_cast<std::uint64_t>(std::max(1, resident_blocks))) {
  // The same for all shapes of the bucket, whose calls share the scratch.
  const Family& family = segments_family();
  const Shape most = family.max_shape(family.bucket({{reduction.segments, reduction.elements}}));
  const std::uint64_t chunks = std::min(divide_up(most[segment_extent::elements], kLeastChunk),
                                        most_helpers_ * kChunksOfHelper);
  max_chunks_ =
      static_cast<unsigned>(std::min<std::uint64_t>(kMaxSegmentChunks - 1, kRoom * chunks));
}

SegmentWork SegmentLauncher::work(const Shape& shape) const {
  const std::uint64_t segments = shape[segment_extent::segments];
  const std::uint64_t elements = shape[segment_extent::elements];
  SegmentWork work{};
  work.segments = segments;
  work.elements = elements;
  auto tile = static_cast<std::uint64_t>(max_tile_segments(params_));
  if (params_.method == SegmentMethod::staged) {
    const double filled = static_cast<double>(staged_segment_elements(params_)) * kFilled;
    const double mean =
        static_cast<double>(elements) / static_cast<double>(std::max<std::uint64_t>(1, segments));
    if (filled < mean * static_cast<double>(tile)) {
      tile = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(filled / mean));
    }
  }
  work.tile_segments = static_cast<unsigned>(tile);
  work.tiles = divide_up(segments, tile);
  work.tile_blocks =
      static_cast<unsigned>(std::clamp<std::uint64_t>(work.tiles, 1, kMaxTileBlocks));
  const std::uint64_t chunk =
      std::max(kLeastChunk, divide_up(elements, most_helpers_ * kChunksOfHelper));
  work.chunk_elements = static_cast<unsigned>(std::min<std::uint64_t>(chunk, UINT32_MAX / 2));
  // So that those of a tile, of less than two chunks each, do not overflow.
  while (work.chunk_elements >> work.share_shift >= kMaxShares) ++work.share_shift;
  // A segment of all elements is not long, then.
  if (segments == 0 || elements <= 2 * kLeastChunk) return work;
  work.helpers =
      static_cast<unsigned>(std::min(most_helpers_, divide_up(elements, work.chunk_elements)));
  work.max_chunks = max_chunks_;
  return work;
}

std::size_t SegmentLauncher::scratch_bytes(const Shape& shape) const {
  if (work(shape).helpers == 0) return 0;
  return kSegmentHeaderBytes + max_chunks_ * slot_bytes_ +
         (max_chunks_ + std::size_t{1}) * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
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
