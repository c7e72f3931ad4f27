#include "tuner/search.h"

#include <cmath>
#include <set>

#include "tests/catch.h"

namespace foldtune {
namespace {

constexpr int kMultiprocessors = 132;

Problem problem_of(std::uint64_t count) { return {.count = count}; }

/// A landscape with one valley: the steps to `best` over all tunables, in log2 for numbers.
double distance(const Params& params, const Params& best) {
  double cost = 1;
  for (const Tunable& tunable : rules(Family::reduce).tunables) {
    const double a = tunable.get(params);
    const double b = tunable.get(best);
    cost += tunable.labels.empty() ? std::abs(std::log2(a + 1) - std::log2(b + 1)) : (a != b);
  }
  return cost;
}

TEST_CASE("search proposes the seeds first, in their order") {
  const ReduceParams first{.block_size = 64, .waves = 1};
  const ReduceParams second{.block_size = 512, .waves = 1};
  Search search(Space(problem_of(1 << 24)), kMultiprocessors, {first, second}, 1);
  CHECK(to_json(search.propose().value()) == to_json(first));
  CHECK(to_json(search.propose().value()) == to_json(second));
}

TEST_CASE("search proposes every configuration once, and none that is redundant or outside") {
  const Space space(problem_of(1 << 16));
  const ReduceParams outside{.final_stage = FinalStage::atomic};  // a float sum, run to run
  Search search(space, kMultiprocessors, {outside}, 1);
  std::set<std::string> seen;
  while (const auto params = search.propose()) {
    CHECK(space.contains(*params));
    CHECK_FALSE(space.is_redundant(*params, kMultiprocessors));
    CHECK(seen.insert(to_json(*params)).second);
    search.report(*params, 1.0);
  }
  std::size_t wanted = 0;
  for (const Params& params : space.enumerate()) {
    wanted += !space.is_redundant(params, kMultiprocessors);
  }
  CHECK(seen.size() == wanted);
}

TEST_CASE("search with the same seed and costs proposes the same") {
  const auto proposals = [](std::uint64_t seed) {
    Search search(Space(problem_of(1 << 20)), kMultiprocessors, {}, seed);
    std::string all;
    for (int i = 0; i < 100; ++i) {
      const Params params = search.propose().value();
      search.report(params, distance(params, ReduceParams{}));
      all += to_json(params);
    }
    return all;
  };
  CHECK(proposals(7) == proposals(7));
  CHECK(proposals(7) != proposals(8));
}

TEST_CASE("search finds the bottom of a valley in a small part of the space") {
  const Space space(problem_of(1 << 24));
  const ReduceParams best{.block_size = 512,
                          .vector_width = 2,
                          .unroll = 8,
                          .block_stage = BlockStage::tree_shuffle,
                          .final_stage = FinalStage::polling,
                          .waves = 2};
  Search search(space, kMultiprocessors, {}, 3);
  for (int i = 0; i < 200; ++i) {
    const Params params = search.propose().value();
    search.report(params, distance(params, best));
  }
  CHECK(to_json(search.best(1).at(0)) == to_json(best));
  CHECK(space.size() > 10 * 200);
}

TEST_CASE("search proposes nothing that is kept for comparison alone") {
  const Problem problem{.op = Operator::sum,
                        .type = ElementType::i32,
                        .accumulator = ElementType::i32,
                        .count = 1 << 16};
  Search search(Space(problem), kMultiprocessors, {}, 1);
  std::set<BlockStage> stages;
  while (const auto params = search.propose()) {
    const auto& reduce = std::get<ReduceParams>(*params);
    stages.insert(reduce.block_stage);
    CHECK(reduce.tile_layout == TileLayout::contiguous);
    search.report(*params, 1.0);
  }
  CHECK(stages == std::set{BlockStage::tree, BlockStage::tree_shuffle, BlockStage::shuffle,
                           BlockStage::redux});
}

TEST_CASE("search does not count failures among the best") {
  Search search(Space(problem_of(1 << 20)), kMultiprocessors, {}, 1);
  const Params failed = search.propose().value();
  search.report(failed, std::nullopt);
  const Params good = search.propose().value();
  search.report(good, 5.0);
  REQUIRE(search.best(10).size() == 1);
  CHECK(to_json(search.best(10)[0]) == to_json(good));
}

}  // namespace
}  // namespace foldtune
