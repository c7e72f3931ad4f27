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
  return static_cast<int>(kMaxLoadBytes / widest_element_bytes(reduction.row));
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
  const bool is_large = accumulator_words(reduction) >= kLargeAccumulator;
  // Short rows. Bytes that do not begin at vectors are read one by one there.
  const bool has_vectors = reads_staged_vectors(reduction);
  const std::uint64_t short_bytes = sizes.is_small                      ? (has_vectors ? 32 : 128)
                                    : accumulator_words(reduction) == 1 ? 400
                                                                        : 256;
  constexpr std::uint64_t kShort = 64;
  AxisParams params{.method = AxisMethod::staged,
                    .block_size = sizes.is_small ? kBlock : kBlock / 2,
                    .vector_width = sizes.is_small ? std::max(1, vector / 2) : vector,
                    .unroll = sizes.is_small ? 2 : 4,
                    .group = 1};
  if (length * element <= short_bytes && (length <= kShort || has_vectors) &&
      is_valid(reduction, params)) {
    return params;
  }
  // Whether rows of one result are read as if they were one, as far as can be said before there is
  // a group (result_rows).
  constexpr std::uint64_t kShortRow = 256;  // vectors
  const std::uint64_t of_row = divide_up(length, static_cast<std::uint64_t>(vector));
  const bool joins = is_strided || (of_row < kShortRow && has_vectors);
  const bool takes_rows = rows > 1 && !joins;
  const std::uint64_t vectors = takes_rows ? of_row : rows * of_row;
  params = {.method = AxisMethod::rows, .vector_width = vector, .group = kWarp};
  const auto unroll_for = [&](int group, std::uint64_t most) {
    return floor_power_of_two(
        std::clamp<std::uint64_t>(divide_up(vectors, static_cast<std::uint64_t>(group)), 1, most));
  };
  // Results of which there are too few, or that are of rows which are taken in turn, are those of a
  // block, or of several: of small inputs two for each multiprocessor, of others so many that each
  // has some tiles.
  constexpr std::uint64_t kLong = 1 << 13;  // vectors
  const std::uint64_t few_if_long = sizes.is_small ? 9 : 16 * sizes.multiprocessors;
  const std::uint64_t few_if_short = sizes.is_small ? 0 : 2 * sizes.multiprocessors;
  const std::uint64_t few = vectors >= kLong ? few_if_long : few_if_short;
  if (takes_rows || results < few) {
    params.group =
        std::clamp(ceil_power_of_two(vectors / 4), kWarp, sizes.is_small ? kBlock : kBlock / 2);
    params.block_size = params.group;
    const std::uint64_t blocks = sizes.multiprocessors * (sizes.is_small ? 2 : 128);
    const std::uint64_t of_block =
        results * rows * of_row / (static_cast<unsigned>(params.group) * blocks);
    params.unroll = sizes.is_small ? floor_power_of_two(std::clamp<std::uint64_t>(of_block, 1, 4))
                                   : unroll_for(params.group, is_large ? 8 : 4);
    const std::uint64_t tiles = divide_up(
        vectors, static_cast<std::uint64_t>(params.group) * static_cast<unsigned>(params.unroll));
    const std::uint64_t turns = takes_rows ? rows * tiles : tiles;
    params.splits = splits_for(results, sizes.is_small ? turns : turns / 2, blocks);
    return params;
  }
  if (sizes.is_small) {
    // Of one row a thread has some loads, of rows that are joined more.
    const bool is_one = rows == 1;
    params.group = is_one ? std::clamp(ceil_power_of_two(divide_up(vectors, 4)), 4, 4 * kBlock)
                          : std::clamp(ceil_power_of_two(divide_up(vectors, 16)), kWarp, kBlock);
    params.block_size = std::max(is_one ? 2 * kBlock : kBlock, params.group);
    params.unroll = unroll_for(params.group, !is_one ? 8 : vectors >= 1024 ? 4 : 2);
    return params;
  }
  if (is_large && vectors < kLong) {
    params.group = std::clamp(ceil_power_of_two(vectors / 8), 4, kWarp);
    params.unroll = unroll_for(params.group, 8);
    return params;
  }
  constexpr std::uint64_t kOfWarp = 1024;  // vectors, up to which no more than a warp reads a row
  if (vectors <= kOfWarp) {
    const bool is_short = vectors < 16;
    params.block_size = kBlock / 2;
    params.group = std::clamp(ceil_power_of_two(vectors / 8), is_short ? 2 : 8, kWarp);
    params.unroll = unroll_for(params.group, is_short ? 4 : 2);
    return params;
  }
  // Some tiles for each thread, and large groups in large blocks, which then stay.
  params.block_size = 2 * kBlock;
  params.group = std::min(floor_power_of_two(vectors / 8), kBlock);
  params.unroll = 4;
  params.waves = 4;
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

/// Strips of `width` threads and no more than there are columns, in lines of `group`. If that is a
/// block, so many blocks share a strip that there are `blocks` in all.
AxisParams strips(const Shape& shape, AxisParams params, std::uint64_t blocks) {
  const auto vector = static_cast<std::uint64_t>(params.vector_width);
  params.method = AxisMethod::strips;
  params.block_size = std::max(params.block_size, params.width * params.group);
  const bool fills_block = params.block_size == params.width * params.group;
  params.width = std::clamp(ceil_power_of_two(divide_up(shape[2], vector)), 8, params.width);
  if (fills_block) {
    params.block_size = std::max(kWarp, params.width * params.group);
    const std::uint64_t units =
        shape[0] * divide_up(shape[2], static_cast<unsigned>(params.width) * vector);
    const std::uint64_t lines =
        static_cast<std::uint64_t>(params.group) * static_cast<unsigned>(params.unroll);
    params.splits = splits_for(units, shape[1] / lines, blocks);
  }
  return params;
}

