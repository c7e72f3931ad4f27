#include "tuner/search/prior.h"

#include <algorithm>
#include <cmath>

#include "templates/catalog.h"
#include "templates/histogram/layout.cuh"
#include "templates/histogram/space.h"
#include "templates/reduce/space.h"

namespace foldtune {
namespace {

// Microseconds, fitted to the landscapes of 31 reductions on an H200, some of which are in
// bench/landscapes; a fast configuration counts more than a slow one, and proportions are predicted
// to 9%. They change little from one GPU to the next, as far as only their proportions matter.
constexpr double kLaunch = 0.64;        ///< of a grid, back to back with others
constexpr double kLoadLatency = 0.25;   ///< from loads to their data, many in flight
constexpr double kPerElement = 0.0026;  ///< of a warp: one element per lane, on a quarter of an SM
constexpr double kPerIndexed = 0.006;   ///< the same where the place of the element counts, too
constexpr double kBarrier = 0.048;      ///< a step of a tree in shared memory
constexpr double kShuffle = 0.027;      ///< a step of a warp's shuffles of one word
constexpr double kTicket = 1.5;         ///< the last block: a fence, and a ticket from the L2
constexpr double kPolling = 0.71;       ///< a store that another block waits for
constexpr double kSecondLaunch = 0.85;  ///< a launch that waits for the one before
constexpr double kAtomic = 0.76;        ///< an atomic that the end of the grid waits for
constexpr double kPartials = 0.048;     ///< a block reads as many partials as it has threads
constexpr double kPartial = 0.00024;    ///< a block's store of its partial, or its atomic
constexpr double kCounted = 0.35;       ///< an atomic whose last one is told
constexpr double kCluster = 0.02;       ///< a store into another multiprocessor's shared memory

// Of histograms.
constexpr double kSharedAtomic = 0.0005;  ///< of a warp in shared memory, without conflicts
constexpr double kGlobalAtomic = 0.6;     ///< of a warp in the L2, with the others' in its way
constexpr double kRun = 0.006;            ///< of a warp: finding runs of equal bins
constexpr double kBlockBins = 0.76;       ///< a block's barriers around its bins
constexpr double kBinRow = 0.012;   ///< a thread clears one of the bins of its block, and adds it
constexpr double kSameBin = 0.005;  ///< a block's turn at the bins of the grid
constexpr double kZeroing = 0.3;    ///< a launch before that clears the bins of the grid

/// Of what one word costs, each further word of an accumulator adds this part.
constexpr double kFurtherWord = 0.4;

/// Bytes that a thread has in flight at most: what it loads beyond them waits for the first.
constexpr double kBytesInFlight = 58;

/// Of the peak bandwidth, what can be had.
constexpr double kEfficiency = 0.93;

/// Where the memory's speed is unknown: of a middling GPU, in bytes per microsecond.
constexpr double kUsualBandwidth = 1e6;

// Limits of a multiprocessor: those of all architectures from sm_70 on, or nearly so.
constexpr int kMaxThreads = 2048;
constexpr int kMaxBlocks = 32;
constexpr int kRegisters = 65536;
constexpr double kSharedBytes = 200e3;
constexpr int kSchedulers = 4;
constexpr int kWarp = 32;

/// Registers of a thread besides what it loads.
constexpr double kOwnRegisters = 24;
constexpr double kRegisterBytes = 4;

/// How the larger of two times hides the smaller: the higher, the better.
constexpr double kOverlap = 4;

double overlapped(double a, double b) {
  return std::pow(std::pow(a, kOverlap) + std::pow(b, kOverlap), 1 / kOverlap);
}

/// Bytes per microsecond. The memory transfers on both edges of its clock.
double peak_bandwidth(const DeviceRecord& device) {
  if (device.memory_clock_khz <= 0 || device.memory_bus_bits <= 0) return kUsualBandwidth;
  return 2e-3 * static_cast<double>(device.memory_clock_khz) * device.memory_bus_bits / 8;
}

/// A grid that walks over an input.
struct Walk {
  int block_size;
  double bytes;             ///< of the input
  double bytes_per_thread;  ///< loaded before the first is used
  double tiles;
  double grid;      ///< blocks
  double resident;  ///< blocks of a multiprocessor at a time
  double tile_us;   ///< of a warp: what it does with a tile, alone on its scheduler
  double block_us;  ///< of a block: what it does once
};

double walk_us(const Walk& walk, const DeviceRecord& device) {
  const double multiprocessors = std::max(1, device.multiprocessor_count);
  const double places = walk.resident * multiprocessors;
  const double busy = std::min(walk.grid, places);
  const double warps = std::max(1.0, busy / multiprocessors) * walk.block_size / kWarp;
  const double batches = std::max(1.0, walk.bytes_per_thread / kBytesInFlight);
  const double tile_us = kLoadLatency * batches + walk.tile_us * warps / kSchedulers;
  const double tiles_per_block = std::ceil(walk.tiles / walk.grid);
  const double rounds = std::ceil(walk.grid / places);
  const double latency_us = rounds * (tiles_per_block * tile_us + walk.block_us);

  const double in_flight = busy * walk.block_size * std::min(walk.bytes_per_thread, kBytesInFlight);
  const double bandwidth = std::min(in_flight / kLoadLatency, kEfficiency * peak_bandwidth(device));
  return overlapped(latency_us, walk.bytes / bandwidth);
}

double resident_blocks(int block_size, double bytes_per_thread) {
  const double registers = kOwnRegisters + bytes_per_thread / kRegisterBytes;
  const double fitting = std::floor(kRegisters / (registers * block_size));
  return std::clamp(std::min(std::floor(static_cast<double>(kMaxThreads) / block_size), fitting),
                    1.0, static_cast<double>(kMaxBlocks));
}

/// What an accumulator costs to hand on, of what one word costs.
double word_factor(const Problem& problem) {
  constexpr double kWordBytes = 4;
  const auto bytes = static_cast<double>(accumulator_bytes(problem, /*wide=*/false));
  return 1 + kFurtherWord * std::max(0.0, bytes / kWordBytes - 1);
}

double block_stage_us(const ReduceParams& params, double factor) {
  constexpr double kWarpSteps = 5;
  const double steps = std::log2(params.block_size);
  const double shuffle_us = kShuffle * factor;
  switch (params.block_stage) {
    case BlockStage::tree:
      return kBarrier * steps;
    case BlockStage::tree_shuffle:
      return kBarrier * (steps - kWarpSteps) + shuffle_us * kWarpSteps;
    case BlockStage::redux:
      return 2 * shuffle_us + (params.block_size > kWarp ? kBarrier + 2 * shuffle_us : 0);
    default:
      return shuffle_us * kWarpSteps +
             (params.block_size > kWarp ? kBarrier + shuffle_us * kWarpSteps : 0);
  }
}

double final_stage_us(const ReduceParams& params, double grid, double factor) {
  if (grid == 1) return 0;
  const double storing = kPartial * grid;
  const double folding = storing + kPartials * factor * std::ceil(grid / params.block_size) +
                         block_stage_us(params, factor);
  switch (params.final_stage) {
    case FinalStage::atomic:
      return kAtomic + storing;
    case FinalStage::two_pass:
      return kSecondLaunch + folding;
    case FinalStage::last_block:
      return kTicket + folding;
    case FinalStage::polling:
      return kPolling + folding;
    case FinalStage::counted:
      return kCounted + storing;
    case FinalStage::cluster:
      return kCluster + folding;
  }
  return 0;
}

double estimate_reduce_us(const Problem& problem, const DeviceRecord& device,
                          const ReduceParams& params) {
  const double count = static_cast<double>(std::max<std::uint64_t>(1, problem.count));
  const double per_thread = params.vector_width * params.unroll;
  const double factor = word_factor(problem);
  const bool keeps_index = result_shape(problem.op) == ResultShape::indexed_value;
  double element_bytes = 0;  // of all inputs
  for (const ElementType type : problem.input_types()) {
    element_bytes += static_cast<double>(size_of(type));
  }
  Walk walk{.block_size = params.block_size,
            .bytes = element_bytes * count,
            .bytes_per_thread = per_thread * element_bytes,
            .tiles = std::ceil(count / static_cast<double>(tile_elements(params))),
            .grid = 1,
            .resident = 1,
            .tile_us = (keeps_index ? kPerIndexed : kPerElement) * per_thread,
            .block_us = block_stage_us(params, factor)};
  walk.resident = resident_blocks(walk.block_size, walk.bytes_per_thread);
  walk.grid = grid_blocks(problem, params, problem.count,
                          static_cast<int>(walk.resident) * device.multiprocessor_count);
  return kLaunch + walk_us(walk, device) + final_stage_us(params, walk.grid, factor);
}

/// How often lanes of a warp meet in one counter, at the same time.
double conflicts(const Problem& problem, const HistogramParams& params) {
  const double copies = params.privacy == BinPrivacy::block ? params.copies : 1;
  const double runs = params.aggregation == BinAggregation::runs ? params.vector_width : 1;
  switch (problem.histogram.distribution) {
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

double estimate_histogram_us(const Problem& problem, const DeviceRecord& device,
                             const HistogramParams& params) {
  const double element_bytes = static_cast<double>(size_of(problem.type));
  const double per_thread = params.vector_width * params.unroll;
  const double shared = static_cast<double>(
      counter_bytes(params, static_cast<unsigned>(size_of(problem.type)), problem.histogram.bins));
  const bool is_global = params.privacy == BinPrivacy::global;
  const double count_us = conflicts(problem, params) * (is_global ? kGlobalAtomic : kSharedAtomic) +
                          (params.aggregation == BinAggregation::runs ? kRun : 0);
  const double bin_rows = is_global ? 0 : std::ceil(shared / kRegisterBytes / params.block_size);
  Walk walk{.block_size = params.block_size,
            .bytes = static_cast<double>(problem.input_bytes()),
            .bytes_per_thread = per_thread * element_bytes,
            .tiles = std::ceil(static_cast<double>(std::max<std::uint64_t>(1, problem.count)) /
                               static_cast<double>(tile_elements(params))),
            .grid = 1,
            .resident = 1,
            .tile_us = (kPerElement + count_us) * per_thread,
            .block_us = kBinRow * bin_rows + kBlockBins};
  walk.resident = resident_blocks(walk.block_size, walk.bytes_per_thread);
  if (!is_global && shared > 0) {
    walk.resident = std::clamp(std::floor(kSharedBytes / shared), 1.0, walk.resident);
  }
  walk.grid = grid_blocks(params, problem.count, device.multiprocessor_count);
  double finish_us = 0;
  if (walk.grid > 1 || is_global) {
    finish_us = meeting_us(params.finish);
    if (!is_global) finish_us += kSameBin * walk.grid;
  }
  return kLaunch + walk_us(walk, device) + finish_us;
}

}  // namespace

double estimate_us(const Problem& problem, const DeviceRecord& device, const Config& params) {
  return &params.family() == &reduce_family()
             ? estimate_reduce_us(problem, device, reduce_params(params))
             : estimate_histogram_us(problem, device, histogram_params(params));
}

}  // namespace foldtune
