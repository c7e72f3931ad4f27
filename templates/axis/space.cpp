#include "templates/axis/space.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "templates/fold/operators.h"
#include "templates/hardware.h"
#include "templates/struct_tunables.h"

namespace foldtune {
namespace {

constexpr std::array kMethods{0, 1, 2, 3};
constexpr std::array<std::string_view, 4> kMethodNames{"rows", "staged", "strips", "lines"};
constexpr std::array kBlockSizes{32, 64, 128, 256, 512, 1024};
constexpr std::array kVectorWidths{1, 2, 4, 8, 16};
constexpr std::array kUnrolls{1, 2, 4, 8, 16};
constexpr std::array kGroups{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
constexpr std::array kWidths{1, 8, 16, 32, 64, 128, 256};
constexpr std::array kSplits{1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
constexpr std::array kWaves{0, 1, 2, 4};

constexpr StructTunables kTunables{std::array{
    enum_tunable<&AxisParams::method>("method", "foldtune::AxisMethod", kMethodNames, kMethods,
                                      kMethods),
    integer_tunable<&AxisParams::block_size>("block_size", kBlockSizes),
    integer_tunable<&AxisParams::vector_width>("vector_width", kVectorWidths),
    integer_tunable<&AxisParams::unroll>("unroll", kUnrolls),
    integer_tunable<&AxisParams::group>("group", kGroups),
    integer_tunable<&AxisParams::width>("width", kWidths),
    integer_tunable<&AxisParams::splits>("splits", kSplits),
    integer_tunable<&AxisParams::waves>("waves", kWaves),
}};

/// Registers that loads in flight may take per thread, in bytes: half of what there is.
constexpr std::size_t kMaxBytesInFlight = 512;

/// The static shared memory of a block.
constexpr std::size_t kMaxSharedBytes = 48 << 10;

constexpr int kWarp = 32;

/// The largest shape with which a plan may be called.
Shape largest(const Shape& shape) { return axis_family().max_shape(axis_family().bucket(shape)); }

/// Bytes of the partial results of columns that meet in a block.
std::size_t meeting_bytes(const AxisReduction& reduction, const AxisParams& params) {
  return static_cast<std::size_t>(params.block_size) * params.vector_width *
         accumulator_bytes(reduction.row, has_wide_numbers(reduction.shape));
}

/// What a method asks for besides.
bool suits_method(const AxisReduction& reduction, const AxisParams& params) {
  const Shape most = largest(reduction.shape);
  const bool is_strided = reduction.alignment == AxisAlignment::strided;
  const bool meets_in_full = meeting_bytes(reduction, params) <= kMaxSharedBytes;
  switch (params.method) {
    case AxisMethod::rows:
      return has_rows(reduction.shape) && (!is_strided || params.vector_width == 1);
    case AxisMethod::staged: {
      const std::uint64_t unit = has_rows(reduction.shape) ? most[3] : row_count(most) * most[2];
      return is_dense(reduction.alignment) && params.group <= kWarp &&
             !(has_rows(reduction.shape) && most[1] > 1) && unit <= staged_capacity(params) &&
             staged_capacity(params) * element_bytes(reduction.row) + kMaxLoadBytes <=
                 kMaxSharedBytes;
    }
    case AxisMethod::strips:
      return !has_rows(reduction.shape) && meets_in_full;
    case AxisMethod::lines: {
      // Of lines that end at 16 bytes, vectors do not go on in the next one.
      const std::uint64_t most_columns =
          static_cast<std::uint64_t>(params.block_size) *
          (reduction.alignment == AxisAlignment::vector ? params.vector_width : 1);
      return !has_rows(reduction.shape) && is_dense(reduction.alignment) && meets_in_full &&
             most[2] <= most_columns;
    }
  }
  return false;
}

}  // namespace

std::span<const Tunable> axis_tunables() { return kTunables.tunables(); }

Config to_config(const AxisParams& params) { return kTunables.to_config(axis_family(), params); }

AxisParams axis_params(const Config& config) {
  if (&config.family() != &axis_family()) {
    throw std::logic_error("a configuration of another family where one of `axis` belongs");
  }
  return kTunables.to_struct(config);
}

AxisLayout device_layout(AxisAlignment alignment) {
  switch (alignment) {
    case AxisAlignment::vector:
    case AxisAlignment::pitched_vector:
      return AxisLayout::vector;
    case AxisAlignment::element:
    case AxisAlignment::pitched:
      return AxisLayout::element;
    case AxisAlignment::strided:
      break;
  }
  return AxisLayout::strided;
}

bool reads_staged_vectors(const AxisReduction& reduction) {
  return has_rows(reduction.shape) && device_layout(reduction.alignment) == AxisLayout::vector;
}

bool is_dense(AxisAlignment alignment) {
  return alignment == AxisAlignment::vector || alignment == AxisAlignment::element;
}

bool has_rows(const Shape& shape) { return shape[3] > 1; }

ResultRows result_rows(const AxisReduction& reduction, const AxisParams& params) {
  const Shape most = largest(reduction.shape);
  if (most[1] <= 1) return ResultRows::one;
  const AxisLayout layout = device_layout(reduction.alignment);
  const auto tile = static_cast<std::uint64_t>(params.group) *
                    static_cast<unsigned>(params.vector_width * params.unroll);
  const bool is_short = layout == AxisLayout::vector && most[3] < tile;
  return is_short || layout == AxisLayout::strided ? ResultRows::joined : ResultRows::in_turn;
}

bool has_wide_numbers(const Shape& shape) {
  const Shape most = largest(shape);
  return takes_64_bits(most[1] * std::max<std::uint64_t>(most[3], 1));
}

bool is_block_a_group(const AxisParams& params) {
  switch (params.method) {
    case AxisMethod::rows:
      return params.group == params.block_size;
    case AxisMethod::staged:
      return false;
    case AxisMethod::strips:
      return params.width * params.group == params.block_size;
    case AxisMethod::lines:
      break;
  }
  return true;
}

bool is_valid(const AxisReduction& reduction, const AxisParams& params) {
  const auto width = static_cast<std::size_t>(params.vector_width);
  const auto unroll = static_cast<std::size_t>(params.unroll);
  if (width * widest_element_bytes(reduction.row) > kMaxLoadBytes ||
      width * unroll * element_bytes(reduction.row) > kMaxBytesInFlight) {
    return false;
  }
  if (params.width * params.group > params.block_size) return false;
  if (params.width > 1 && params.method != AxisMethod::strips) return false;
  // A block for each part, and nothing that makes no difference.
  if (params.splits > 1 && (params.waves > 0 || !is_block_a_group(params))) return false;
  if (params.group > 1 && params.method == AxisMethod::lines) return false;
  return suits_method(reduction, params);
}

/// Threads that have nothing to do, and what no thread does.
bool is_searched(const AxisReduction& reduction, const AxisParams& params) {
  const Shape& shape = reduction.shape;
  const auto group = static_cast<std::uint64_t>(params.group);
  switch (params.method) {
    case AxisMethod::rows:
      return group <= (result_rows(reduction, params) == ResultRows::joined ? row_count(shape)
                                                                            : shape[3]) &&
             params.unroll <= 8;
    case AxisMethod::staged:
      return group <= row_count(shape);
    case AxisMethod::strips:
      return group <= shape[1] && params.width > 1 &&
             static_cast<std::uint64_t>(params.width) < 2 * shape[2];
    case AxisMethod::lines:
      return true;
  }
  return true;
}

}  // namespace foldtune