/// Lines up to which a thread has all those of its columns.
constexpr std::uint64_t kFewLines = 16;

/// Of small inputs: a thread loads 16 elements, or words of them, at once.
AxisParams default_of_small_columns(const AxisReduction& reduction, const Sizes& sizes, int word) {
  constexpr std::uint64_t kOfOneBlock = 1024;
  const Shape& shape = reduction.shape;
  const bool is_of_one_block = shape[1] <= kOfOneBlock;
  AxisParams params{
      .vector_width = word,
      .unroll = std::min(16, floor_power_of_two(shape[1])),
      .group = std::min(ceil_power_of_two(divide_up(shape[1], 16)), is_of_one_block ? 64 : kWarp)};
  params.block_size = params.group > kWarp ? 4 * kBlock : 2 * kBlock;
  params.width = std::clamp((is_of_one_block ? kBlock : 2 * kBlock) / params.group, 8, 64);
  return strips(shape, params, is_of_one_block ? 1 : sizes.multiprocessors);
}

AxisParams default_of_columns(const AxisReduction& reduction, const Sizes& sizes) {
  const Shape& shape = reduction.shape;
  const std::uint64_t lines = shape[1];
  const int widest = widest_vector(reduction);
  AxisParams params{.method = AxisMethod::staged,
                    .block_size = kBlock,
                    .vector_width = widest,
                    .unroll = 2,
                    .group = 1};
  // Slabs of a few columns.
  constexpr std::uint64_t kSmallSlab = 512;
  if (lines * shape[2] <= kSmallSlab && is_valid(reduction, params)) return params;
  constexpr std::uint64_t kLeastColumns = 8;
  if (shape[2] < kLeastColumns) {
    params = default_of_few_columns(reduction, sizes);
    if (is_valid(reduction, params)) return params;
  }
  const int word =
      std::clamp(static_cast<int>(kWordBytes / element_bytes(reduction.row)), 1, widest);
  if (sizes.is_small && lines >= kFewLines / 2) {
    return default_of_small_columns(reduction, sizes, word);
  }

  // The larger the accumulators, the fewer columns of narrow elements a thread has, and the more of
  // their lines.
  const int words = static_cast<int>(accumulator_words(reduction));
  constexpr int kAccumulatedWords = 8;
  params = {
      .block_size = kBlock,
      .vector_width = std::min(
          widest, std::max(4, kAccumulatedWords / ceil_power_of_two(static_cast<unsigned>(words)))),
      .unroll = words == 1   ? 4
                : words == 2 ? 8
                             : 16,
      .group = 1,
      .width = kWarp};
  if (lines < kFewLines) {
    if (lines >= 4) params.vector_width = std::max(1, params.vector_width / 2);
    params.unroll = std::min(8, ceil_power_of_two(lines));
    return strips(shape, params, 1);
  }
  const std::uint64_t lines_of_thread = words == 1 ? 16 : words == 2 ? 128 : 512;
  params.group = std::min(ceil_power_of_two(divide_up(lines, lines_of_thread)), kBlock / kWarp);
  if (device_layout(reduction.alignment) != AxisLayout::vector) {
    // Columns are loaded one by one: by as many threads as there can be.
    params.vector_width = word;
    params.unroll = std::max(8, params.unroll);
    const std::uint64_t wanted =
        sizes.multiprocessors * 1024 * static_cast<unsigned>(word) / (shape[0] * shape[2]);
    params.group = std::min(params.group, ceil_power_of_two(wanted));
  } else if (static_cast<std::size_t>(words) >= kLargeAccumulator) {
    params.width = 8;
    params.block_size = kBlock / 4;
  }
  // Where there are columns for all multiprocessors, blocks of 256 threads; of fewer columns,
  // strips of fewer; at last those of a line of memory, by large blocks, one for each
  // multiprocessor: the fewer blocks share a strip, the sooner they have met.
  const auto units_of = [&](int width) {
    return shape[0] * divide_up(shape[2], static_cast<unsigned>(width * params.vector_width));
  };
  if (units_of(kWarp) >= sizes.multiprocessors) {
    return strips(shape, params, 4 * sizes.multiprocessors);
  }
  params.block_size = words == 1 ? 4 * kBlock : kBlock;
  params.width = 8;
  std::uint64_t blocks = sizes.multiprocessors;
  if (units_of(kWarp / 2) >= sizes.multiprocessors / 4) {
    params.block_size = kBlock;
    params.width = kWarp / 2;
    blocks *= 4;
  } else {
    params.unroll = std::max(8, params.unroll);
  }
  params.group = std::min(params.block_size / params.width, floor_power_of_two(lines));
  return strips(shape, params, blocks);
}

}  // namespace

/// That of the largest shape of the bucket: a plan is for all of them.
AxisParams default_axis_params(const AxisReduction& of_call, int multiprocessor_count) {
  AxisReduction reduction = of_call;
  reduction.shape = axis_family().max_shape(axis_family().bucket(of_call.shape));
  const auto multiprocessors = static_cast<std::uint64_t>(std::max(1, multiprocessor_count));
  const std::uint64_t bytes =
      result_count(reduction.shape) * row_count(reduction.shape) * element_bytes(reduction.row);
  const Sizes sizes{.multiprocessors = multiprocessors,
                    .is_small = bytes <= multiprocessors * kFewBytes};
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
