// What a histogram probably takes: see templates/grid_time.h.
#include <algorithm>
#include <cmath>

#include "templates/grid_time.h"
#include "templates/histogram/layout.cuh"
#include "templates/histogram/space.h"

namespace foldtune {
namespace {

using namespace prior;  // its constants

constexpr double kSharedAtomic = 0.0005;  ///< of a warp in shared memory, without conflicts
constexpr double kGlobalAtomic = 0.6;     ///< of a warp in the L2, with the others' in its way
constexpr double kRun = 0.006;            ///< of a warp: finding runs of equal bins
constexpr double kBlockBins = 0.76;       ///< a block's barriers around its bins
constexpr double kBinRow = 0.012;   ///< a thread clears one of the bins of its block, and adds it
constexpr double kSameBin = 0.005;  ///< a block's turn at the bins of the grid
constexpr double kZeroing = 0.3;    ///< a launch before that clears the bins of the grid

/// Of a multiprocessor.
constexpr double kSharedBytes = 200e3;

/// How often lanes of a warp meet in one counter, at the same time.
double conflicts(const HistogramWorkload& histogram, const HistogramParams& params) {
  const double copies = params.privacy == BinPrivacy::block ? params.copies : 1;
  const double runs = params.aggregation == BinAggregation::runs ? params.vector_width : 1;
  switch (histogram.distribution) {
    case Distribution::uniform:
      return 1 + 1 / copies;
    case Distribution::zipf:
      return 1 + kWarp / 4.0 / copies;
    case Distribution::constant:
      return 1 + kWarp / copies / runs;
  }
  return 1;
}

double meeting_us(HistogramFinal finish) {
  switch (finish) {
    case HistogramFinal::last_block:
      return kTicket;
    case HistogramFinal::zero_first:
      return kZeroing;
    case HistogramFinal::polling:
      return kPolling;
  }
  return 0;
}

}  // namespace

double estimate_us(const HistogramWorkload& histogram, const DeviceFacts& device,
                   const HistogramParams& params) {
  const double element_bytes = static_cast<double>(size_of(histogram.type));
  const double per_thread = params.vector_width * params.unroll;
  const double shared = static_cast<double>(
      counter_bytes(params, static_cast<unsigned>(size_of(histogram.type)), histogram.bins));
  const bool is_global = params.privacy == BinPrivacy::global;
  const double count_us =
      conflicts(histogram, params) * (is_global ? kGlobalAtomic : kSharedAtomic) +
      (params.aggregation == BinAggregation::runs ? kRun : 0);
  const double bin_rows = is_global ? 0 : std::ceil(shared / kRegisterBytes / params.block_size);
  const auto rows = static_cast<double>(std::max<std::uint64_t>(1, histogram.rows));
  GridWalk walk{
      .block_size = params.block_size,
      .bytes = static_cast<double>(histogram.input_bytes()),
      .bytes_per_thread = per_thread * element_bytes,
      .tiles = rows * std::ceil(static_cast<double>(std::max<std::uint64_t>(1, histogram.count)) /
                                static_cast<double>(tile_elements(params))),
      .grid = 1,
      .resident = 1,
      .tile_us = (kPerElement + count_us) * per_thread,
      .block_us = kBinRow * bin_rows + kBlockBins};
  walk.resident = resident_blocks(walk.block_size, walk.bytes_per_thread);
  if (!is_global && shared > 0) {
    walk.resident = std::clamp(std::floor(kSharedBytes / shared), 1.0, walk.resident);
  }
  const double blocks =
      grid_blocks(params, histogram.count, device.multiprocessor_count, histogram.rows);
  walk.grid = rows * blocks;  // what a block does once, it does for each of its rows
  double finish_us = 0;
  if (blocks > 1 || is_global) {
    finish_us = meeting_us(params.finish);
    if (!is_global) finish_us += kSameBin * blocks;
  }
  return kLaunch + walk_us(walk, device) + finish_us;
}

}  // namespace foldtune
