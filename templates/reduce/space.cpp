#include "templates/reduce/space.h"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

#include "templates/catalog.h"
#include "templates/hardware.h"
#include "templates/reduce/scratch.cuh"
#include "templates/struct_tunables.h"

namespace foldtune {
namespace {

constexpr std::array kBlockSizes{32, 64, 128, 256, 512, 1024};
constexpr std::array kVectorWidths{1, 2, 4, 8, 16};
constexpr std::array kUnrolls{1, 2, 4, 8, 16};
constexpr std::array kTileLayouts{0, 1};
constexpr std::array<std::string_view, 2> kTileLayoutNames{"contiguous", "split"};
constexpr std::array kBlockStages{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
constexpr std::array<std::string_view, 14> kBlockStageNames{"tree",
                                                            "tree_shuffle",
                                                            "shuffle",
                                                            "redux",
                                                            "interleaved",
                                                            "tree_unrolled",
                                                            "shared_atomic",
                                                            "warp",
                                                            "none",
                                                            "single_thread",
                                                            "cooperative_groups",
                                                            "tree_cooperative_groups",
                                                            "cub_block",
                                                            "cub_warp"};
constexpr std::array kFinalStages{0, 1, 2, 3, 4, 5};
constexpr std::array<std::string_view, 6> kFinalStageNames{"atomic",  "two_pass", "last_block",
                                                           "polling", "cluster",  "counted"};
constexpr std::array kWaves{0, 1, 2, 4};

/// Of the block stages, those that are ever the fastest.
constexpr std::span kSearchedBlockStages = std::span(kBlockStages).first(4);
constexpr std::span kSearchedTileLayouts = std::span(kTileLayouts).first(1);

/// Registers that loads in flight may take per thread, in bytes: half of what there is.
constexpr std::size_t kMaxBytesInFlight = 512;

/// Blocks of the largest grid: enough to fill any device many times over, and few enough for their
/// partials to be a small part of the input.
constexpr std::uint64_t kMaxGridBlocks = std::uint64_t{1} << 20;

constexpr StructTunables kTunables{std::array{
    integer_tunable<&ReduceParams::block_size>("block_size", kBlockSizes),
    integer_tunable<&ReduceParams::vector_width>("vector_width", kVectorWidths),
    integer_tunable<&ReduceParams::unroll>("unroll", kUnrolls),
    enum_tunable<&ReduceParams::tile_layout>("tile_layout", "foldtune::TileLayout",
                                             kTileLayoutNames, kTileLayouts, kSearchedTileLayouts),
    enum_tunable<&ReduceParams::block_stage>("block_stage", "foldtune::BlockStage",
                                             kBlockStageNames, kBlockStages, kSearchedBlockStages),
    enum_tunable<&ReduceParams::final_stage>("final_stage", "foldtune::FinalStage",
                                             kFinalStageNames, kFinalStages, kFinalStages),
    integer_tunable<&ReduceParams::waves>("waves", kWaves),
}};

/// Tiles that hold any element; one for an empty input.
std::uint64_t tile_count(const ReduceParams& params, std::uint64_t count) {
  const std::uint64_t tile = tile_elements(params);
  return std::max<std::uint64_t>(1, (count + tile - 1) / tile);
}

bool combines_atomically(const ReduceParams& params) {
  return params.final_stage == FinalStage::atomic ||
         params.block_stage == BlockStage::shared_atomic;
}

/// What the collectives of cooperative groups take at most (CUDA 13.0).
constexpr std::size_t kMaxCooperativeBytes = 32;

bool uses_cooperative_groups(const ReduceParams& params) {
  return params.block_stage == BlockStage::cooperative_groups ||
         params.block_stage == BlockStage::tree_cooperative_groups;
}

/// The most that the results of all counts of the problem's size class can be, as a power of two.
int result_bits(const Problem& problem) {
  const int count_bits = static_cast<int>(std::bit_width(problem.count)) + 1;
  if (problem.op == Operator::count_nonzero) return count_bits;
  return count_bits + 8 * static_cast<int>(size_of(problem.type));
}

/// The kernels of fixed_order.cuh have lanes for a thousand threads, each with an accumulator, and
/// stages of their own.
bool is_valid_in_fixed_order(const Problem& problem, const ReduceParams& params) {
  constexpr int kFewestThreads = 128;  // more lanes for each would not fit into registers
  constexpr int kLanes = 1024;
  return params.block_size >= kFewestThreads && params.block_size * params.vector_width <= kLanes &&
         (params.vector_width == 1 || problem.alignment == Alignment::vector) &&
         params.tile_layout == TileLayout::contiguous && params.block_stage == BlockStage::tree &&
         (params.final_stage == FinalStage::two_pass ||
          params.final_stage == FinalStage::last_block);
}

/// One thread has no use for any tunable.
bool is_valid_for_single_thread(const ReduceParams& params) {
  return params.block_size == kBlockSizes.front() && params.vector_width == 1 &&
         params.unroll == 1 && params.tile_layout == TileLayout::contiguous &&
         params.final_stage == FinalStage::last_block && params.waves == 0;
}

}  // namespace

std::size_t widest_element(const Problem& problem) {
  std::size_t widest = 1;
  for (const ElementType type : problem.input_types()) widest = std::max(widest, size_of(type));
  return widest;
}

bool can_be_counted(const Problem& problem) {
  const ElementType accumulator = problem.accumulator_type();
  const bool adds_elements = problem.op == Operator::sum || problem.op == Operator::asum ||
                             problem.op == Operator::count_nonzero;
  if (!adds_elements || is_floating(accumulator)) return false;
  constexpr int kSumBits = 64 - static_cast<int>(kArrivalBits);
  // One more is the sign.
  return size_of(accumulator) <= sizeof(std::uint32_t) || result_bits(problem) < kSumBits;
}

std::span<const Tunable> reduce_tunables() { return kTunables.tunables(); }

Config to_config(const ReduceParams& params) {
  return kTunables.to_config(reduce_family(), params);
}

ReduceParams reduce_params(const Config& config) {
  if (&config.family() != &reduce_family()) {
    throw std::logic_error("a configuration of another family where one of `reduce` belongs");
  }
  return kTunables.to_struct(config);
}

bool is_valid(const Problem& problem, const ReduceParams& params) {
  const auto width = static_cast<std::size_t>(params.vector_width);
  const auto unroll = static_cast<std::size_t>(params.unroll);
  if (width * widest_element(problem) > kMaxLoadBytes) return false;
  if (width * unroll * widest_element(problem) * problem.input_types().size() > kMaxBytesInFlight) {
    return false;
  }

  if (has_fixed_order(problem)) return is_valid_in_fixed_order(problem, params);
  if (params.block_stage == BlockStage::single_thread) return is_valid_for_single_thread(params);
  if (combines_atomically(params)) {
    if (!can_combine_atomically(problem)) return false;
    // Threads and blocks come in any order, so an atomic floating-point sum differs between runs.
    if (depends_on_order(problem) && problem.determinism != Determinism::any) return false;
  }
  if (params.final_stage == FinalStage::counted && !can_be_counted(problem)) return false;
  if (params.block_stage == BlockStage::redux && !has_warp_fold(problem)) return false;
  if (uses_cooperative_groups(params) &&
      accumulator_bytes(problem, /*wide=*/true) > kMaxCooperativeBytes) {
    return false;
  }
  const bool meets_no_block =
      params.block_stage == BlockStage::warp || params.block_stage == BlockStage::none;
  return !meets_no_block || params.final_stage == FinalStage::atomic;
}

/// Bytes of input up to which no search tries a final stage that needs a second launch: in a graph
/// it seldom gains, and in a stream the launch takes as long as the rest.
constexpr std::uint64_t kOneLaunchBytes = 8 << 20;

bool is_searched(const Problem& problem, const ReduceParams& params) {
  if (params.final_stage == FinalStage::two_pass || params.final_stage == FinalStage::atomic) {
    return problem.input_bytes() > kOneLaunchBytes;
  }
  if (params.final_stage == FinalStage::cluster) {
    // With more tiles than blocks the rest of the device would have nothing to do.
    return tile_count(params, problem.count) <= kMaxClusterBlocks;
  }
  return true;
}

ReduceParams canonical(const Problem& problem, ReduceParams params, int multiprocessor_count) {
  ReduceParams without_waves = params;
  without_waves.waves = 0;
  const std::uint32_t blocks = grid_blocks(problem, without_waves, problem.count, 0);
  // One block needs no final stage.
  if (blocks == 1) params.final_stage = FinalStage::last_block;
  // Nor does one cluster have waves.
  if (params.final_stage == FinalStage::cluster) params.waves = 0;
  // Every multiprocessor holds a block at least, so these blocks are all resident at once.
  if (blocks <= static_cast<std::uint32_t>(multiprocessor_count)) params.waves = 0;
  return params;
}

bool has_fixed_order(const Problem& problem) {
  return problem.determinism == Determinism::config_independent && depends_on_order(problem);
}

std::uint32_t chunk_elements(std::uint64_t count) {
  // As many chunks as a large device has multiprocessors, as far as chunks of a good size go. A
  // change here changes results.
  constexpr std::uint64_t kChunks = 128;
  constexpr std::uint64_t kFewest = 1024;
  constexpr std::uint64_t kMost = 1 << 20;
  constexpr std::uint64_t kUsual = 1 << 16;
  // Beyond 2^36 elements chunks grow, so that their number does not.
  const std::uint64_t wanted = std::bit_floor(count) / kChunks;
  return static_cast<std::uint32_t>(
      std::clamp(wanted, kFewest, std::max(kUsual, std::min(kMost, std::bit_floor(count) >> 20))));
}

std::uint32_t chunk_count(std::uint64_t count) {
  const std::uint64_t chunk = chunk_elements(count);
  return static_cast<std::uint32_t>((count + chunk - 1) / chunk);
}

std::uint64_t tile_elements(const ReduceParams& params) {
  return static_cast<std::uint64_t>(params.block_size) * params.vector_width * params.unroll;
}

GridRule::GridRule(const Problem& problem, const ReduceParams& params, int resident_blocks)
    : portion_(has_fixed_order(problem) ? 0 : tile_elements(params)), limit_(kMaxGridBlocks) {
  if (params.waves > 0) {
    limit_ = static_cast<std::uint64_t>(params.waves) * std::max(1, resident_blocks);
  }
  if (params.final_stage == FinalStage::cluster) limit_ = kMaxClusterBlocks;
  if (params.block_stage == BlockStage::single_thread) limit_ = 1;
  limit_ = std::min(limit_, kMaxGridBlocks);
}

std::uint32_t grid_blocks(const Problem& problem, const ReduceParams& params, std::uint64_t count,
                          int resident_blocks) {
  return GridRule(problem, params, resident_blocks).blocks(count);
}

bool needs_toolkit(const ReduceParams& params) {
  switch (params.block_stage) {
    case BlockStage::cooperative_groups:
    case BlockStage::tree_cooperative_groups:
    case BlockStage::cub_block:
    case BlockStage::cub_warp:
      return true;
    default:
      return false;
  }
}

}  // namespace foldtune
