#include "templates/reduce/space.h"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include "templates/histogram/space.h"
#include "templates/space.h"
#include "templates/struct_tunables.h"
#include "tests/catch.h"
#include "tests/support/covering_sample.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

const Reduction kSumF32{.op = Operator::sum, .type = ElementType::f32};
const Reduction kAnySumF32{
    .op = Operator::sum, .type = ElementType::f32, .determinism = Determinism::any};
const Reduction kSumI32InI32{
    .op = Operator::sum, .type = ElementType::i32, .accumulator = ElementType::i32};

/// With so many elements that searches try a second launch, and no cluster.
Reduction large(Reduction reduction) {
  reduction.count = 1 << 24;
  return reduction;
}

/// A custom operator over `inputs` arrays of f64.
Reduction custom_of(std::size_t inputs) {
  return make_reduction({.name = "fold",
                         .inputs = std::vector(inputs, ElementType::f64),
                         .accumulator = {{.name = "", .type = ElementType::f64}},
                         .result = ElementType::f64});
}

/// All pairs of values of two tunables that `configs` hold.
std::set<std::array<int, 4>> pairs(const std::vector<Config>& configs) {
  std::set<std::array<int, 4>> result;
  const auto tunables = reduce_family().tunables();
  for (const Config& params : configs) {
    for (int a = 0; a < static_cast<int>(tunables.size()); ++a) {
      for (int b = 0; b < a; ++b) {
        result.insert({a, params.get(tunables[a]), b, params.get(tunables[b])});
      }
    }
  }
  return result;
}

