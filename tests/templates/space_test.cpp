#include "templates/reduce/space.h"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include "tests/catch.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr Problem kSumF32{.op = Operator::sum, .type = ElementType::f32};
constexpr Problem kAnySumF32{
    .op = Operator::sum, .type = ElementType::f32, .determinism = Determinism::any};

/// All pairs of values of two tunables that `configs` hold.
std::set<std::array<int, 4>> pairs(const std::vector<Params>& configs) {
  std::set<std::array<int, 4>> result;
  const auto tunables = rules(Family::reduce).tunables;
  for (const Params& params : configs) {
    for (int a = 0; a < static_cast<int>(tunables.size()); ++a) {
      for (int b = 0; b < a; ++b) {
        result.insert({a, tunables[a].get(params), b, tunables[b].get(params)});
      }
    }
  }
  return result;
}

std::string thrown_message(std::string_view json) {
  try {
    params_from_json(Family::reduce, json);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST_CASE("The space is as large as counted by hand") {
  // 6 block sizes, 3 vector widths, 5 unrolls, 3 block stages, 4 final stages, 4 grids.
  CHECK(Space(kAnySumF32).size() == 6 * 3 * 5 * 3 * 4 * 4);
  // No atomics where the order of additions shows.
  CHECK(Space(kSumF32).size() == 6 * 3 * 5 * 3 * 3 * 4);
  CHECK(Space({.op = Operator::sum, .type = ElementType::i32}).size() == 4320);
  CHECK(Space({.op = Operator::max, .type = ElementType::f32}).size() == 4320);
  // 16 bytes are two f64.
  CHECK(Space({.op = Operator::min, .type = ElementType::f64}).size() == 4320 / 3 * 2);
}

TEST_CASE("Every configuration is enumerated once, and contained") {
  const Space space(kSumF32);
  std::set<std::string> seen;
  for (const Params& params : space.enumerate()) {
    CHECK(space.contains(params));
    seen.insert(to_json(params));
  }
  CHECK(seen.size() == space.size());
}

TEST_CASE("The space holds what keeps the problem's promises alone") {
  const Space space(kSumF32);
  CHECK(space.contains({}));
  CHECK_FALSE(space.contains({.block_size = 96}));
  CHECK_FALSE(space.contains({.block_size = 2048}));
  CHECK_FALSE(space.contains({.vector_width = 8}));
  CHECK_FALSE(space.contains({.unroll = 3}));
  CHECK_FALSE(space.contains({.waves = 3}));
  CHECK_FALSE(space.contains({.final_stage = FinalStage::atomic}));
  CHECK(Space(kAnySumF32).contains({.final_stage = FinalStage::atomic}));
  CHECK(Space({.op = Operator::sum, .type = ElementType::i32})
            .contains({.final_stage = FinalStage::atomic}));
  // An integer accumulator is what counts, and a floating-point one.
  CHECK_FALSE(
      Space({.op = Operator::sum, .type = ElementType::f32, .accumulator = ElementType::f64})
          .contains({.final_stage = FinalStage::atomic}));
  CHECK_FALSE(
      Space({.op = Operator::min, .type = ElementType::f64}).contains({.vector_width = 4}));
}

TEST_CASE("Neighbours differ in one tunable, by one step or to any other enumerator") {
  const Space space(kAnySumF32);
  const ReduceParams here{.block_size = 256,
                          .vector_width = 4,
                          .unroll = 1,
                          .block_stage = BlockStage::tree,
                          .final_stage = FinalStage::polling,
                          .waves = 1};
  const std::vector<Params> neighbours = space.neighbours(here);
  // block_size 128, 512; vector_width 2; unroll 2; two stages; three stages; waves 0, 2.
  CHECK(neighbours.size() == 2 + 1 + 1 + 2 + 3 + 2);
  for (const Params& neighbour : neighbours) {
    CHECK(space.contains(neighbour));
    const auto differences = std::ranges::count_if(rules(Family::reduce).tunables, [&](const Tunable& tunable) {
      return tunable.get(neighbour) != tunable.get(here);
    });
    CHECK(differences == 1);
  }
  CHECK(std::ranges::count(neighbours,
                           ReduceParams{256, 4, 1, BlockStage::tree, FinalStage::atomic, 1}) == 1);
  CHECK(std::ranges::count(neighbours,
                           ReduceParams{128, 4, 1, BlockStage::tree, FinalStage::polling, 1}) == 1);
  // Neighbours that are not in the space are no neighbours.
  CHECK(Space(kSumF32).neighbours(here).size() == neighbours.size() - 1);
}

TEST_CASE("A covering sample holds every pair of values that the space holds") {
  for (const Problem& problem :
       {kSumF32, kAnySumF32, Problem{.op = Operator::min, .type = ElementType::f64}}) {
    const Space space(problem);
    const std::vector<Params> sample = space.covering_sample();
    CHECK(pairs(sample) == pairs(space.enumerate()));
    for (const Params& params : sample) CHECK(space.contains(params));
    CHECK(sample.size() >= 6 * 5);  // block sizes with unrolls
    CHECK(sample.size() <= 60);
    CHECK(space.covering_sample() == sample);
  }
}

TEST_CASE("The default is in the space, whatever the problem and the device") {
  for (const Operator op : operators()) {
    for (const ElementType type : element_types()) {
      for (int shift = 0; shift <= 40; ++shift) {
        const Space space({.op = op, .type = type, .count = (std::uint64_t{1} << shift) - 1});
        for (const int multiprocessors : {1, 132}) {
          INFO(name(op) << " " << name(type) << " 2^" << shift << " - 1");
          CHECK(space.contains(space.default_params(multiprocessors)));
        }
      }
    }
  }
}

TEST_CASE("A configuration that launches what another one launches is redundant") {
  constexpr int kMultiprocessors = 10;
  // Tiles of 1024.
  const auto redundant = [](std::uint64_t tiles, FinalStage stage, int waves) {
    const Space space({.op = Operator::sum, .type = ElementType::i32, .count = tiles * 1024});
    return space.is_redundant(
        {.block_size = 256, .vector_width = 4, .unroll = 1, .final_stage = stage, .waves = waves},
        kMultiprocessors);
  };
  CHECK_FALSE(redundant(1, FinalStage::last_block, 0));
  CHECK(redundant(1, FinalStage::last_block, 1));
  CHECK(redundant(1, FinalStage::polling, 0));
  CHECK(redundant(1, FinalStage::atomic, 0));
  CHECK_FALSE(redundant(2, FinalStage::polling, 0));
  CHECK(redundant(10, FinalStage::polling, 1));
  CHECK_FALSE(redundant(11, FinalStage::polling, 1));
  CHECK_FALSE(redundant(1000, FinalStage::atomic, 0));
}

TEST_CASE("JSON gives back every configuration") {
  for (const Params& params : Space(kAnySumF32).covering_sample()) {
    CHECK(params_from_json(Family::reduce, to_json(params)) == params);
  }
  CHECK(to_json({}) == R"({"block_size":256,"vector_width":4,"unroll":4,"block_stage":"shuffle",)"
                       R"("final_stage":"last_block","waves":0})");
}

TEST_CASE("JSON that is no configuration is refused with what is wrong") {
  CHECK_THAT(thrown_message("{"), ContainsSubstring("not a JSON object"));
  CHECK_THAT(thrown_message("[]"), ContainsSubstring("not a JSON object"));
  CHECK_THAT(thrown_message(R"({"block_size":256})"), ContainsSubstring("vector_width is missing"));
  const auto with = [](const std::string& from, const std::string& to) {
    std::string json = to_json({});
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
  CHECK_THAT(thrown_message(with("\"waves\":0", "\"waves\":0,\"cluster\":2")),
             ContainsSubstring("unknown tunable"));
}

TEST_CASE("A template argument names every field in its order") {
  CHECK(to_template_argument({}) ==
        "foldtune::ReduceParams{.block_size=256,.vector_width=4,.unroll=4,"
        ".block_stage=foldtune::BlockStage::shuffle,"
        ".final_stage=foldtune::FinalStage::last_block,.waves=0}");
}

TEST_CASE("A grid has a block per tile, or as many as are resident") {
  ReduceParams params{.block_size = 128, .vector_width = 4, .unroll = 2};
  CHECK(tile_elements(params) == 1024);
  CHECK(grid_blocks(params, 0, 100) == 1);
  CHECK(grid_blocks(params, 1, 100) == 1);
  CHECK(grid_blocks(params, 1024, 100) == 1);
  CHECK(grid_blocks(params, 1025, 100) == 2);
  CHECK(grid_blocks(params, 1024 * 1000, 100) == 1000);
  params.waves = 2;
  CHECK(grid_blocks(params, 1024 * 199 + 1, 100) == 200);
  CHECK(grid_blocks(params, 1024 * 1000, 100) == 200);
  CHECK(grid_blocks(params, 1024 * 1000, 0) == 2);
}

TEST_CASE("A grid has at most 2^20 blocks") {
  CHECK(grid_blocks({.block_size = 32, .vector_width = 1, .unroll = 1}, kMaxCount, 100) == 1 << 20);
}

}  // namespace
}  // namespace foldtune::test
