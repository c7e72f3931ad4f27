#include "tuner/search/prior.h"

#include <algorithm>
#include <cmath>

#include "templates/histogram/layout.cuh"
#include "templates/histogram/space.h"
#include "templates/reduce/space.h"

namespace foldtune {
namespace {

// Microseconds, fitted to some ten thousand timings of sums of f32 from 2^12 to 2^28 elements on an
// H200, which they predict to 10 %. They change little from one GPU to the next, as far as only
// their proportions matter.
constexpr double kLaunch = 0.7;          ///< of a grid, back to back with others
constexpr double kLoadLatency = 0.3;     ///< from a load to its data, many in flight
constexpr double kPerElement = 0.006;    ///< of a warp: one element per lane, on a quarter of an SM
constexpr double kBarrier = 0.09;        ///< a step of a tree in shared memory
constexpr double kShuffle = 0.05;        ///< a step of a warp's shuffles
constexpr double kTicket = 1.8;          ///< the last block: a fence, and a ticket from the L2
constexpr double kPolling = 0.95;        ///< a store that another block waits for
constexpr double kSecondLaunch = 1.7;    ///< a launch that waits for the one before
constexpr double kPartials = 0.06;       ///< a block reads as many partials as it has threads
constexpr double kPartial = 0.0004;      ///< a block's store of its partial, or its atomic
constexpr double kSharedAtomic = 0.004;  ///< of a warp in shared memory, without conflicts
constexpr double kBinRow = 0.002;        ///< a warp adds 32 bins to those of the grid

/// Of the peak bandwidth, what can be had.
constexpr double kEfficiency = 0.94;

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
  const double tile_us = kLoadLatency + walk.tile_us * warps / kSchedulers;
  const double tiles_per_block = std::ceil(walk.tiles / walk.grid);
  const double rounds = std::ceil(walk.grid / places);
  const double latency_us = rounds * (tiles_per_block * tile_us + walk.block_us);

  const double in_flight = busy * walk.block_size * walk.bytes_per_thread;
  const double bandwidth = std::min(in_flight / kLoadLatency, kEfficiency * peak_bandwidth(device));
  return overlapped(latency_us, walk.bytes / bandwidth);
}

double resident_blocks(int block_size, double bytes_per_thread) {
  const double registers = kOwnRegisters + bytes_per_thread / kRegisterBytes;
  const double fitting = std::floor(kRegisters / (registers * block_size));
  return std::clamp(std::min(std::floor(static_cast<double>(kMaxThreads) / block_size), fitting),
                    1.0, static_cast<double>(kMaxBlocks));
}

double block_stage_us(const ReduceParams& params) {
  constexpr double kWarpSteps = 5;
  const double steps = std::log2(params.block_size);
  switch (params.block_stage) {
    case BlockStage::tree:
      return kBarrier * steps;
    case BlockStage::tree_shuffle:
      return kBarrier * (steps - kWarpSteps) + kShuffle * kWarpSteps;
    case BlockStage::redux:
      return 2 * kShuffle + (params.block_size > kWarp ? kBarrier + 2 * kShuffle : 0);
    default:
      return kShuffle * kWarpSteps +
             (params.block_size > kWarp ? kBarrier + kShuffle * kWarpSteps : 0);
  }
}

double final_stage_us(const ReduceParams& params, double grid) {
  if (grid == 1) return 0;
  const double folding = kPartials * std::ceil(grid / params.block_size) + kPartial * grid;
  switch (params.final_stage) {
    case FinalStage::atomic:
      return kSecondLaunch + kPartial * grid;
    case FinalStage::two_pass:
      return kSecondLaunch + folding;
    case FinalStage::last_block:
      return kTicket + folding;
    case FinalStage::polling:
      return kPolling + folding;
  }
  return 0;
}

double estimate_reduce_us(const Problem& problem, const DeviceRecord& device,
                          const ReduceParams& params) {
  const double count = static_cast<double>(std::max<std::uint64_t>(1, problem.count));
  const double per_thread = params.vector_width * params.unroll;
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
            .tile_us = kPerElement * per_thread,
            .block_us = block_stage_us(params)};
  walk.resident = resident_blocks(walk.block_size, walk.bytes_per_thread);
  walk.grid = grid_blocks(problem, params, problem.count,
                          static_cast<int>(walk.resident) * device.multiprocessor_count);
  return kLaunch + walk_us(walk, device) + final_stage_us(params, walk.grid);
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

double estimate_histogram_us(const Problem& problem, const DeviceRecord& device,
                             const HistogramParams& params) {
  const double element_bytes = static_cast<double>(size_of(problem.type));
  const double per_thread = params.vector_width * params.unroll;
  const double shared = static_cast<double>(
      counter_bytes(params, static_cast<unsigned>(size_of(problem.type)), problem.histogram.bins));
  const bool is_global = params.privacy == BinPrivacy::global;
  constexpr double kGlobalAtomic = 8;  // as many times a shared one
  const double count_us =
      kSharedAtomic * conflicts(problem, params) * (is_global ? kGlobalAtomic : 1);
  const double bin_rows = is_global ? 0 : shared / kRegisterBytes / kWarp;
  Walk walk{.block_size = params.block_size,
            .bytes = static_cast<double>(problem.input_bytes()),
            .bytes_per_thread = per_thread * element_bytes,
            .tiles = std::ceil(static_cast<double>(std::max<std::uint64_t>(1, problem.count)) /
                               static_cast<double>(tile_elements(params))),
            .grid = 1,
            .resident = 1,
            .tile_us = (kPerElement + count_us) * per_thread,
            .block_us = kBinRow * bin_rows + 2 * kBarrier};
  walk.resident = resident_blocks(walk.block_size, walk.bytes_per_thread);
  if (!is_global && shared > 0) {
    walk.resident = std::clamp(std::floor(kSharedBytes / shared), 1.0, walk.resident);
  }
  walk.grid = grid_blocks(params, problem.count, device.multiprocessor_count);
  double finish_us = 0;
  if (walk.grid > 1 || is_global) {
    finish_us = params.finish == HistogramFinal::zero_first ? kSecondLaunch : kTicket;
  }
  return kLaunch + walk_us(walk, device) + finish_us;
}

}  // namespace

double estimate_us(const Problem& problem, const DeviceRecord& device, const Params& params) {
  return family_of(params) == Family::reduce
             ? estimate_reduce_us(problem, device, std::get<ReduceParams>(params))
             : estimate_histogram_us(problem, device, std::get<HistogramParams>(params));
}

}  // namespace foldtune
