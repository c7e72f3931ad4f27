#include "templates/segments/space.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "templates/fold/many_folds.h"
#include "templates/fold/operators.h"
#include "templates/hardware.h"
#include "templates/struct_tunables.h"

namespace foldtune {
namespace {

constexpr std::array kMethods{0, 1};
constexpr std::array<std::string_view, 2> kMethodNames{"staged", "direct"};
constexpr std::array kBlockSizes{32, 64, 128, 256, 512, 1024};
constexpr std::array kVectorWidths{1, 2, 4, 8, 16};
constexpr std::array kUnrolls{1, 2, 4, 8, 16};
constexpr std::array kGroups{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};

constexpr StructTunables kTunables{std::array{
    enum_tunable<&SegmentParams::method>("method", "foldtune::SegmentMethod", kMethodNames,
                                         kMethods, kMethods),
    integer_tunable<&SegmentParams::block_size>("block_size", kBlockSizes),
    integer_tunable<&SegmentParams::vector_width>("vector_width", kVectorWidths),
    integer_tunable<&SegmentParams::unroll>("unroll", kUnrolls),
    integer_tunable<&SegmentParams::group>("group", kGroups),
}};

/// Registers that loads in flight may take per thread, in bytes: half of what there is. What is
/// copied to shared memory takes none.
constexpr std::size_t kMaxBytesInFlight = 512;

/// The static shared memory of a block, but for what its parts meet in.
constexpr std::size_t kMaxSharedBytes = 44 << 10;

constexpr int kWarp = 32;

std::size_t shared_bytes(const SegmentReduction& reduction, const SegmentParams& params) {
  const bool is_wide = has_wide_numbers(reduction);
  const std::size_t number = is_wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
  std::size_t bytes = 2 * number * static_cast<std::size_t>(max_tile_segments(params));
  if (params.method == SegmentMethod::staged) {
    bytes += static_cast<std::size_t>(staged_segment_elements(params) + kWindowBeyond) *
             element_bytes(reduction.segment);
  }
  const std::size_t warps = static_cast<std::size_t>(params.block_size) / kWarp;
  return bytes + 2 * warps * accumulator_bytes(reduction.segment, is_wide);
}

}  // namespace

std::span<const Tunable> segment_tunables() { return kTunables.tunables(); }

Config to_config(const SegmentParams& params) {
  return kTunables.to_config(segments_family(), params);
}

SegmentParams segment_params(const Config& config) {
  if (&config.family() != &segments_family()) {
    throw std::logic_error("a configuration of another family where one of `segments` belongs");
  }
  return kTunables.to_struct(config);
}

bool has_wide_numbers(const SegmentReduction& reduction) {
  const Shape shape{{reduction.segments, reduction.elements}};
  const Family& family = segments_family();
  return takes_64_bits(family.max_shape(family.bucket(shape))[segment_extent::elements]);
}

std::uint64_t mean_elements(const SegmentReduction& reduction) {
  return std::max<std::uint64_t>(
      1, reduction.elements / std::max<std::uint64_t>(1, reduction.segments));
}

bool is_valid(const SegmentReduction& reduction, const SegmentParams& params) {
  const auto width = static_cast<std::size_t>(params.vector_width);
  const auto unroll = static_cast<std::size_t>(params.unroll);
  const std::size_t in_flight = width * unroll * element_bytes(reduction.segment);
  if (width * widest_element_bytes(reduction.segment) > kMaxLoadBytes ||
      in_flight > kMaxBytesInFlight) {
    return false;
  }
  const int most_group = params.method == SegmentMethod::staged ? kWarp : params.block_size;
  return params.group <= most_group && params.vector_width <= params.block_size &&
         shared_bytes(reduction, params) <= kMaxSharedBytes;
}

/// Groups that are far too large or too small for most segments.
bool is_searched(const SegmentReduction& reduction, const SegmentParams& params) {
  constexpr std::uint64_t kShort = 16;
  const std::uint64_t mean = mean_elements(reduction);
  const auto group = static_cast<std::uint64_t>(params.group);
  if (params.method == SegmentMethod::direct) {
    return mean >= kShort && group <= std::max<std::uint64_t>(mean, kWarp) &&
           params.group >= kWarp / 4 && params.unroll <= 8;
  }
  return group <= 2 * mean && params.block_size <= 256 &&
         mean <= static_cast<std::uint64_t>(staged_segment_elements(params)) / 2;
}

}  // namespace foldtune
