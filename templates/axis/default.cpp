// The configuration of a reduction along axes that nobody tuned.
#include <algorithm>
#include <bit>

#include "templates/axis/space.h"
#include "templates/fold/operators.h"
#include "templates/hardware.h"

namespace foldtune {
namespace {

constexpr int kWarp = 32;
constexpr int kBlock = 256;
constexpr std::size_t kWordBytes = 4;

/// Bytes for each multiprocessor up to which what counts is how soon all of them are asked for.
constexpr std::uint64_t kFewBytes = 64 << 10;

/// Words of an accumulator from which on it is dear to merge two.
constexpr std::size_t kLargeAccumulator = 3;

int ceil_power_of_two(std::uint64_t value) {
  return static_cast<int>(std::bit_ceil(std::clamp<std::uint64_t>(value, 1, 1 << 20)));
}
int floor_power_of_two(std::uint64_t value) {
  return static_cast<int>(std::bit_floor(std::clamp<std::uint64_t>(value, 1, 1 << 20)));
}
std::uint64_t divide_up(std::uint64_t value, std::uint64_t divisor) {
  return (value + divisor - 1) / divisor;
}

int widest_vector(const AxisReduction& reduction) {
  std::size_t widest = 1;
  for (const ElementType type : reduction.row.input_types()) {
    widest = std::max(widest, size_of(type));
  }
  return static_cast<int>(kMaxLoadBytes / widest);
}

std::size_t accumulator_words(const AxisReduction& reduction) {
  return accumulator_bytes(reduction.row, /*wide=*/false) / kWordBytes;
}

/// Blocks for each unit, of so many in all: no more than have a turn.
int splits_for(std::uint64_t units, std::uint64_t turns, std::uint64_t blocks) {
  constexpr std::uint64_t kMost = 512;
  return floor_power_of_two(std::clamp<std::uint64_t>(
      std::min(blocks / std::max<std::uint64_t>(1, units), turns), 1, kMost));
}

struct Sizes {
  std::uint64_t multiprocessors;
  bool is_small;  ///< the whole input: see kFewBytes
};

AxisParams default_of_rows(const AxisReduction& reduction, const Sizes& sizes) {
  const std::uint64_t length = reduction.shape[3];
  const std::uint64_t rows = reduction.shape[1];
  const std::uint64_t results = result_count(reduction.shape);
  const bool is_strided = reduction.alignment == AxisAlignment::strided;
  const int vector = is_strided ? 1 : widest_vector(reduction);
  const std::size_t element = element_bytes(reduction.row);
  // Short rows. Bytes that do not begin at vectors are read one by one there.
  constexpr std::uint64_t kShortBytes = 256;
  constexpr std::uint64_t kShort = 64;
  AxisParams params{.method = AxisMethod::staged,
                    .block_size = sizes.is_small ? kBlock : kBlock / 2,
                    .vector_width = sizes.is_small ? std::max(1, vector / 2) : vector,
                    .unroll = sizes.is_small ? 2 : 4,
                    .group = 1};
  if (length * element <= kShortBytes && (length <= kShort || reads_staged_vectors(reduction)) &&
      is_valid(reduction, params)) {
    return params;
  }
  // Rows that begin anywhere are read one after another, others of a result as if they were one.
  const bool takes_rows = device_layout(reduction.alignment) == AxisLayout::element && rows > 1;
  const std::uint64_t vectors =
      divide_up(takes_rows ? length : rows * length, static_cast<std::uint64_t>(vector));
  params = {.method = AxisMethod::rows, .vector_width = vector, .group = kWarp};
  const auto unroll_for = [&](int group, std::uint64_t most) {
    return floor_power_of_two(
        std::clamp<std::uint64_t>(divide_up(vectors, static_cast<std::uint64_t>(group)), 1, most));
  };
  // Results of which there are too few, or that are of rows which are taken in turn, are those of a
  // block, or of several: of small inputs two for each multiprocessor, of others so many that each
  // has some tiles.
  constexpr std::uint64_t kLong = 1 << 13;  // vectors
  const std::uint64_t few = sizes.multiprocessors * (vectors >= kLong ? 16
                                                     : sizes.is_small ? 0
                                                                      : 2);
  if (takes_rows || results < few) {
    params.group =
        std::clamp(ceil_power_of_two(vectors / 4), kWarp, sizes.is_small ? kBlock : kBlock / 2);
    params.block_size = params.group;
    const std::uint64_t blocks = sizes.multiprocessors * (sizes.is_small ? 2 : 128);
    const std::uint64_t of_block =
        results * vectors / (static_cast<unsigned>(params.group) * blocks);
    params.unroll = sizes.is_small ? floor_power_of_two(std::clamp<std::uint64_t>(of_block, 1, 4))
                                   : unroll_for(params.group, 4);
    const std::uint64_t tiles = divide_up(
        vectors, static_cast<std::uint64_t>(params.group) * static_cast<unsigned>(params.unroll));
    const std::uint64_t turns = takes_rows ? rows : tiles;
    params.splits = splits_for(results, sizes.is_small ? turns : turns / 2, blocks);
    return params;
  }
  if (sizes.is_small) {
    params.group = std::min(ceil_power_of_two(divide_up(vectors, 2)), 1024);
    params.block_size = std::max(kBlock, params.group);
    params.unroll = unroll_for(params.group, 4);
    return params;
  }
  if (accumulator_words(reduction) >= kLargeAccumulator) {
    params.group = std::clamp(ceil_power_of_two(vectors / 8), 4, kWarp);
    params.unroll = unroll_for(params.group, 8);
    return params;
  }
  // Some tiles for each thread, and large groups in large blocks, which then stay.
  params.group = std::clamp(floor_power_of_two(vectors / 8), 8, kBlock);
  params.unroll = unroll_for(params.group, 4);
  if (params.group > kWarp * 2) {
    params.block_size = 2 * kBlock;
    params.waves = 4;
  }
  return params;
}

AxisParams default_of_few_columns(const AxisReduction& reduction, const Sizes& sizes) {
  const Shape& shape = reduction.shape;
  AxisParams params{.method = AxisMethod::lines,
                    .block_size = kBlock,
                    .vector_width = widest_vector(reduction),
                    .unroll = 4,
                    .group = 1};
  const std::uint64_t turns =
      shape[1] * shape[2] /
      (static_cast<std::uint64_t>(params.block_size) * static_cast<unsigned>(params.vector_width) *
       static_cast<unsigned>(params.unroll));
  params.splits = splits_for(shape[0], turns, 4 * sizes.multiprocessors);
  return params;
}

/// The threads of a block side by side and one below the other, and how many blocks share a strip.
void shape_strips(AxisParams& params, const Shape& shape, int width, int most_group,
                  std::uint64_t blocks) {
  const auto vector = static_cast<std::uint64_t>(params.vector_width);
  params.width = std::clamp(ceil_power_of_two(divide_up(shape[2], vector)), 8, width);
  params.group =
      std::clamp(ceil_power_of_two(divide_up(shape[1], std::max<std::uint64_t>(16, params.unroll))),
                 1, most_group);
  params.block_size = std::max(params.block_size, params.width * params.group);
  if (params.block_size > params.width * params.group) return;
  const std::uint64_t strips =
      shape[0] * divide_up(shape[2], static_cast<std::uint64_t>(params.width) * vector);
  params.splits = splits_for(
      strips,
      shape[1] / (static_cast<std::uint64_t>(params.group) * static_cast<unsigned>(params.unroll)),
      blocks);
}

AxisParams default_of_columns(const AxisReduction& reduction, const Sizes& sizes) {
  const Shape& shape = reduction.shape;
  const int widest = widest_vector(reduction);
  AxisParams params{.method = AxisMethod::staged,
                    .block_size = kBlock,
                    .vector_width = widest,
                    .unroll = 2,
                    .group = 1};
  // Slabs of a few columns.
  constexpr std::uint64_t kSmallSlab = 512;
  if (row_count(shape) * shape[2] <= kSmallSlab && is_valid(reduction, params)) return params;
  constexpr std::uint64_t kLeastColumns = 8;
  if (shape[2] < kLeastColumns) {
    params = default_of_few_columns(reduction, sizes);
    if (is_valid(reduction, params)) return params;
  }

  params = {.method = AxisMethod::strips, .block_size = kBlock};
  const std::uint64_t lines = shape[1];
  const bool are_neighbours = device_layout(reduction.alignment) == AxisLayout::vector;
  const int word =
      static_cast<int>(std::max<std::size_t>(1, kWordBytes / element_bytes(reduction.row)));
  constexpr std::uint64_t kFewLines = 16;  // of which a thread has all
  if (sizes.is_small && lines >= kFewLines / 2) {
    // Single elements, or words of them: as many threads as there can be.
    params.vector_width = std::min(word, widest);
    params.unroll = static_cast<int>(std::min<std::uint64_t>(16, std::bit_floor(lines)));
    params.block_size = 2 * kBlock;
    const bool is_of_one_block = lines <= 1024;
    const int group =
        std::clamp(ceil_power_of_two(divide_up(lines, 16)), 1, is_of_one_block ? 64 : kWarp);
    shape_strips(params, shape, std::clamp(2 * kBlock / group, 8, 64), group,
                 is_of_one_block ? 1 : sizes.multiprocessors);
    return params;
  }
  // Registers for the accumulators of eight words, and loads of 64 bytes.
  constexpr int kWords = 8;
  const int words = ceil_power_of_two(accumulator_words(reduction));
  params.vector_width = std::min(widest, std::max(1, kWords / words));
  if (!are_neighbours && lines >= kFewLines) params.vector_width = std::min(word, widest);
  if (lines >= 4 && lines < kFewLines) params.vector_width = std::max(1, params.vector_width / 2);
  constexpr int kLoadedBytes = 64;
  const auto loaded = static_cast<int>(element_bytes(reduction.row)) * params.vector_width;
  params.unroll = std::clamp(kLoadedBytes / loaded, 1, 8);
  if (lines < kFewLines) {
    params.width = std::clamp(
        ceil_power_of_two(divide_up(shape[2], static_cast<std::uint64_t>(params.vector_width))), 8,
        kWarp);
    params.group = 1;
    return params;
  }
  // Where there are columns for all multiprocessors, blocks of 256 threads; of fewer columns,
  // strips of fewer, at last those of a line of memory, by the largest blocks, one for each
  // multiprocessor: the fewer blocks share a strip, the sooner they have met.
  const auto blocks_of = [&](int width) {
    return shape[0] * divide_up(shape[2], static_cast<std::uint64_t>(width) *
                                              static_cast<unsigned>(params.vector_width));
  };
  if (blocks_of(kWarp) >= sizes.multiprocessors) {
    shape_strips(params, shape, kWarp, kBlock / kWarp, 4 * sizes.multiprocessors);
  } else if (blocks_of(kWarp / 2) >= sizes.multiprocessors / 4) {
    shape_strips(params, shape, kWarp / 2, kBlock / (kWarp / 2), 4 * sizes.multiprocessors);
  } else {
    params.block_size = 4 * kBlock;
    params.unroll = 8;
    shape_strips(params, shape, 8, 128, sizes.multiprocessors);
  }
  return params;
}

}  // namespace

AxisParams default_axis_params(const AxisReduction& reduction, int multiprocessor_count) {
  Sizes sizes{.multiprocessors = static_cast<std::uint64_t>(std::max(1, multiprocessor_count))};
  sizes.is_small =
      result_count(reduction.shape) * row_count(reduction.shape) * element_bytes(reduction.row) <=
      sizes.multiprocessors * kFewBytes;
  AxisParams params = has_rows(reduction.shape) ? default_of_rows(reduction, sizes)
                                                : default_of_columns(reduction, sizes);
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
