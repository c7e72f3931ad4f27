// The configurations that are used where nothing was tuned, and that a search begins with.
#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>

#include "templates/fold/operators.h"
#include "templates/hardware.h"
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
  if (bytes <= 2 * threads) {
    return in_one_round(bytes <= threads ? kMaxLoadBytes : kMaxLoadBytes / 2, 64, kFewestThreads);
  }
  if (bytes <= 4 * threads) return in_one_round(kMaxLoadBytes, 64, 128);
  if (bytes <= 8 * threads) return in_one_round(kMaxLoadBytes / 2, 128, 128);
  const std::size_t in_flight = bytes <= 16 * threads ? 32 : bytes <= 32 * threads ? 64 : 128;
  auto params = loads_in_flight(reduction, kMaxLoadBytes, in_flight, BlockStage::shuffle);
  params.block_size = kMostThreads;
  params.waves = 0;
  return params;
}

bool finds_index(const Reduction& reduction) {
  return result_shape(reduction.op) == ResultShape::indexed_value;
}

bool has_narrow_elements(const Reduction& reduction) {
  return widest_element(reduction) < sizeof(float);
}

/// Bytes of a load that is half as long as it may be; of narrow elements as long.
std::size_t half_load(const Reduction& reduction) {
  return has_narrow_elements(reduction) ? kMaxLoadBytes : kMaxLoadBytes / 2;
}

/// The total is one number of a word: blocks wait for no more of each other.
bool has_word_total(const Reduction& reduction) {
  if (numbers_of_total(reduction) != 1) return false;
  const std::size_t bytes = reduction.op == Operator::custom
                                ? accumulator_bytes(reduction, /*wide=*/false)
                                : size_of(reduction.accumulator_type());
  return bytes <= sizeof(float);
}

/// Of 256 KiB and less, on the multiprocessors of one cluster.
ReduceParams default_in_cluster(const Reduction& reduction) {
  constexpr std::uint64_t kShortBytes = 128 << 10;  // up to which misaligned loads may be long
  constexpr int kMost = 512;
  const std::size_t numbers = numbers_of_total(reduction);
  const bool is_quick = has_warp_fold(reduction) && (numbers == 1 || finds_index(reduction));
  const bool has_half_loads =
      reduction.input_bytes() > kShortBytes
          ? widest_element(reduction) > 1
          : !has_narrow_elements(reduction) && reduction.alignment == Alignment::vector;
  auto params = numbers > 1 || is_quick
                    ? loads_in_flight(reduction, kMaxLoadBytes, 32, BlockStage::tree_shuffle)
                    : loads_in_flight(reduction, has_half_loads ? kMaxLoadBytes / 2 : kMaxLoadBytes,
                                      64, BlockStage::tree_shuffle);
  params.final_stage = FinalStage::cluster;
  return one_round(reduction, params, kMaxClusterBlocks, kMost);
}

/// Up to 8 bytes for each of the threads that the GPU is given.
ReduceParams default_of_small(const Reduction& reduction, unsigned blocks) {
  constexpr int kFewThreads = 128;
  constexpr int kMoreThreads = 256;
  const std::uint64_t bytes = reduction.input_bytes();
  const std::uint64_t threads = std::uint64_t{kMostThreads} * blocks;
  if (finds_index(reduction) && bytes <= 4 * threads) {
    auto params = loads_in_flight(reduction, half_load(reduction), 16, BlockStage::tree_shuffle);
    params.block_stage = BlockStage::tree_shuffle;  // here faster than what warps fold at once
    return one_round(reduction, params, 2 * blocks, kFewThreads);
  }
  if (has_word_total(reduction) && 2 * bytes <= 7 * threads) {
    // The fewer blocks, the sooner they have met.
    const auto params = loads_in_flight(reduction, kMaxLoadBytes, 32, BlockStage::tree_shuffle);
    return one_round(reduction, params, blocks / 2, kMoreThreads);
  }
  if (has_word_total(reduction) && bytes > 4 * threads && bytes <= 7 * threads) {
    const std::size_t load = widest_element(reduction) == 1 ? kMaxLoadBytes : kMaxLoadBytes / 2;
    const auto params = loads_in_flight(reduction, load, 64, BlockStage::tree_shuffle);
    return one_round(reduction, params, blocks / 2, kMoreThreads);
  }
  const std::size_t load = finds_index(reduction) ? half_load(reduction) : kMaxLoadBytes;
  const auto params = loads_in_flight(reduction, load, 32, BlockStage::tree_shuffle);
  return one_round(reduction, params, 2 * blocks, kFewThreads);
}

