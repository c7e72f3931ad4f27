// The configurations that are used where nothing was tuned, and that a search begins with.
#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>

#include "templates/hardware.h"
#include "templates/reduce/operators.h"
#include "templates/reduce/space.h"

namespace foldtune {
namespace {

constexpr int kFewestThreads = 32;
constexpr int kMostThreads = 1024;

/// As many elements as the widest load takes, for every input.
int widest_vector(const Reduction& reduction) {
  return static_cast<int>(kMaxLoadBytes / widest_element(reduction));
}

ReduceParams default_in_fixed_order(const Reduction& reduction) {
  const int width =
      reduction.alignment == Alignment::vector ? std::min(4, widest_vector(reduction)) : 1;
  return ReduceParams{.block_size = 256,
                      .vector_width = width,
                      .unroll = 4,
                      .block_stage = BlockStage::tree,
                      .final_stage = FinalStage::last_block};
}

/// Loads of `load_bytes`, as many as bring a thread `in_flight` bytes of all inputs. Where a warp
/// folds at once, that is the fastest.
ReduceParams loads_in_flight(const Reduction& reduction, std::size_t load_bytes,
                             std::size_t in_flight, BlockStage stage) {
  const std::size_t loads = in_flight / (load_bytes * reduction.input_types().size());
  return {.vector_width = static_cast<int>(load_bytes / widest_element(reduction)),
          .unroll = static_cast<int>(std::bit_floor(std::max<std::size_t>(1, loads))),
          .block_stage = has_warp_fold(reduction) ? BlockStage::redux : stage,
          .final_stage = can_be_counted(reduction) ? FinalStage::counted : FinalStage::polling};
}

/// A tile for each of `blocks` blocks, which together hold the input: as many threads as it takes.
/// Where these are more than `most`, each has more loads; where they are less than a warp, fewer,
/// so that the tile is full.
ReduceParams one_round(const Reduction& reduction, ReduceParams params, unsigned blocks, int most) {
  const std::uint64_t share = (reduction.count + blocks - 1) / blocks;
  const auto per_thread = static_cast<std::uint64_t>(params.vector_width) * params.unroll;
  params.block_size = static_cast<int>(std::clamp<std::uint64_t>(
      std::bit_ceil((share + per_thread - 1) / per_thread), kFewestThreads, most));
  while (tile_elements(params) < share) params.unroll *= 2;
  while (params.unroll > 1 && tile_elements(params) / 2 >= share) params.unroll /= 2;
  return params;
}

/// Of a total, as far as its time goes: 1 for a sum, 2 for a minimum with its index.
std::size_t numbers_of_total(const Reduction& reduction) {
  if (reduction.op == Operator::custom) return reduction.custom->accumulator.size();
  // The second one of these takes next to none.
  if (reduction.op == Operator::nrm2 || reduction.op == Operator::mean) return 1;
  const std::size_t number = std::max(sizeof(float), size_of(reduction.accumulator_type()));
  return accumulator_bytes(reduction, /*wide=*/false) / number;
}

/// Of totals of three numbers that warps merge at once, of f32, between `kFewestBytes` and 64 bytes
/// for each of the threads that the GPU is given: the fewer blocks the better, since to merge their
/// results takes longest.
std::optional<ReduceParams> merged_by_few(const Reduction& reduction, std::uint64_t blocks) {
  constexpr std::uint64_t kFewestBytes = 64 << 10;
  const std::uint64_t bytes = reduction.input_bytes();
  const std::uint64_t threads = blocks * kMostThreads;
  if (!has_warp_fold(reduction) || numbers_of_total(reduction) < 3 ||
      reduction.type != ElementType::f32 || bytes <= kFewestBytes || bytes > 64 * threads) {
    return std::nullopt;
  }
  const auto in_one_round = [&](std::size_t load_bytes, std::size_t in_flight, int most) {
    return one_round(reduction,
                     loads_in_flight(reduction, load_bytes, in_flight, BlockStage::shuffle),
                     static_cast<unsigned>(blocks / 2), most);
  };
  if (bytes <= 2 * threads) return in_one_round(kMaxLoadBytes, 64, kFewestThreads);
  if (bytes <= 4 * threads) return in_one_round(kMaxLoadBytes, 64, 128);
  if (bytes <= 8 * threads) return in_one_round(kMaxLoadBytes / 2, 128, 128);
  const std::size_t in_flight = bytes <= 16 * threads ? 32 : bytes <= 32 * threads ? 64 : 128;
  auto params = loads_in_flight(reduction, kMaxLoadBytes, in_flight, BlockStage::shuffle);
  params.block_size = kMostThreads;
  params.waves = 0;
  return params;
}

}  // namespace

/// What was fastest on an H200.
ReduceParams default_reduce_params(const Reduction& reduction, int multiprocessor_count) {
  if (has_fixed_order(reduction)) return default_in_fixed_order(reduction);
  constexpr int kWarp = kFewestThreads;
  constexpr int kMost = kMostThreads;
  constexpr std::uint64_t kWarpBytes = 4 << 10;
  constexpr std::uint64_t kClusterBytes = 256 << 10;
  constexpr std::uint64_t kShortBytes = 128 << 10;  // up to which misaligned loads may be long
  constexpr std::uint64_t kTileForEachBlockBytes = std::uint64_t{2} << 30;
  constexpr int kSmallBlock = 128;
  constexpr int kLargeBlock = 512;
  const auto blocks = std::bit_floor(static_cast<unsigned>(std::max(1, multiprocessor_count)));
  const std::uint64_t bytes = reduction.input_bytes();
  // Two numbers take longer to combine, which more threads share; three take longer to hand on,
  // too.
  const std::size_t numbers = numbers_of_total(reduction);
  const bool finds_index = result_shape(reduction.op) == ResultShape::indexed_value;
  // So that blocks may have many threads.
  const bool is_quick = has_warp_fold(reduction) && (numbers == 1 || finds_index);
  const std::uint64_t block_bytes = (numbers == 2 ? 16 : 32) << 10;
  if (bytes <= block_bytes) {
    const auto params =
        loads_in_flight(reduction, kMaxLoadBytes, numbers == 2 ? 16 : 64, BlockStage::shuffle);
    return one_round(reduction, params, 1, bytes <= kWarpBytes && numbers != 2 ? kWarp : kMost);
  }
  const std::uint64_t small_bytes = std::uint64_t{32} * kSmallBlock * 2 * blocks;
  if (bytes <= small_bytes && can_be_counted(reduction)) {
    // A warp needs no barrier, and blocks cost next to nothing.
    const auto params = loads_in_flight(reduction, kMaxLoadBytes, 128, BlockStage::shuffle);
    return one_round(reduction, params, 2 * blocks, kWarp);
  }
  if (const auto params = merged_by_few(reduction, blocks)) return *params;
  // Half of a vector is enough of elements that are words, for some.
  const bool is_narrow = widest_element(reduction) < sizeof(float);
  const std::size_t half_bytes = is_narrow ? kMaxLoadBytes : kMaxLoadBytes / 2;
  if (bytes <= kClusterBytes) {
    const bool has_short_loads = reduction.alignment == Alignment::vector || bytes > kShortBytes;
    auto params = numbers > 1 || is_quick
                      ? loads_in_flight(reduction, kMaxLoadBytes, 32, BlockStage::tree_shuffle)
                      : loads_in_flight(reduction, has_short_loads ? half_bytes : kMaxLoadBytes, 64,
                                        BlockStage::tree_shuffle);
    params.final_stage = FinalStage::cluster;
    return one_round(reduction, params, kMaxClusterBlocks, kLargeBlock);
  }
  const std::size_t load_bytes = finds_index ? half_bytes : kMaxLoadBytes;
  if (bytes <= small_bytes) {
    const auto params = loads_in_flight(reduction, load_bytes, 32, BlockStage::tree_shuffle);
    return one_round(reduction, params, 2 * blocks, kSmallBlock);
  }
  const std::uint64_t threads = std::uint64_t{kMost} * blocks;
  if (bytes <= 64 * threads) {
    // The fewer blocks, the sooner they have met.
    const auto stage = numbers == 2 ? BlockStage::tree_shuffle : BlockStage::shuffle;
    auto params = loads_in_flight(reduction, kMaxLoadBytes, bytes < 16 * threads ? 16 : 32, stage);
    params.block_size = kMost;
    params.waves = bytes <= 32 * threads ? 0 : 1;
    return params;
  }
  if (bytes >= kTileForEachBlockBytes && !is_narrow && numbers == 1) {
    // The one block that polls for so many is at times slower than a second launch.
    auto params = loads_in_flight(reduction, kMaxLoadBytes, 256, BlockStage::shuffle);
    if (params.final_stage == FinalStage::polling) params.final_stage = FinalStage::two_pass;
    params.block_size = kMost;
    params.waves = 0;
    return params;
  }
  // A thread's exact sums become a total once for each tile: the larger it is, the fewer times.
  const bool has_exact_sums = has_ddof(reduction.op) && is_narrow && !is_floating(reduction.type);
  auto params =
      loads_in_flight(reduction, kMaxLoadBytes, has_exact_sums ? 128 : 64, BlockStage::shuffle);
  params.block_size = kLargeBlock;
  params.waves = 1;
  return params;
}

/// In all that a thread loads, folds and hands on, as far as its time goes: what the default goes
/// by.
bool is_alike(const Reduction& a, const Reduction& b) {
  const auto traits = [](const Reduction& reduction) {
    return std::tuple(has_fixed_order(reduction), reduction.input_types().size(),
                      widest_element(reduction), is_floating(reduction.input_types().front()),
                      numbers_of_total(reduction), accumulator_bytes(reduction, /*wide=*/false),
                      result_shape(reduction.op), has_warp_fold(reduction),
                      can_be_counted(reduction), has_ddof(reduction.op),
                      reduction.op == Operator::logsumexp);
  };
  return traits(a) == traits(b);
}

/// What libraries use, and what streamed best on the devices that were measured.
std::vector<ReduceParams> known_good_reduce_params(const Reduction& reduction) {
  const int width = widest_vector(reduction);
  std::vector<ReduceParams> all{ReduceParams{.block_size = 256, .vector_width = width, .unroll = 4},
                                ReduceParams{.block_size = 512, .vector_width = width, .unroll = 4},
                                ReduceParams{.block_size = 512,
                                             .vector_width = width,
                                             .unroll = 4,
                                             .final_stage = FinalStage::polling},
                                ReduceParams{.block_size = 256,
                                             .vector_width = width,
                                             .unroll = 4,
                                             .final_stage = FinalStage::two_pass,
                                             .waves = 1}};
  std::erase_if(all, [&](const ReduceParams& params) { return !is_searched(reduction, params); });
  return all;
}

}  // namespace foldtune
