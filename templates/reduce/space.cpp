#include "templates/reduce/space.h"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

#include "templates/fold/operators.h"
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
constexpr std::array kBlockStages{0, 1, 2, 3};
constexpr std::array<std::string_view, 4> kBlockStageNames{"tree", "tree_shuffle", "shuffle",
                                                           "redux"};
constexpr std::array kFinalStages{0, 1, 2, 3, 4, 5};
constexpr std::array<std::string_view, 6> kFinalStageNames{"atomic",  "two_pass", "last_block",
                                                           "polling", "cluster",  "counted"};
constexpr std::array kWaves{0, 1, 2, 4};

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
                                             kBlockStageNames, kBlockStages, kBlockStages),
    enum_tunable<&ReduceParams::final_stage>("final_stage", "foldtune::FinalStage",
                                             kFinalStageNames, kFinalStages, kFinalStages),
    integer_tunable<&ReduceParams::waves>("waves", kWaves),
}};

/// Tiles that hold any element; one for an empty input.
std::uint64_t tile_count(const ReduceParams& params, std::uint64_t count) {
  const std::uint64_t tile = tile_elements(params);
  return std::max<std::uint64_t>(1, (count + tile - 1) / tile);
}

/// The most that the results of all counts of the reduction's size class can be, as a power of two.
int result_bits(const Reduction& reduction) {
  const int count_bits = static_cast<int>(std::bit_width(reduction.count)) + 1;
  if (reduction.op == Operator::count_nonzero) return count_bits;
  return count_bits + 8 * static_cast<int>(size_of(reduction.type));
}

/// The kernels of fixed_order.cuh have lanes for a thousand threads, each with an accumulator, and
/// stages of their own.
bool is_valid_in_fixed_order(const Reduction& reduction, const ReduceParams& params) {
  constexpr int kFewestThreads = 128;  // more lanes for each would not fit into registers
  constexpr int kLanes = 1024;
  return params.block_size >= kFewestThreads && params.block_size * params.vector_width <= kLanes &&
         (params.vector_width == 1 || reduction.alignment == Alignment::vector) &&
         params.tile_layout == TileLayout::contiguous && params.block_stage == BlockStage::tree &&
         (params.final_stage == FinalStage::two_pass ||
          params.final_stage == FinalStage::last_block);
}

}  // namespace

std::size_t widest_element(const Reduction& reduction) {
  std::size_t widest = 1;
  for (const ElementType type : reduction.input_types()) widest = std::max(widest, size_of(type));
  return widest;
}

bool can_be_counted(const Reduction& reduction) {
  const ElementType accumulator = reduction.accumulator_type();
  const bool adds_elements = reduction.op == Operator::sum || reduction.op == Operator::asum ||
                             reduction.op == Operator::nansum ||
                             reduction.op == Operator::count_nonzero;
  if (!adds_elements || is_floating(accumulator)) return false;
  constexpr int kSumBits = 64 - static_cast<int>(kArrivalBits);
  // One more is the sign.
  return size_of(accumulator) <= sizeof(std::uint32_t) || result_bits(reduction) < kSumBits;
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

bool is_valid(const Reduction& reduction, const ReduceParams& params) {
  const auto width = static_cast<std::size_t>(params.vector_width);
  const auto unroll = static_cast<std::size_t>(params.unroll);
  if (width * widest_element(reduction) > kMaxLoadBytes) return false;
  if (width * unroll * widest_element(reduction) * reduction.input_types().size() >
      kMaxBytesInFlight) {
    return false;
  }

  if (has_fixed_order(reduction)) return is_valid_in_fixed_order(reduction, params);
  if (params.final_stage == FinalStage::atomic) {
    if (!can_combine_atomically(reduction)) return false;
    // Blocks come in any order, so an atomic floating-point sum differs between runs.
    if (depends_on_order(reduction) && reduction.determinism != Determinism::any) return false;
  }
  if (params.final_stage == FinalStage::counted && !can_be_counted(reduction)) return false;
  return params.block_stage != BlockStage::redux || has_warp_fold(reduction);
}

/// Bytes of input up to which no search tries a final stage that needs a second launch: in a graph
/// it seldom gains, and in a stream the launch takes as long as the rest.
constexpr std::uint64_t kOneLaunchBytes = 8 << 20;

bool is_searched(const Reduction& reduction, const ReduceParams& params) {
  if (params.final_stage == FinalStage::two_pass || params.final_stage == FinalStage::atomic) {
    return reduction.input_bytes() > kOneLaunchBytes;
  }
  if (params.final_stage == FinalStage::cluster) {
    // With more tiles than blocks the rest of the device would have nothing to do.
    return tile_count(params, reduction.count) <= kMaxClusterBlocks;
  }
  return true;
}

ReduceParams canonical(const Reduction& reduction, ReduceParams params, int multiprocessor_count) {
  ReduceParams without_waves = params;
  without_waves.waves = 0;
  const std::uint32_t blocks = grid_blocks(reduction, without_waves, reduction.count, 0);
  // One block needs no final stage.
  if (blocks == 1) params.final_stage = FinalStage::last_block;
  // Nor does one cluster have waves.
  if (params.final_stage == FinalStage::cluster) params.waves = 0;
  // Every multiprocessor holds a block at least, so these blocks are all resident at once.
  if (blocks <= static_cast<std::uint32_t>(multiprocessor_count)) params.waves = 0;
  return params;
}

bool has_fixed_order(const Reduction& reduction) {
  return reduction.determinism == Determinism::config_independent && depends_on_order(reduction);
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

GridRule::GridRule(const Reduction& reduction, const ReduceParams& params, int resident_blocks)
    : portion_(has_fixed_order(reduction) ? 0 : tile_elements(params)), limit_(kMaxGridBlocks) {
  if (params.waves > 0) {
    limit_ = static_cast<std::uint64_t>(params.waves) * std::max(1, resident_blocks);
  }
  if (params.final_stage == FinalStage::cluster) limit_ = kMaxClusterBlocks;
  limit_ = std::min(limit_, kMaxGridBlocks);
}

std::uint32_t grid_blocks(const Reduction& reduction, const ReduceParams& params,
                          std::uint64_t count, int resident_blocks) {
  return GridRule(reduction, params, resident_blocks).blocks(count);
}

}  // namespace foldtune
