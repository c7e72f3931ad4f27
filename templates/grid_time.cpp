#include "templates/grid_time.h"

#include <algorithm>
#include <cmath>

namespace foldtune::prior {
namespace {

constexpr double kLoadLatency =
    0.25;  ///< from loads to their data, many in flight, in microseconds

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
constexpr int kSchedulers = 4;

/// Registers of a thread besides what it loads.
constexpr double kOwnRegisters = 24;

/// How the larger of two times hides the smaller: the higher, the better.
constexpr double kOverlap = 4;

double overlapped(double a, double b) {
  return std::pow(std::pow(a, kOverlap) + std::pow(b, kOverlap), 1 / kOverlap);
}

}  // namespace

double walk_us(const GridWalk& walk, const DeviceFacts& device) {
  const double multiprocessors = std::max(1, device.multiprocessor_count);
  const double places = walk.resident * multiprocessors;
  const double busy = std::min(walk.grid, places);
  const double warps = std::max(1.0, busy / multiprocessors) * walk.block_size / kWarp;
  const double batches = std::max(1.0, walk.bytes_per_thread / kBytesInFlight);
  const double tile_us = kLoadLatency * batches + walk.tile_us * warps / kSchedulers;
  const double tiles_per_block = std::ceil(walk.tiles / walk.grid);
  const double rounds = std::ceil(walk.grid / places);
  const double latency_us = rounds * (tiles_per_block * tile_us + walk.block_us);

  const double peak = device.peak_bytes_per_us > 0 ? device.peak_bytes_per_us : kUsualBandwidth;
  const double in_flight = busy * walk.block_size * std::min(walk.bytes_per_thread, kBytesInFlight);
  const double bandwidth = std::min(in_flight / kLoadLatency, kEfficiency * peak);
  return overlapped(latency_us, walk.bytes / bandwidth);
}

double resident_blocks(int block_size, double bytes_per_thread) {
  const double registers = kOwnRegisters + bytes_per_thread / kRegisterBytes;
  const double fitting = std::floor(kRegisters / (registers * block_size));
  return std::clamp(std::min(std::floor(static_cast<double>(kMaxThreads) / block_size), fitting),
                    1.0, static_cast<double>(kMaxBlocks));
}

}  // namespace foldtune::prior
