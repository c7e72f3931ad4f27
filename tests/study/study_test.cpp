#include "bench/study/replay.h"
#include "foldtune/error.h"
#include "foldtune/reduction.h"
#include "tests/catch.h"
#include "tuner/search/search.h"

namespace foldtune {
namespace {

Workload small() { return Reduction{.count = 1 << 12}; }

/// A landscape in which configuration number i of the candidates costs 100 + i us; those of more
/// than `most` are missing.
Landscape ascending(std::size_t most = 1 << 20) {
  Landscape landscape{
      .device = {}, .compiler = {}, .template_fingerprint = {}, .workload = small(), .points = {}};
  landscape.device.multiprocessor_count = 10;
  const Candidates candidates(small(), landscape.device);
  for (std::size_t i = 0; i < std::min(most, candidates.size()); ++i) {
    landscape.points.push_back(
        {.params = candidates.params(i), .median_us = 100 + static_cast<double>(i)});
  }
  return landscape;
}

TEST_CASE("a ground knows the optimum and what failed, and searches find the recorded alone") {
  Landscape landscape = ascending(10);
  landscape.points[0].outcome = Outcome::wrong_result;
  const Ground ground(landscape);
  CHECK(ground.best().median_us == 101);
  REQUIRE(ground.candidates()->size() == 10);
  CHECK(ground.find(ground.candidates()->params(0)) == nullptr);
  CHECK(ground.find(ground.candidates()->params(3))->median_us == 103);
  const Config missing = Candidates(small(), landscape.device).params(10);
  CHECK(ground.find(missing) == nullptr);
  const auto search = make_search("random", ground.candidates(), {}, 1);
  int proposals = 0;
  while (const auto params = search->propose()) {
    CHECK(*params != missing);
    ++proposals;
  }
  CHECK(proposals == 10);
}

TEST_CASE("nothing is studied where everything failed") {
  Landscape landscape = ascending(1);
  landscape.points[0].outcome = Outcome::crashed;
  CHECK_THROWS_AS(Ground(landscape), InvalidArgument);
}

TEST_CASE("a run counts evaluations until something near the optimum was tried") {
  const Landscape landscape = ascending();
  const Ground ground(landscape);
  // Exhaustive goes by number: after the seeds at once to the optimum.
  const auto number = [&](std::size_t i) { return ground.candidates()->params(i); };
  CHECK(replay(ground, "exhaustive", {number(50), number(4)}, 1) == 2);
  CHECK(replay(ground, "exhaustive", {number(50), number(60)}, 1, {.in_flight = 3}) == 3);
  CHECK(replay(ground, "exhaustive", {number(50), number(60)}, 1, {.budget = 2}) == 3);
}

TEST_CASE("seeds that were not recorded are no evaluations") {
  const Landscape landscape = ascending(40);
  const Ground ground(landscape);
  const Config missing = Candidates(small(), landscape.device).params(50);
  CHECK(replay(ground, "exhaustive", {missing, missing}, 1) == 1);
}

TEST_CASE("a run is the same for the same seed") {
  const Landscape landscape = ascending();
  const Ground ground(landscape);
  CHECK(replay(ground, "random", {}, 1) == replay(ground, "random", {}, 1));
  CHECK(replay(ground, "random", {}, 1) != replay(ground, "random", {}, 2));
}

}  // namespace
}  // namespace foldtune
