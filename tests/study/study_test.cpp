#include "bench/study/replay.h"
#include "bench/study/report.h"
#include "tests/catch.h"

namespace foldtune {
namespace {

using Catch::Matchers::ContainsSubstring;

const Problem kSmall{.count = 1 << 12};

/// A landscape in which configuration number i of the candidates costs 100 + i us; those of more
/// than `most` are missing.
Landscape ascending(std::size_t most = 1 << 20) {
  Landscape landscape;
  landscape.device.multiprocessor_count = 10;
  landscape.compile_ms = 50;
  landscape.problem = kSmall;
  const Candidates candidates(kSmall, landscape.device);
  for (std::size_t i = 0; i < std::min(most, candidates.size()); ++i) {
    landscape.points.push_back(
        {.params = candidates.params(i), .median_us = 100 + static_cast<double>(i), .mad_us = 1});
  }
  return landscape;
}

TEST_CASE("a ground knows the optimum, what failed and what is missing") {
  Landscape landscape = ascending(10);
  landscape.points[0].outcome = Outcome::wrong_result;
  const Ground ground(landscape);
  CHECK(ground.optimum_us() == 101);
  CHECK(ground.missing() == ground.candidates()->size() - 10);
  CHECK(ground.find(ground.candidates()->params(0)) == nullptr);
  CHECK(ground.find(ground.candidates()->params(3))->median_us == 103);
  CHECK(ground.find(ground.candidates()->params(10)) == nullptr);
}

TEST_CASE("a run counts evaluations until something near the optimum was tried") {
  const Landscape landscape = ascending();
  const Ground ground(landscape);
  REQUIRE(ground.missing() == 0);
  // Exhaustive goes by number: after the seed at once to the optimum.
  const auto number = [&](std::size_t i) { return ground.candidates()->params(i); };
  const Run run = replay(ground, "exhaustive", {number(50), number(4)}, 1, {.in_flight = 3});
  CHECK(run.evaluations == std::array{2, 3, 3});
  // Two compilations, and two samples of 100 calls each.
  CHECK(run.seconds == Approx(2 * 0.05 + 200 * (150 + 104) * 1e-6));

  const Run late = replay(ground, "exhaustive", {number(50), number(60)}, 1, {.budget = 2});
  CHECK(late.evaluations == std::array{3, 3, 3});
}

TEST_CASE("a run is the same for the same seed, whatever the noise") {
  const Landscape landscape = ascending();
  const Ground ground(landscape);
  for (const double noise : {0.0, 1.0}) {
    const auto evaluations = [&](std::uint64_t seed) {
      return replay(ground, "random", {}, seed, {.noise = noise}).evaluations;
    };
    CHECK(evaluations(1) == evaluations(1));
    CHECK(evaluations(1) != evaluations(2));
  }
}

TEST_CASE("a summary has the median, the slowest tenth and the share of near runs") {
  std::vector<Run> runs;
  for (int i = 1; i <= 11; ++i) {
    runs.push_back({.evaluations = {i, 10 * i, 100 * i}, .seconds = static_cast<double>(i)});
  }
  const Summary summary = summarise(runs);
  CHECK(summary.median == std::array{6, 60, 600});
  CHECK(summary.percentile90 == std::array{10, 100, 1000});
  CHECK(summary.share[0] == Approx(5.0 / 11));  // within 5 evaluations
  CHECK(summary.share[1] == Approx(10.0 / 11));
  CHECK(summary.share[2] == 1);
  CHECK(summary.seconds == 6);
  const std::string text = format_rows("title", {{"mine", summary}}, 400);
  CHECK_THAT(text, ContainsSubstring("title") && ContainsSubstring("mine"));
  CHECK_THAT(text, ContainsSubstring("60  100") && ContainsSubstring(">400  >400"));
}

}  // namespace
}  // namespace foldtune
