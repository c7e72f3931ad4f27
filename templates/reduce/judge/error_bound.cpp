#include "templates/reduce/judge/error_bound.h"

#include <algorithm>
#include <bit>

#include "templates/fold/judge/error_bound.h"
#include "templates/reduce/space.h"

namespace foldtune {
namespace {

/// The threads of a warp.
constexpr std::uint64_t kWarp = 32;

std::uint64_t divide_up(std::uint64_t value, std::uint64_t divisor) {
  return (value + divisor - 1) / divisor;
}
std::uint64_t ceil_log2(std::uint64_t value) {
  return static_cast<std::uint64_t>(std::bit_width(std::max<std::uint64_t>(1, value) - 1));
}

/// Combinations that the value of one thread passes through while its block meets.
std::uint64_t block_depth(const ReduceParams& params) {
  // A tree over the threads, or two over the lanes of a warp.
  return std::max(ceil_log2(static_cast<std::uint64_t>(params.block_size)), 2 * ceil_log2(kWarp));
}

/// Of fixed_order.cuh: a chunk's elements are dealt to 1024 lanes, at most 64 to each, that meet in
/// a tree; so are the chunks.
FoldShape fixed_order_shape(std::uint64_t count) {
  constexpr std::uint64_t kLanes = 1024;
  constexpr std::uint64_t kMaxPerLane = 64;
  const std::uint64_t chunk = std::clamp(std::bit_floor(count) / 128, kLanes, kLanes * kMaxPerLane);
  const std::uint64_t chunks = divide_up(count, chunk);
  return {.depth =
              chunk / kLanes + ceil_log2(kLanes) + divide_up(chunks, kLanes) + ceil_log2(kLanes)};
}

FoldShape fold_shape(const Reduction& reduction, const ReduceParams& params,
                     std::uint64_t grid_size) {
  if (has_fixed_order(reduction)) return fixed_order_shape(reduction.count);
  const auto threads = static_cast<std::uint64_t>(params.block_size);
  const auto unroll = static_cast<std::uint64_t>(params.unroll);
  const std::uint64_t tiles = reduction.count / tile_elements(params);
  // A thread: the trees over a vector and over a tile's vectors, then one combination per tile of
  // its block; in the block of the rest, one more per vector, and the head and the tail.
  FoldShape shape;
  shape.tile = static_cast<std::uint64_t>(params.vector_width) * unroll;
  shape.depth = ceil_log2(static_cast<std::uint64_t>(params.vector_width)) + ceil_log2(unroll) +
                divide_up(tiles, grid_size) + unroll + 2;
  if (grid_size == 1) {
    shape.depth += block_depth(params);
    return shape;
  }
  if (params.final_stage == FinalStage::atomic) {
    shape.memory_atomics = grid_size;  // in turn
    shape.depth += block_depth(params) + shape.memory_atomics;
    return shape;
  }
  // The others let the threads of a block take the partials in turn, and meet again. The last block
  // that polls adds its own total; if few partials are left, one warp takes 4 per lane.
  constexpr std::uint64_t kPerLane = 4;
  shape.depth += block_depth(params) + std::max(divide_up(grid_size, threads), kPerLane) + 1 +
                 block_depth(params);
  return shape;
}

}  // namespace

long double error_bound(const Reduction& reduction, const Config& params, std::uint64_t grid_size,
                        const Reference& reference) {
  return error_bound(reduction, fold_shape(reduction, reduce_params(params), grid_size), reference);
}

}  // namespace foldtune
