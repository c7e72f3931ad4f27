// What a reduction probably takes: see templates/grid_time.h.
#include <algorithm>
#include <cmath>

#include "templates/fold/operators.h"
#include "templates/grid_time.h"
#include "templates/reduce/space.h"

namespace foldtune {
namespace {

using namespace prior;  // its constants

constexpr double kPerIndexed =
    0.006;                          ///< as kPerElement, where the place of the element counts, too
constexpr double kBarrier = 0.048;  ///< a step of a tree in shared memory
constexpr double kShuffle = 0.027;  ///< a step of a warp's shuffles of one word
constexpr double kSecondLaunch = 0.85;  ///< a launch that waits for the one before
constexpr double kAtomic = 0.76;        ///< an atomic that the end of the grid waits for
constexpr double kPartials = 0.048;     ///< a block reads as many partials as it has threads
constexpr double kPartial = 0.00024;    ///< a block's store of its partial, or its atomic
constexpr double kCounted = 0.35;       ///< an atomic whose last one is told
constexpr double kCluster = 0.02;       ///< a store into another multiprocessor's shared memory

/// Of what one word costs, each further word of an accumulator adds this part.
constexpr double kFurtherWord = 0.4;

/// What an accumulator costs to hand on, of what one word costs.
double word_factor(const Reduction& reduction) {
  constexpr double kWordBytes = 4;
  const auto bytes = static_cast<double>(accumulator_bytes(reduction, /*wide=*/false));
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

}  // namespace

double estimate_us(const Reduction& reduction, const DeviceFacts& device,
                   const ReduceParams& params) {
  const double count = static_cast<double>(std::max<std::uint64_t>(1, reduction.count));
  const double per_thread = params.vector_width * params.unroll;
  const double factor = word_factor(reduction);
  const bool keeps_index = result_shape(reduction.op) == ResultShape::indexed_value;
  double element_bytes = 0;  // of all inputs
  for (const ElementType type : reduction.input_types()) {
    element_bytes += static_cast<double>(size_of(type));
  }
  GridWalk walk{.block_size = params.block_size,
                .bytes = element_bytes * count,
                .bytes_per_thread = per_thread * element_bytes,
                .tiles = std::ceil(count / static_cast<double>(tile_elements(params))),
                .grid = 1,
                .resident = 1,
                .tile_us = (keeps_index ? kPerIndexed : kPerElement) * per_thread,
                .block_us = block_stage_us(params, factor)};
  walk.resident = resident_blocks(walk.block_size, walk.bytes_per_thread);
  walk.grid = grid_blocks(reduction, params, reduction.count,
                          static_cast<int>(walk.resident) * device.multiprocessor_count);
  return kLaunch + walk_us(walk, device) + final_stage_us(params, walk.grid, factor);
}

}  // namespace foldtune
