// What a reduction along axes probably takes: see templates/grid_time.h.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "templates/axis/space.h"
#include "templates/fold/operators.h"
#include "templates/grid_time.h"

namespace foldtune {
namespace {

using namespace prior;  // its constants

constexpr double kBarrier = 0.048;      ///< a step of a tree in shared memory
constexpr double kShuffle = 0.027;      ///< a step of a warp's shuffles of one word
constexpr double kPartial = 0.03;       ///< a partial result that a thread waits for in turn
constexpr double kLineBytes = 128;      ///< what memory gives best at a time
constexpr double kShortStretch = 0.25;  ///< what a stretch far below it costs, of its time
constexpr double kBanks = 32;           ///< of shared memory, of a word each
constexpr double kVectorBanks = 8;      ///< the same, of 16 bytes

/// Of what one word costs, each further word of an accumulator adds this part.
constexpr double kFurtherWord = 0.4;

/// A method's work, as far as the model knows it.
struct Work {
  double units = 1;  ///< that are dealt to blocks
  double units_per_block = 1;
  double tiles = 1;        ///< that a block walks over for its units
  double loaded = 1;       ///< elements that a thread loads at a time
  double touched = 1;      ///< bytes that memory gives for each that is asked for
  double meeting_us = 0;   ///< of a block's units
  double fold_factor = 1;  ///< of what it takes to fold what was loaded
};

double log2_up(double value) { return std::ceil(std::log2(std::max(1.0, value))); }

/// How much longer memory takes for stretches of so many bytes.
double short_stretch(double bytes) {
  return 1 + kShortStretch * std::max(0.0, 1 - bytes / kLineBytes);
}

Work rows_work(const AxisReduction& reduction, const AxisParams& params, double size) {
  const bool is_one = result_rows(reduction, params) == ResultRows::joined;
  const auto length = static_cast<double>(
      std::max<std::uint64_t>(1, is_one ? row_count(reduction.shape) : reduction.shape[3]));
  const auto rows =
      static_cast<double>(std::max<std::uint64_t>(1, is_one ? 1 : reduction.shape[1]));
  const double per_thread = params.vector_width * params.unroll;
  Work work;
  work.units = static_cast<double>(result_count(reduction.shape));
  work.units_per_block = static_cast<double>(params.block_size) / params.group;
  const double tiles = std::ceil(length / (params.group * per_thread));
  work.tiles = std::ceil((rows > 1 ? rows * tiles : tiles) / params.splits);
  work.loaded = std::min(per_thread, std::ceil(length / params.group));
  // Threads with a row each read next to one another only if the row is a vector.
  const double stretch = std::min(length, static_cast<double>(params.group) * params.vector_width);
  work.touched = stretch < length ? short_stretch(stretch * size) : 1;
  work.meeting_us = kShuffle * log2_up(std::min<double>(params.group, kWarp)) +
                    (params.group > kWarp
                         ? kBarrier + kShuffle * log2_up(static_cast<double>(params.group) / kWarp)
                         : 0);
  // Waste in the last tile, and elements before and after the vectors.
  const bool has_ends = device_layout(reduction.alignment) == AxisLayout::element;
  work.fold_factor = tiles * params.group * per_thread / length +
                     (has_ends && params.vector_width > 1 ? 2.0 * params.group / length : 0);
  return work;
}

Work staged_work(const AxisReduction& reduction, const AxisParams& params, double size) {
  const Shape& shape = reduction.shape;
  const bool is_of_rows = has_rows(shape);
  const auto lines = static_cast<double>(std::max<std::uint64_t>(1, row_count(shape)));
  const double columns = is_of_rows ? 1 : static_cast<double>(shape[2]);
  const auto capacity = static_cast<double>(staged_capacity(params));
  Work work;
  work.units = static_cast<double>(result_count(shape)) / columns;
  work.units_per_block = std::max(1.0, std::floor(capacity / (lines * columns)));
  work.loaded = params.vector_width * params.unroll;
  // Threads that read a row each meet in the same banks where rows have a power of two of words; of
  // rows that are read in vectors only where these are more than a line of them.
  const bool has_vectors = reads_staged_vectors(reduction);
  const double pieces =
      has_vectors ? lines / params.vector_width : std::max(1.0, lines * size / kRegisterBytes);
  const double banks = has_vectors ? kVectorBanks * kVectorBanks : kBanks;
  const double free = has_vectors ? kVectorBanks : params.group;
  const double conflicts =
      columns > 1
          ? 1
          : std::max(1.0, std::gcd(static_cast<int>(pieces), static_cast<int>(banks)) / free);
  const double loads = has_vectors ? 1.0 / params.vector_width : 1;
  const double results = work.units_per_block * columns;
  const double idle = std::ceil(results * params.group / params.block_size) * params.block_size /
                      (results * params.group);
  work.fold_factor =
      1 + loads * conflicts * idle * capacity / (work.units_per_block * lines * columns);
  work.meeting_us = 2 * kBarrier + kShuffle * log2_up(params.group);
  return work;
}

Work strips_work(const AxisReduction& reduction, const AxisParams& params, double size) {
  const Shape& shape = reduction.shape;
  const double columns = static_cast<double>(params.width) * params.vector_width;
  const auto all = static_cast<double>(std::max<std::uint64_t>(1, shape[2]));
  const auto lines = static_cast<double>(std::max<std::uint64_t>(1, shape[1]));
  Work work;
  const double strips = std::ceil(all / columns);
  work.units = static_cast<double>(shape[0]) * strips;
  work.units_per_block = static_cast<double>(params.block_size) / (params.width * params.group);
  work.tiles = std::ceil(lines / (params.group * params.unroll * params.splits));
  work.loaded =
      params.vector_width * std::min<double>(params.unroll, std::ceil(lines / params.group));
  const bool are_neighbours = device_layout(reduction.alignment) == AxisLayout::vector;
  work.touched = short_stretch(std::min(are_neighbours ? columns : params.width, all) * size);
  work.fold_factor = strips * columns / all;
  work.meeting_us = params.group > 1 ? kBarrier * (1 + log2_up(params.group)) : 0;
  return work;
}

Work lines_work(const AxisReduction& reduction, const AxisParams& params) {
  const Shape& shape = reduction.shape;
  const auto columns = static_cast<double>(std::max<std::uint64_t>(1, shape[2]));
  const auto elements = columns * static_cast<double>(std::max<std::uint64_t>(1, shape[1]));
  const double vectors = columns / std::gcd(static_cast<int>(shape[2]), params.vector_width);
  const double threads = std::max(1.0, std::floor(params.block_size / vectors)) * vectors;
  Work work;
  work.units = static_cast<double>(shape[0]);
  work.tiles =
      std::ceil(elements / (threads * params.vector_width * params.unroll * params.splits));
  work.loaded = params.vector_width * params.unroll;
  work.fold_factor = params.block_size / std::min<double>(threads, params.block_size);
  work.meeting_us = kBarrier * (1 + log2_up(threads * params.vector_width / columns));
  return work;
}

}  // namespace

double estimate_us(const AxisReduction& reduction, const DeviceFacts& device,
                   const AxisParams& params) {
  const auto size = static_cast<double>(element_bytes(reduction.row));
  const auto count = static_cast<double>(
      std::max<std::uint64_t>(1, result_count(reduction.shape) * row_count(reduction.shape)));
  const Work work = params.method == AxisMethod::rows     ? rows_work(reduction, params, size)
                    : params.method == AxisMethod::staged ? staged_work(reduction, params, size)
                    : params.method == AxisMethod::strips ? strips_work(reduction, params, size)
                                                          : lines_work(reduction, params);
  const double words =
      static_cast<double>(accumulator_bytes(reduction.row, /*wide=*/false)) / kRegisterBytes;
  const double per_word = 1 + kFurtherWord * std::max(0.0, words - 1);
  const double blocks = std::max(1.0, std::ceil(work.units / work.units_per_block) * params.splits);
  GridWalk walk{.block_size = params.block_size,
                .bytes = count * size * work.touched,
                .bytes_per_thread = work.loaded * size,
                .tiles = blocks * work.tiles,
                .grid = blocks,
                .resident = 1,
                .tile_us = kPerElement * work.loaded * work.fold_factor,
                .block_us = 0};
  walk.resident = resident_blocks(walk.block_size, walk.bytes_per_thread);
  if (params.waves > 0 && params.splits == 1) {
    walk.grid =
        std::min(blocks, params.waves * walk.resident * std::max(1, device.multiprocessor_count));
  }
  walk.block_us = work.meeting_us * per_word * std::ceil(blocks / walk.grid);
  const double sharing_us =
      params.splits > 1 ? kPolling + kPartial * per_word * std::log2(params.splits) : 0;
  return kLaunch + walk_us(walk, device) + sharing_us;
}

}  // namespace foldtune
