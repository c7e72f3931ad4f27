#include "bench/study/carry.h"

#include "tests/catch.h"

namespace foldtune {
namespace {

using Catch::Matchers::ContainsSubstring;

/// A landscape of 2^`size` elements in which configuration `best` of the candidates costs 100 us,
/// and the others 1% more for each number that they are away from it.
Landscape around(int size, std::size_t best) {
  Landscape landscape;
  landscape.device.multiprocessor_count = 10;
  landscape.device.l2_bytes = 1 << 20;
  landscape.problem = {.count = std::uint64_t{1} << size};
  const Candidates candidates(landscape.problem, landscape.device);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::size_t away = i > best ? i - best : best - i;
    landscape.points.push_back(
        {.params = candidates.params(i), .median_us = 100 + static_cast<double>(away)});
  }
  return landscape;
}

TEST_CASE("what is carried to another size is counted by distance, direction and the L2") {
  // Of 2^19 elements of f32 on, inputs are beyond the L2; the spaces of large sizes are the same.
  const std::vector<Landscape> landscapes{around(17, 3), around(18, 5), around(20, 9)};
  const std::vector<Ground> grounds(landscapes.begin(), landscapes.end());
  const CarryTable table = study_carrying(grounds, 2);
  REQUIRE(table.carried.size() == 4);  // 3 classes are too far
  const auto losses = [&](int classes, Inputs inputs) {
    return table.carried.at(classes).at(inputs).losses;
  };
  REQUIRE(losses(1, Inputs::in_l2).size() == 1);
  REQUIRE(losses(-1, Inputs::in_l2).size() == 1);
  REQUIRE(losses(2, Inputs::beyond_l2).size() == 1);
  REQUIRE(losses(-2, Inputs::in_l2).size() == 1);
  CHECK(losses(1, Inputs::in_l2)[0] == Approx(0.02));
  CHECK(table.carried.at(1).count(Inputs::beyond_l2) == 0);
  CHECK(table.untuned.at(Inputs::in_l2).losses.size() == 2);
  CHECK(table.untuned.at(Inputs::beyond_l2).losses.size() == 1);
  CHECK_THAT(format_carrying(table),
             ContainsSubstring("a size 2 times less") && ContainsSubstring("a size 4 times more") &&
                 ContainsSubstring("the untuned default") && ContainsSubstring("2.0%"));
}

TEST_CASE("what cannot be used at another size is counted apart") {
  Landscape small = around(17, 0);
  Landscape large = around(18, 0);
  for (LandscapePoint& point : large.points) {
    if (point.params == find_optimum(small)->params) point.outcome = Outcome::launch_error;
  }
  const std::vector<Landscape> landscapes{small, large};
  const std::vector<Ground> grounds(landscapes.begin(), landscapes.end());
  const CarryTable table = study_carrying(grounds, 3);
  CHECK(table.carried.at(1).at(Inputs::in_l2).unusable == 1);
  CHECK(table.carried.at(1).at(Inputs::in_l2).losses.empty());
}

TEST_CASE("other problems and other devices have nothing to carry") {
  Landscape other = around(18, 0);
  SECTION("another device") { other.device.multiprocessor_count = 11; }
  SECTION("another type") { other.problem.type = ElementType::i32; }
  SECTION("another driver") { other.device.driver = "2"; }
  const std::vector<Landscape> landscapes{around(17, 0), other};
  const std::vector<Ground> grounds(landscapes.begin(), landscapes.end());
  CHECK(study_carrying(grounds, 3).carried.empty());
}

}  // namespace
}  // namespace foldtune