/// Up to 64 bytes for each of the threads, 96 where the total is one number: the fewer blocks, the
/// sooner they have met.
ReduceParams default_of_medium(const Reduction& reduction, std::uint64_t threads) {
  const std::uint64_t bytes = reduction.input_bytes();
  const std::size_t numbers = numbers_of_total(reduction);
  // Where there is somewhat more than a tile of 32 bytes a thread for each block, smaller ones are
  // shared more evenly.
  const bool is_uneven = numbers == 1 && bytes > 40 * threads && bytes <= 48 * threads;
  const bool is_uneven_index = finds_index(reduction) && bytes > 24 * threads &&
                               bytes <= 40 * threads &&
                               (reduction.alignment == Alignment::vector || bytes > 32 * threads);
  const bool has_few = bytes < 16 * threads || is_uneven || is_uneven_index;
  auto params = loads_in_flight(reduction, is_uneven_index ? half_load(reduction) : kMaxLoadBytes,
                                has_few ? 16 : 32,
                                numbers == 2 ? BlockStage::tree_shuffle : BlockStage::shuffle);
  params.block_size = kMostThreads;
  params.waves = bytes <= 32 * threads && !is_uneven_index ? 0 : 1;
  return params;
}

/// What takes longer to read than to combine.
ReduceParams default_of_large(const Reduction& reduction, std::uint64_t threads) {
  constexpr std::uint64_t kTileForEachBlockBytes = std::uint64_t{2} << 30;
  constexpr int kLargeBlock = 512;
  const std::uint64_t bytes = reduction.input_bytes();
  const bool is_narrow = has_narrow_elements(reduction);
  if (bytes >= kTileForEachBlockBytes && !is_narrow && numbers_of_total(reduction) == 1) {
    // The one block that polls for so many is at times slower than a second launch.
    auto params = loads_in_flight(reduction, kMaxLoadBytes, 256, BlockStage::shuffle);
    if (params.final_stage == FinalStage::polling) params.final_stage = FinalStage::two_pass;
    params.block_size = kMostThreads;
    params.waves = 0;
    return params;
  }
  // A thread's exact sums become a total once for each tile: the larger it is, the fewer times.
  const bool has_exact_sums = has_ddof(reduction.op) && is_narrow && !is_floating(reduction.type);
  auto params =
      loads_in_flight(reduction, kMaxLoadBytes, has_exact_sums ? 128 : 64, BlockStage::shuffle);
  params.block_size = finds_index(reduction) && bytes <= 128 * threads ? kMostThreads : kLargeBlock;
  params.waves = 1;
  return params;
}

}  // namespace

/// What was fastest on an H200.
ReduceParams default_reduce_params(const Reduction& reduction, int multiprocessor_count) {
  if (has_fixed_order(reduction)) return default_in_fixed_order(reduction);
  constexpr std::uint64_t kWarpBytes = 4 << 10;
  constexpr std::uint64_t kClusterBytes = 256 << 10;
  const auto blocks = std::bit_floor(static_cast<unsigned>(std::max(1, multiprocessor_count)));
  const std::uint64_t threads = std::uint64_t{kMostThreads} * blocks;
  const std::uint64_t bytes = reduction.input_bytes();
  // Two numbers take longer to combine, which more threads share; three take longer to hand on,
  // too.
  const std::size_t numbers = numbers_of_total(reduction);
  const std::uint64_t block_bytes = (numbers == 2 ? 16 : 32) << 10;
  if (bytes <= block_bytes) {
    const auto params =
        loads_in_flight(reduction, kMaxLoadBytes, numbers == 2 ? 16 : 64, BlockStage::shuffle);
    const bool is_warp = bytes <= kWarpBytes && numbers != 2;
    return one_round(reduction, params, 1, is_warp ? kFewestThreads : kMostThreads);
  }
  if (bytes <= 24 * threads && can_be_counted(reduction)) {
    // A warp needs no barrier, and blocks cost next to nothing.
    auto params = loads_in_flight(reduction, kMaxLoadBytes, 128, BlockStage::shuffle);
    params.block_size = kFewestThreads;
    return bytes > 8 * threads ? params : one_round(reduction, params, 2 * blocks, kFewestThreads);
  }
  if (const auto params = merged_by_few(reduction, blocks)) return *params;
  if (bytes <= kClusterBytes) return default_in_cluster(reduction);
  if (bytes <= 8 * threads) return default_of_small(reduction, blocks);
  if (bytes <= (numbers == 1 ? 96 : 64) * threads) return default_of_medium(reduction, threads);
  return default_of_large(reduction, threads);
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
