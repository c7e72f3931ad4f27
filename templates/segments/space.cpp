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

constexpr std::array kBlockSizes{32, 64, 128, 256, 512, 1024};
constexpr std::array kVectorWidths{1, 2, 4, 8, 16};
constexpr std::array kUnrolls{1, 2, 4, 8, 16};
constexpr std::array kGroups{1, 2, 4, 8, 16, 32};
constexpr std::array kSegments{1, 2, 4};

constexpr StructTunables kTunables{std::array{
    integer_tunable<&SegmentParams::block_size>("block_size", kBlockSizes),
    integer_tunable<&SegmentParams::vector_width>("vector_width", kVectorWidths),
    integer_tunable<&SegmentParams::unroll>("unroll", kUnrolls),
    integer_tunable<&SegmentParams::group>("group", kGroups),
    integer_tunable<&SegmentParams::segments>("segments", kSegments),
}};

/// Registers that loads in flight may take per thread, in bytes.
constexpr std::size_t kMaxBytesInFlight = 256;

constexpr std::uint64_t kWarp = 32;
/// Elements that a group loads at a time, a 16th of which is enough for segments of any length.
constexpr std::uint64_t kEnough = 2048;

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
  const auto loads =
      static_cast<std::size_t>(params.unroll) * static_cast<std::size_t>(params.segments);
  return width * widest_element_bytes(reduction.segment) <= kMaxLoadBytes &&
         width * loads * element_bytes(reduction.segment) <= kMaxBytesInFlight;
}

/// Groups that load far more or far less at a time than most segments have, and blocks that are
/// larger than warps which wait for nobody need.
bool is_searched(const SegmentReduction& reduction, const SegmentParams& params) {
  const std::uint64_t mean = mean_elements(reduction);
  const auto threads = static_cast<std::uint64_t>(params.group);
  const std::uint64_t loaded = threads * static_cast<std::uint64_t>(params.vector_width) *
                               static_cast<std::uint64_t>(params.unroll);
  return params.block_size >= 64 && params.block_size <= 256 && threads <= 2 * mean &&
         (loaded <= 8 * mean || loaded <= kWarp) && loaded * 16 >= std::min(mean, kEnough);
}

}  // namespace foldtune
