// The configuration of a reduction along axes that nobody tuned.
#include <algorithm>
#include <bit>

#include "templates/axis/space.h"
#include "templates/hardware.h"

namespace foldtune {
namespace {

constexpr int kWarp = 32;
constexpr int kBlock = 256;

/// Threads of a multiprocessor that read at the memory's speed together.
constexpr std::uint64_t kBusyThreads = 1024;

int ceil_power_of_two(std::uint64_t value) {
  return static_cast<int>(std::bit_ceil(std::clamp<std::uint64_t>(value, 1, 1 << 20)));
}

int widest_vector(const AxisReduction& reduction) {
  std::size_t widest = 1;
  for (const ElementType type : reduction.row.input_types()) {
    widest = std::max(widest, size_of(type));
  }
  return static_cast<int>(kMaxLoadBytes / widest);
}

/// Blocks for each unit, where there are too few units for the device: no more than have a turn.
int splits_for(std::uint64_t units, std::uint64_t turns, std::uint64_t wanted_blocks) {
  constexpr std::uint64_t kMost = 512;
  const std::uint64_t wanted = wanted_blocks / std::max<std::uint64_t>(1, units);
  return static_cast<int>(
      std::bit_floor(std::clamp<std::uint64_t>(std::min(wanted, turns), 1, kMost)));
}

AxisParams default_of_rows(const AxisReduction& reduction, std::uint64_t threads) {
  const std::uint64_t length = reduction.shape[3];
  const std::uint64_t results = result_count(reduction.shape);
  const int vector = reduction.alignment == AxisAlignment::strided ? 1 : widest_vector(reduction);
  AxisParams params{.method = AxisMethod::staged,
                    .block_size = kBlock,
                    .vector_width = vector,
                    .unroll = 2,
                    .group = std::min(ceil_power_of_two(length / 16), 8)};
  // Short rows that do not begin at vectors.
  constexpr std::uint64_t kShortBytes = 1 << 10;
  if (length * element_bytes(reduction.row) <= kShortBytes &&
      reduction.alignment == AxisAlignment::element && is_valid(reduction, params)) {
    return params;
  }
  const std::uint64_t vectors = (length + vector - 1) / vector;
  params.method = AxisMethod::rows;
  // A load for each thread, until a warp has one row; then more loads, then more threads.
  params.group = std::min(ceil_power_of_two(vectors), kWarp);
  params.unroll = std::min(std::bit_floor(static_cast<unsigned>(
                               std::clamp<std::uint64_t>(vectors / params.group, 1, 4))),
                           4u);
  while (params.group < kBlock &&
         static_cast<std::uint64_t>(params.group) * params.unroll < vectors &&
         (results * params.group < threads ||
          vectors > 16 * static_cast<std::uint64_t>(params.group))) {
    params.group *= 2;
  }
  const std::uint64_t rows = reduction.shape[1];
  if (rows > 1 && results * params.group < threads) {
    // Blocks that share a result take rows in turn.
    params.group = std::max(params.group, kWarp);
    params.block_size = params.group;
  }
  if (params.group == params.block_size) {
    const auto group = static_cast<std::uint64_t>(params.group);
    const std::uint64_t turns = rows > 1 ? rows : vectors / (group * params.unroll);
    params.splits =
        splits_for(results, turns, 4 * threads / std::max<std::uint64_t>(group, kBlock));
  }
  return params;
}

AxisParams default_of_columns(const AxisReduction& reduction, std::uint64_t threads) {
  const Shape& shape = reduction.shape;
  const std::uint64_t blocks = threads / kBusyThreads * 4;
  AxisParams params{.method = AxisMethod::staged,
                    .block_size = kBlock,
                    .vector_width = widest_vector(reduction),
                    .unroll = 2,
                    .group = 1};
  // Slabs of a few columns.
  constexpr std::uint64_t kSmallSlab = 512;
  if (row_count(shape) * shape[2] <= kSmallSlab && is_valid(reduction, params)) return params;
  params.method = AxisMethod::lines;
  params.unroll = 4;
  constexpr std::uint64_t kManyColumns = 1024;
  if (shape[2] <= kManyColumns && is_valid(reduction, params)) {
    const std::uint64_t turns =
        shape[1] * shape[2] /
        (static_cast<std::uint64_t>(params.block_size) * params.vector_width * params.unroll);
    params.splits = splits_for(shape[0], turns, blocks);
    return params;
  }
  params.method = AxisMethod::strips;
  if (device_layout(reduction.alignment) != AxisLayout::vector) params.vector_width = 1;
  params.width = std::clamp(ceil_power_of_two(shape[2] / params.vector_width), 8, kWarp);
  const auto columns = static_cast<std::uint64_t>(params.width) * params.vector_width;
  const std::uint64_t strips = shape[0] * ((shape[2] + columns - 1) / columns);
  const int most = kBlock / params.width;
  params.group = std::min(most, ceil_power_of_two(shape[1] / 8));
  while (params.group > 1 && strips * params.width * params.group > 4 * threads) params.group /= 2;
  if (params.group == most) {
    const std::uint64_t lines = static_cast<std::uint64_t>(params.group) * params.unroll;
    params.splits = splits_for(strips, shape[1] / lines, blocks);
  }
  return params;
}

}  // namespace

AxisParams default_axis_params(const AxisReduction& reduction, int multiprocessor_count) {
  const std::uint64_t threads =
      kBusyThreads * static_cast<std::uint64_t>(std::max(1, multiprocessor_count));
  AxisParams params = has_rows(reduction.shape) ? default_of_rows(reduction, threads)
                                                : default_of_columns(reduction, threads);
  // Large accumulators take room, and many inputs registers.
  while (!is_valid(reduction, params)) {
    if (params.unroll > 1) {
      params.unroll /= 2;
    } else if (params.vector_width > 1) {
      params.vector_width /= 2;
    } else if (params.block_size > kWarp) {
      params.block_size /= 2;
      params.width = std::min(params.width, params.block_size);
      params.group = std::min(params.group, params.block_size / params.width);
    } else {
      break;
    }
  }
  return params;
}

}  // namespace foldtune