std::string thrown_message(std::string_view json) {
  try {
    config_from_json(reduce_family(), json);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool holds(const Reduction& reduction, const ReduceParams& params) {
  return Space(reduction).contains(params);
}

TEST_CASE("The space is as large as counted by hand") {
  const auto searched = [](const Reduction& reduction) {
    return Space(large(reduction)).enumerate().size();
  };
  // 6 block sizes, 3 vector widths, 5 unrolls, 3 block stages, 4 final stages without clusters, 4
  // grids.
  CHECK(searched(kAnySumF32) == 6 * 3 * 5 * 3 * 4 * 4);
  // No atomics where the order of additions shows.
  CHECK(searched(kSumF32) == 6 * 3 * 5 * 3 * 3 * 4);
  CHECK(searched({.op = Operator::sum, .type = ElementType::i32}) == 4320);
  // Warps that fold at once are a fourth block stage, and one word for all totals is a fifth
  // final stage.
  CHECK(searched(kSumI32InI32) == 6 * 3 * 5 * 4 * 5 * 4);
  CHECK(searched({.op = Operator::max, .type = ElementType::f32}) == 6 * 3 * 5 * 4 * 4 * 4);
  // 16 bytes are two f64, and 16 elements of 8 bits, which cannot be combined atomically.
  CHECK(searched({.op = Operator::min, .type = ElementType::f64}) == 6 * 2 * 5 * 4 * 4 * 4);
  CHECK(searched({.op = Operator::min, .type = ElementType::u8}) == 6 * 5 * 5 * 4 * 3 * 4);
  // A partial result that is not yet the result is not combined atomically.
  CHECK(searched({.op = Operator::mean, .determinism = Determinism::any}) == 4320 / 4 * 3);
  // Two inputs of f32 leave room for every unroll.
  CHECK(searched({.op = Operator::dot, .determinism = Determinism::any}) == 4320);
}

TEST_CASE("All of a space is larger than what a search tries") {
  // 2 tile layouts, and clusters; of 4 block stages one is for integers.
  CHECK(Space(kSumF32, Extent::all).enumerate().size() == 6 * 3 * 5 * 2 * 3 * 4 * 4);
  CHECK(Space(kSumI32InI32, Extent::all).enumerate().size() == 6 * 3 * 5 * 2 * 4 * 6 * 4);
  for (const Reduction& reduction : {kSumF32, kAnySumF32, kSumI32InI32, custom_of(2)}) {
    const Space searched(reduction);
    const Space all(reduction, Extent::all);
    CHECK(all.enumerate().size() > 2 * searched.enumerate().size());
    for (const Config& params : searched.enumerate()) {
      CHECK(all.contains(params));
      CHECK(reduce_params(params).tile_layout == TileLayout::contiguous);
    }
    // What the problem allows does not depend on the extent.
    for (const Config& params : all.enumerate()) CHECK(searched.contains(params));
  }
}

TEST_CASE("Every configuration is enumerated once, and contained") {
  for (const Extent extent : {Extent::searched, Extent::all}) {
    const Space space(kSumF32, extent);
    std::set<std::string> seen;
    for (const Config& params : space.enumerate()) {
      CHECK(space.contains(params));
      seen.insert(to_json(params));
    }
    CHECK(seen.size() == space.enumerate().size());
  }
}

TEST_CASE("The space holds what keeps the problem's promises alone") {
  CHECK(holds(kSumF32, {}));
  CHECK_FALSE(holds(kSumF32, {.block_size = 96}));
  CHECK_FALSE(holds(kSumF32, {.block_size = 2048}));
  CHECK_FALSE(holds(kSumF32, {.vector_width = 8}));
  CHECK_FALSE(holds(kSumF32, {.unroll = 3}));
  CHECK_FALSE(holds(kSumF32, {.waves = 3}));
  CHECK_FALSE(holds(kSumF32, {.final_stage = FinalStage::atomic}));
  CHECK(holds(kAnySumF32, {.final_stage = FinalStage::atomic}));
  CHECK(
      holds({.op = Operator::sum, .type = ElementType::i32}, {.final_stage = FinalStage::atomic}));
  // An integer accumulator is what counts, and a floating-point one.
  CHECK_FALSE(
      holds({.op = Operator::sum, .type = ElementType::f32, .accumulator = ElementType::f64},
            {.final_stage = FinalStage::atomic}));
  CHECK_FALSE(
      holds({.op = Operator::sum, .type = ElementType::i32, .accumulator = ElementType::f64},
            {.final_stage = FinalStage::atomic}));
  CHECK_FALSE(holds({.op = Operator::min, .type = ElementType::f64}, {.vector_width = 4}));
  CHECK(holds({.op = Operator::min, .type = ElementType::i8}, {.vector_width = 16}));
}

TEST_CASE("The tunables of another family are in no space of this one") {
  CHECK_FALSE(Space(kSumF32).contains(HistogramParams{}));
  CHECK_FALSE(Space(HistogramWorkload{}).contains(ReduceParams{}));
}

TEST_CASE("Atomics are for partial results that are results") {
  const auto is_atomic = [](const Reduction& reduction) {
    return holds(reduction, {.vector_width = 1, .final_stage = FinalStage::atomic});
  };
  constexpr Determinism kAny = Determinism::any;
  CHECK(is_atomic({.op = Operator::sum, .type = ElementType::f16, .determinism = kAny}));
  CHECK_FALSE(is_atomic({.op = Operator::sum,
                         .type = ElementType::f16,
                         .result = ElementType::f16,
                         .determinism = kAny}));
  CHECK_FALSE(is_atomic({.op = Operator::max, .type = ElementType::f16, .determinism = kAny}));
  CHECK_FALSE(is_atomic({.op = Operator::max, .type = ElementType::i16, .determinism = kAny}));
  // A maximum is the same in any order, so it needs no leave.
  CHECK(is_atomic({.op = Operator::max, .type = ElementType::f64}));
  Reduction custom = custom_of(1);
  CHECK_FALSE(is_atomic(custom));
  custom.determinism = kAny;
  CHECK(is_atomic(custom));
}

TEST_CASE("Totals share a word with their number where it has room for them") {
  const auto is_counted = [](const Reduction& reduction) {
    return holds(reduction, {.vector_width = 1, .final_stage = FinalStage::counted});
  };
  using enum ElementType;
  const auto sum = [](ElementType type, ElementType accumulator, std::uint64_t count) {
    return Reduction{.type = type, .accumulator = accumulator, .count = count};
  };
  // 32 bits wrap, however many there are.
  CHECK(is_counted(sum(i32, i32, kMaxCount)));
  CHECK(is_counted(sum(u8, u32, kMaxCount)));
  CHECK_FALSE(is_counted(sum(i32, i64, 1024)));
  CHECK(is_counted(sum(u8, u64, (1 << 30) - 1)));
  CHECK_FALSE(is_counted(sum(u8, u64, 1 << 30)));
  CHECK(is_counted(sum(i16, i64, (1 << 22) - 1)));
  CHECK_FALSE(is_counted(sum(i16, i64, 1 << 22)));
  CHECK(is_counted({.op = Operator::count_nonzero, .type = f64, .count = std::uint64_t{1} << 37}));
  CHECK_FALSE(is_counted({.op = Operator::count_nonzero, .type = f64, .count = kMaxCount}));
  CHECK(is_counted({.op = Operator::asum, .type = i8, .count = 1 << 20}));
  CHECK(is_counted({.op = Operator::nansum, .type = i8, .count = 1 << 20}));
  // Only additions of elements.
  CHECK_FALSE(is_counted({.op = Operator::max, .type = i32, .count = 1024}));
  CHECK_FALSE(is_counted({.op = Operator::dot, .type = i8, .count = 1024}));
  CHECK_FALSE(is_counted(sum(f32, f32, 1024)));
  CHECK_FALSE(is_counted(sum(i8, f64, 1024)));
}

TEST_CASE("A warp folds at once what can be ordered, bits, sums of words, and what is merged") {
  const auto has_redux = [](const Reduction& reduction) {
    return holds(reduction, {.vector_width = 1, .block_stage = BlockStage::redux});
  };
  CHECK(has_redux(kSumI32InI32));
  CHECK(
      has_redux({.op = Operator::sum, .type = ElementType::u16, .accumulator = ElementType::u32}));
  CHECK(has_redux({.op = Operator::max, .type = ElementType::i8}));
  CHECK_FALSE(has_redux({.op = Operator::sum, .type = ElementType::i32}));
  CHECK(has_redux({.op = Operator::min, .type = ElementType::u64}));
  CHECK(has_redux({.op = Operator::max, .type = ElementType::f32}));
  CHECK(has_redux({.op = Operator::argmin, .type = ElementType::f64}));
  CHECK(has_redux({.op = Operator::minmax, .type = ElementType::f32}));
  CHECK(has_redux({.op = Operator::variance, .type = ElementType::i32}));
  CHECK(has_redux({.op = Operator::logsumexp, .type = ElementType::f64}));
  CHECK_FALSE(has_redux(kAnySumF32));
  CHECK_FALSE(has_redux(custom_of(1)));
}

TEST_CASE("The loads in flight of all inputs together fit in half of the registers") {
  // Two f64 of 16 bytes, for each input.
  for (const int inputs : {1, 2}) {
    CHECK(holds(custom_of(inputs), {.vector_width = 2, .unroll = 16}));
  }
  for (const int inputs : {3, 4}) {
    CHECK_FALSE(holds(custom_of(inputs), {.vector_width = 2, .unroll = 16}));
    CHECK(holds(custom_of(inputs), {.vector_width = 2, .unroll = 8}));
    CHECK(holds(custom_of(inputs), {.vector_width = 1, .unroll = 16}));
  }
  // The widest input is what counts, for the loads too.
  const Reduction mixed = make_reduction(
      {.name = "fold", .inputs = {ElementType::u8, ElementType::f32}, .map = "x * y"});
  CHECK(holds(mixed, {.vector_width = 4}));
  CHECK_FALSE(holds(mixed, {.vector_width = 8}));
}

TEST_CASE("Neighbours differ in one tunable, by one step or to any other enumerator") {
  const Space space(large(kAnySumF32));
  const ReduceParams here{.block_size = 256,
                          .vector_width = 4,
                          .unroll = 1,
                          .block_stage = BlockStage::tree,
                          .final_stage = FinalStage::polling,
                          .waves = 1};
  const std::vector<Config> neighbours = space.neighbours(here);
  // block_size 128, 512; vector_width 2; unroll 2; two stages; three stages; waves 0, 2.
  CHECK(neighbours.size() == 2 + 1 + 1 + 2 + 3 + 2);
  for (const Config& neighbour : neighbours) {
    CHECK(space.contains(neighbour));
    const auto differences =
        std::ranges::count_if(reduce_family().tunables(), [&](const Tunable& tunable) {
          return neighbour.get(tunable) != Config(here).get(tunable);
        });
    CHECK(differences == 1);
  }
  const auto count = [&](const ReduceParams& params) {
    return std::ranges::count(neighbours, Config(params));
  };
  ReduceParams other = here;
  other.final_stage = FinalStage::atomic;
  CHECK(count(other) == 1);
  other = here;
  other.block_size = 128;
  CHECK(count(other) == 1);
  other.unroll = 2;
  CHECK(count(other) == 0);
  // Neighbours that are not in the space are no neighbours.
  CHECK(Space(large(kSumF32)).neighbours(here).size() == neighbours.size() - 1);
  // Of all there are another tile layout and the cluster.
  CHECK(Space(kAnySumF32, Extent::all).neighbours(here).size() == neighbours.size() + 2);
}

TEST_CASE("A search tries a second launch for large inputs alone, which is valid for all") {
  const ReduceParams two_pass{.final_stage = FinalStage::two_pass};
  const auto is_tried = [](const Reduction& reduction, const Config& params) {
    CHECK(Space(reduction).contains(params));
    return std::ranges::count(Space(reduction).enumerate(), params) == 1;
  };
  CHECK_FALSE(is_tried({.count = 2 << 20}, two_pass));  // 8 MiB
  CHECK(is_tried({.count = (2 << 20) + 1}, two_pass));
  CHECK_FALSE(is_tried({.op = Operator::dot, .count = 1 << 20}, two_pass));
  CHECK(is_tried({.op = Operator::dot, .count = 1 << 21}, two_pass));
  for (const Config& params : reduce_family().known_good(Reduction{.count = 2 << 20})) {
    CHECK(reduce_params(params).final_stage != FinalStage::two_pass);
  }
}

TEST_CASE("A search tries a cluster where it has a block for each tile") {
  const ReduceParams cluster{
      .block_size = 128, .unroll = 2, .final_stage = FinalStage::cluster};  // tiles of 1024
  const auto is_tried = [&](std::uint64_t count) {
    const Space space(Reduction{.count = count});
    CHECK(space.contains(cluster));
    ReduceParams neighbour = cluster;
    neighbour.final_stage = FinalStage::polling;
    const bool is_listed = std::ranges::count(space.enumerate(), Config(cluster)) == 1;
    CHECK((std::ranges::count(space.neighbours(neighbour), Config(cluster)) == 1) == is_listed);
    return is_listed && !space.is_redundant(cluster, 132);
  };
  CHECK_FALSE(is_tried(1024));  // one block needs no final stage
  CHECK(is_tried(1025));
  CHECK(is_tried(8 * 1024));
  CHECK_FALSE(is_tried(8 * 1024 + 1));
  CHECK_FALSE(Space(Reduction{.determinism = Determinism::config_independent})
                  .contains(ReduceParams{.vector_width = 1,
                                         .block_stage = BlockStage::tree,
                                         .final_stage = FinalStage::cluster}));
}

TEST_CASE("A covering sample holds every pair of values that the space holds") {
  for (const Reduction& reduction :
       {kSumF32, kAnySumF32, Reduction{.op = Operator::min, .type = ElementType::f64}}) {
    const Space space(reduction);
    const std::vector<Config> sample = covering_sample(reduction, Extent::searched);
    CHECK(pairs(sample) == pairs(space.enumerate()));
    for (const Config& params : sample) CHECK(space.contains(params));
    CHECK(sample.size() >= 6 * 5);  // block sizes with unrolls
    CHECK(sample.size() <= 60);
    CHECK(covering_sample(reduction, Extent::searched) == sample);
  }
}

TEST_CASE("Pairs to be covered are told apart, however many values a tunable has") {
  static constexpr std::array kMany{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                    10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
  static constexpr std::array kFew{1, 2};
  const auto tunable = [](std::size_t place, std::span<const int> values) {
    return Tunable{.name = "t", .values = values, .searched = values, .place = place};
  };
  const std::vector<Tunable> tunables{tunable(0, kMany), tunable(1, kFew), tunable(2, kFew)};
  std::vector<Config> all;
  for (const int first : kMany) {
    for (const int second : kFew) {
      for (const int third : kFew) {
        Config& config = all.emplace_back(reduce_family());
        config.set(tunables[0], first);
        config.set(tunables[1], second);
        config.set(tunables[2], third);
      }
    }
  }
  MissingPairs missing(tunables, all);
  int pairs = 0;
  for (const Config& params : all) {
    pairs += missing.count(params);
    missing.remove(params);
  }
  CHECK(pairs == 20 * 2 + 20 * 2 + 2 * 2);
  CHECK_FALSE(missing.any());
}

TEST_CASE("A covering sample of all holds every pair of all") {
  const Space space(kSumI32InI32, Extent::all);
  const std::vector<Config> sample = covering_sample(kSumI32InI32, Extent::all);
  CHECK(pairs(sample) == pairs(space.enumerate()));
  CHECK(sample.size() >= 6 * 6);  // block sizes with final stages
  CHECK(sample.size() <= 60);
}

TEST_CASE("The default is in the space, whatever the problem and the device") {
  std::vector<Reduction> reductions{custom_of(1), custom_of(4)};
  for (const Operator op : operators()) {
    for (const ElementType type : element_types()) {
      if (takes(op, type)) reductions.push_back({.op = op, .type = type});
    }
  }
  for (Reduction& reduction : reductions) {
    for (int shift = 0; shift <= 40; ++shift) {
      reduction.count = (std::uint64_t{1} << shift) - 1;
      const Space space(reduction);
      for (const int multiprocessors : {1, 132}) {
        INFO(to_string(reduction) << " on " << multiprocessors);
        CHECK(space.contains(space.default_params(multiprocessors)));
      }
    }
  }
}

TEST_CASE("The default is one warp, one block, a cluster, blocks that poll, and two passes") {
  const auto default_of = [](std::uint64_t bytes, const Reduction& reduction = kSumF32) {
    Reduction sized = reduction;
    sized.count = 1;
    sized.count = bytes / sized.input_bytes();
    const Config params = Space(sized).default_params(132);
    // What a search begins with it can also go on from.
    CHECK(reduce_family().is_searched(sized, params));
    return reduce_params(params);
  };
  const auto has = [](const ReduceParams& params, int block_size, int unroll, FinalStage stage) {
    return params.block_size == block_size && params.unroll == unroll &&
           params.final_stage == stage;
  };
  constexpr FinalStage kPolling = FinalStage::polling;  // of which one block has no need
  constexpr FinalStage kCluster = FinalStage::cluster;
  CHECK(has(default_of(16), 32, 1, kPolling));
  CHECK(has(default_of(4 << 10), 32, 8, kPolling));
  CHECK(has(default_of((4 << 10) + 16), 128, 4, kPolling));
  CHECK(has(default_of(32 << 10), 512, 4, kPolling));
  CHECK(has(default_of((32 << 10) + 16), 128, 8, kCluster));
  CHECK(has(default_of(256 << 10), 512, 8, kCluster));
  CHECK(has(default_of((256 << 10) + 16), 256, 2, kPolling));
  CHECK(has(default_of(448 << 10), 256, 2, kPolling));
  CHECK(has(default_of(512 << 10), 64, 2, kPolling));
  CHECK(has(default_of(640 << 10), 256, 8, kPolling));
  CHECK(has(default_of(1 << 20), 128, 2, kPolling));
  CHECK(has(default_of((1 << 20) + 16), 1024, 1, kPolling));
  CHECK(has(default_of(2 << 20), 1024, 2, kPolling));
  CHECK(has(default_of(8 << 20), 1024, 2, kPolling));
  CHECK(has(default_of((5 << 20) + 16), 1024, 1, kPolling));
  CHECK(has(default_of(12 << 20), 1024, 2, kPolling));
  CHECK(has(default_of((12 << 20) + 16), 512, 4, kPolling));
  const Reduction wide{.op = Operator::sum, .type = ElementType::i32};  // its totals have 64 bits
  CHECK(has(default_of(448 << 10, wide), 64, 2, kPolling));
  const Reduction counted{.op = Operator::sum, .type = ElementType::u8};
  CHECK(has(default_of(3 << 20, counted), 32, 8, FinalStage::counted));
  CHECK(has(default_of((3 << 20) + 16, counted), 1024, 2, FinalStage::counted));
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  CHECK(has(default_of(2 * kGiB - 16), 512, 4, kPolling));
  CHECK(has(default_of(2 * kGiB), 1024, 16, FinalStage::two_pass));
  CHECK(default_of(2 * kGiB).waves == 0);
  CHECK(has(default_of(2 * kGiB, kSumI32InI32), 1024, 16, FinalStage::counted));
  CHECK(has(default_of(2 * kGiB, {.op = Operator::dot, .type = ElementType::f32}), 1024, 8,
            FinalStage::two_pass));
  CHECK(
      has(default_of(2 * kGiB, {.op = Operator::max, .type = ElementType::f16}), 512, 4, kPolling));
  CHECK(has(default_of(2 * kGiB, {.op = Operator::argmax, .type = ElementType::f32}), 512, 4,
            kPolling));
  CHECK(default_of(4 << 20).waves == 0);
  CHECK(default_of(8 << 20).waves == 1);
  CHECK(default_of(64 << 20).waves == 1);
  CHECK(default_of(64 << 10).vector_width == 2);
  CHECK(default_of(64 << 10).block_stage == BlockStage::tree_shuffle);
  CHECK(default_of(64 << 20).vector_width == 4);
  CHECK(default_of(64 << 20).block_stage == BlockStage::shuffle);
  const Reduction narrow{.op = Operator::dot, .type = ElementType::f16};
  CHECK(has(default_of(64 << 10, narrow), 128, 2, kCluster));
  CHECK(default_of(64 << 10, narrow).vector_width == 8);
  CHECK(default_of(16 << 10, {.op = Operator::sum, .type = ElementType::u8}).vector_width == 16);
  const Reduction argmax{.op = Operator::argmax, .type = ElementType::f32};
  CHECK(default_of(64 << 10, argmax).block_stage == BlockStage::redux);
  CHECK(default_of(64 << 20, argmax).block_stage == BlockStage::redux);
  CHECK(has(default_of(4 << 10, argmax), 256, 1, kPolling));
  CHECK(has(default_of(4 << 10, {.op = Operator::variance, .type = ElementType::f32}), 32, 8,
            kPolling));
  CHECK(has(default_of(64 << 10, argmax), 256, 2, kCluster));
  CHECK(has(default_of(16 << 10, argmax), 1024, 1, kPolling));
  CHECK(has(default_of((16 << 10) + 16, argmax), 128, 2, kCluster));
  CHECK(has(default_of(1 << 20, argmax), 128, 4, kPolling));
  CHECK(default_of(1 << 20, argmax).vector_width == 2);
  CHECK(default_of(1 << 20, {.op = Operator::argmax, .type = ElementType::f16}).vector_width == 8);
  CHECK(default_of(512 << 10, argmax).block_stage == BlockStage::tree_shuffle);
  CHECK(has(default_of(512 << 10, argmax), 128, 2, kPolling));
  CHECK(has(default_of(4 << 20, argmax), 1024, 2, kPolling));
  CHECK(default_of(4 << 20, argmax).vector_width == 2);
  Reduction misaligned = argmax;
  misaligned.alignment = Alignment::element;
  CHECK(default_of(4 << 20, misaligned).vector_width == 4);
  CHECK(has(default_of(16 << 20, argmax), 1024, 4, kPolling));
  CHECK(
      has(default_of(4 << 20, {.op = Operator::dot, .type = ElementType::f32}), 1024, 1, kPolling));
  const Reduction pair{.op = Operator::minmax, .type = ElementType::f32};
  CHECK(default_of(4 << 20, pair).block_stage == BlockStage::redux);
}

TEST_CASE("What is known to be good somewhere is in the space") {
  for (const Reduction& reduction :
       {kSumF32, kSumI32InI32, Reduction{.op = Operator::max, .type = ElementType::i8},
        custom_of(4)}) {
    const std::vector<Config> good = reduce_family().known_good(reduction);
    CHECK_FALSE(good.empty());
    for (const Config& params : good) {
      INFO(to_string(reduction) << ": " << to_json(params));
      CHECK(Space(reduction).contains(params));
    }
  }
}

TEST_CASE("A configuration that launches what another one launches is redundant") {
  constexpr int kMultiprocessors = 10;
  // Tiles of 1024.
  const auto redundant = [](std::uint64_t tiles, FinalStage stage, int waves) {
    const Space space(
        Reduction{.op = Operator::sum, .type = ElementType::i32, .count = tiles * 1024});
    const ReduceParams params{
        .block_size = 256, .vector_width = 4, .unroll = 1, .final_stage = stage, .waves = waves};
    return space.is_redundant(params, kMultiprocessors);
  };
  CHECK_FALSE(redundant(1, FinalStage::last_block, 0));
  CHECK(redundant(1, FinalStage::last_block, 1));
  CHECK(redundant(1, FinalStage::polling, 0));
  CHECK(redundant(1, FinalStage::atomic, 0));
  CHECK_FALSE(redundant(2, FinalStage::polling, 0));
  CHECK(redundant(10, FinalStage::polling, 1));
  CHECK(redundant(11, FinalStage::cluster, 1));
  CHECK_FALSE(redundant(11, FinalStage::cluster, 0));
  CHECK(redundant(1, FinalStage::cluster, 0));
  CHECK_FALSE(redundant(11, FinalStage::polling, 1));
  CHECK_FALSE(redundant(1000, FinalStage::atomic, 0));
}

TEST_CASE("A redundant configuration has a valid one that stands for it") {
  constexpr int kMultiprocessors = 10;
  const Workload reduction = kAnySumF32;
  const Workload histogram = HistogramWorkload{.type = ElementType::u8, .binning = Binning::key};
  for (Workload workload : {reduction, histogram}) {
    for (const std::uint64_t count : {1u, 4000u, 100000u, 10000000u}) {
      workload.shape[workload.problem.family().extents().size() - 1] = count;
      const Space space(workload);
      std::size_t redundant = 0;
      for (const Config& params : space.enumerate()) {
        const Config canonical = space.canonical(params, kMultiprocessors);
        if (canonical == params) continue;
        ++redundant;
        REQUIRE(space.contains(canonical));
        REQUIRE_FALSE(space.is_redundant(canonical, kMultiprocessors));
      }
      CHECK((redundant > 0) == (count < 10000000u || workload.problem == histogram.problem));
    }
  }
  CHECK(Space(kSumI32InI32)
            .canonical(ReduceParams{.final_stage = FinalStage::polling, .waves = 2},
                       kMultiprocessors) ==
        Config(ReduceParams{.final_stage = FinalStage::last_block, .waves = 0}));
}

TEST_CASE("JSON gives back every configuration") {
  for (const Extent extent : {Extent::searched, Extent::all}) {
    for (const Config& params : covering_sample(kAnySumF32, extent)) {
      CHECK(config_from_json(reduce_family(), to_json(params)) == params);
    }
  }
  CHECK(to_json(ReduceParams{}) ==
        R"({"block_size":256,"vector_width":4,"unroll":4,"tile_layout":"contiguous",)"
        R"("block_stage":"shuffle","final_stage":"last_block","waves":0})");
}

TEST_CASE("JSON that is no configuration is refused with what is wrong") {
  CHECK_THAT(thrown_message("{"), ContainsSubstring("not a JSON object"));
  CHECK_THAT(thrown_message("[]"), ContainsSubstring("not a JSON object"));
  CHECK_THAT(thrown_message(R"({"block_size":256})"), ContainsSubstring("vector_width is missing"));
  const auto with = [](const std::string& from, const std::string& to) {
    std::string json = to_json(ReduceParams{});
    return json.replace(json.find(from), from.size(), to);
  };
  CHECK_THAT(thrown_message(with("256", "257")),
             ContainsSubstring("257") && ContainsSubstring("block_size"));
  CHECK_THAT(thrown_message(with("256", "\"256\"")), ContainsSubstring("block_size"));
  CHECK_THAT(thrown_message(with("256", "256.5")), ContainsSubstring("block_size"));
  CHECK_THAT(thrown_message(with("256", "4294967552")), ContainsSubstring("block_size"));
  CHECK_THAT(thrown_message(with("256", "null")), ContainsSubstring("block_size"));
  CHECK_THAT(thrown_message(with("shuffle", "shuffel")), ContainsSubstring("shuffel"));
  CHECK_THAT(thrown_message(with("\"last_block\"", "2")), ContainsSubstring("final_stage"));
  CHECK_THAT(thrown_message(with("contiguous", "strided")), ContainsSubstring("tile_layout"));
  CHECK_THAT(thrown_message(with("\"waves\":0", "\"waves\":0,\"cluster\":2")),
             ContainsSubstring("unknown tunable"));
}

TEST_CASE("A template argument names every field in its order") {
  CHECK(to_template_argument("foldtune::ReduceParams", ReduceParams{}) ==
        "foldtune::ReduceParams{.block_size=256,.vector_width=4,.unroll=4,"
        ".tile_layout=foldtune::TileLayout::contiguous,"
        ".block_stage=foldtune::BlockStage::shuffle,"
        ".final_stage=foldtune::FinalStage::last_block,.waves=0}");
}

TEST_CASE("Configurations are equal in all fields, and within a family") {
  CHECK(Config(ReduceParams{}) == Config(ReduceParams{}));
  CHECK_FALSE(Config(ReduceParams{}) == Config(ReduceParams{.tile_layout = TileLayout::split}));
  CHECK_FALSE(Config(ReduceParams{}) == Config(HistogramParams{}));
  CHECK(&Config(ReduceParams{}).family() == &reduce_family());
  CHECK(&Config(HistogramParams{}).family() == &histogram_family());
  CHECK_THROWS_AS(reduce_params(HistogramParams{}), std::logic_error);
}

TEST_CASE("A grid has a block per tile, or as many as are resident") {
  ReduceParams params{.block_size = 128, .vector_width = 4, .unroll = 2};
  CHECK(tile_elements(params) == 1024);
  CHECK(grid_blocks(kSumF32, params, 0, 100) == 1);
  CHECK(grid_blocks(kSumF32, params, 1, 100) == 1);
  CHECK(grid_blocks(kSumF32, params, 1024, 100) == 1);
  CHECK(grid_blocks(kSumF32, params, 1025, 100) == 2);
  CHECK(grid_blocks(kSumF32, params, 1024 * 1000, 100) == 1000);
  params.waves = 2;
  CHECK(grid_blocks(kSumF32, params, 1024 * 199 + 1, 100) == 200);
  CHECK(grid_blocks(kSumF32, params, 1024 * 1000, 100) == 200);
  CHECK(grid_blocks(kSumF32, params, 1024 * 1000, 0) == 2);
  params.final_stage = FinalStage::cluster;  // whatever the waves
  CHECK(grid_blocks(kSumF32, params, 1024 * 7, 1) == 7);
  CHECK(grid_blocks(kSumF32, params, 1024 * 1000, 100) == 8);
}

TEST_CASE("A grid has at most 2^20 blocks") {
  CHECK(grid_blocks(kSumF32, {.block_size = 32, .vector_width = 1, .unroll = 1}, kMaxCount, 100) ==
        1 << 20);
}

}  // namespace
}  // namespace foldtune::test
