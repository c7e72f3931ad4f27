/// What a grid that walks over an input probably takes: the part of a family's prior that families
/// have in common.
///
/// Microseconds, fitted to the landscapes of 31 reductions on an H200, some of which are in
/// bench/landscapes; a fast configuration counts more than a slow one, and proportions are
/// predicted to 9%. They change little from one GPU to the next, as far as only their proportions
/// matter.
#pragma once

#include "templates/family.h"

namespace foldtune::prior {

inline constexpr double kLaunch = 0.64;  ///< of a grid, back to back with others
inline constexpr double kPerElement =
    0.0026;                             ///< of a warp: one element per lane, on a quarter of an SM
inline constexpr double kTicket = 1.5;  ///< the last block: a fence, and a ticket from the L2
inline constexpr double kPolling = 0.71;  ///< a store that another block waits for

inline constexpr int kWarp = 32;
inline constexpr double kRegisterBytes = 4;

/// A grid that walks over an input.
struct GridWalk {
  int block_size;
  double bytes;             ///< of the input
  double bytes_per_thread;  ///< loaded before the first is used
  double tiles;
  double grid;      ///< blocks
  double resident;  ///< blocks of a multiprocessor at a time
  double tile_us;   ///< of a warp: what it does with a tile, alone on its scheduler
  double block_us;  ///< of a block: what it does once
};

/// Without its launch.
double walk_us(const GridWalk& walk, const DeviceFacts& device);

/// Blocks that a multiprocessor holds at a time, whose threads each load so many bytes at a time.
double resident_blocks(int block_size, double bytes_per_thread);

}  // namespace foldtune::prior
