// What the report keeps of the landscapes, and how it names configurations.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/tuner/tuned_database.h"
#include "tuner/report/config_table.h"
#include "tuner/report/landscapes.h"

namespace foldtune::test {
namespace {

std::vector<const MeasurementRecord*> pointers(const std::vector<MeasurementRecord>& records) {
  std::vector<const MeasurementRecord*> all;
  for (const MeasurementRecord& record : records) all.push_back(&record);
  return all;
}

TEST_CASE("A landscape has the median of the screenings of each configuration, and what failed") {
  const Workload problem = sum_of(1 << 20);
  const std::vector<MeasurementRecord> records{
      success(problem, with_block_size(64), {8}, kScreened),
      success(problem, with_block_size(128), {5}, kScreened),
      success(problem, with_block_size(128), {7}, kScreened),
      success(problem, with_block_size(128), {2}, 1),  // of the comparison
      success(problem, with_block_size(512), {3}, 1),  // never screened
      failure(problem, with_block_size(64), foldtune::Outcome::timing_error, "once"),
      failure(problem, with_block_size(256), foldtune::Outcome::crashed, "always"),
  };
  const LandscapeView view = view_landscape(pointers(records));
  REQUIRE(view.points.size() == 3);
  CHECK(*view.points[0].params == to_json(with_block_size(512)));
  CHECK(view.points[0].median_us == 3);
  CHECK(*view.points[1].params == to_json(with_block_size(128)));
  CHECK(view.points[1].median_us == 6);
  CHECK(view.points[2].median_us == 8);
  REQUIRE(view.failed.size() == 1);
  CHECK(*view.failed[0] == to_json(with_block_size(256)));
  CHECK(view.left_out == 0);
}

LandscapeView landscape_of(std::size_t points) {
  LandscapeView view;
  for (std::size_t i = 0; i < points; ++i) view.points.push_back({nullptr, 1.0 + double(i)});
  return view;
}

TEST_CASE("Only the largest landscapes lose points, and those the slowest") {
  LandscapeView small = landscape_of(10);
  LandscapeView large = landscape_of(100);
  LandscapeView larger = landscape_of(200);
  std::vector<LandscapeView*> all{&larger, &small, &large};
  SECTION("where there is room, none does") {
    limit_points(all, 310);
    CHECK(larger.left_out == 0);
    CHECK(larger.points.size() == 200);
  }
  SECTION("what the small ones leave is shared") {
    limit_points(all, 210);
    CHECK(small.points.size() == 10);
    CHECK(large.points.size() == 100);
    CHECK(larger.points.size() == 100);
    CHECK(larger.left_out == 100);
    CHECK(larger.points.back().median_us == 100);
  }
}

TEST_CASE("Configurations are numbered once, in the order of the struct, whatever their version") {
  ConfigTable configs;
  const std::string known = R"({"block_size":64,"unroll":2,"vector_width":4})";
  const std::string foreign = R"({"block_size":64,"warp_tile":"wide"})";
  CHECK(configs.index_of("reduce", known) == 0);
  CHECK(configs.index_of("reduce", foreign) == 1);
  CHECK(configs.index_of("reduce", known) == 0);
  CHECK(configs.index_of("histogram", known) == 2);
  const auto shapes = configs.shapes();
  REQUIRE(shapes.size() == 3);
  CHECK(shapes[0]["tunables"][0]["name"] == "block_size");
  CHECK(shapes[0]["tunables"][1]["name"] == "vector_width");
  CHECK(shapes[0]["tunables"][2]["name"] == "unroll");
  CHECK(shapes[1]["tunables"][1]["values"][0] == "wide");
  CHECK(configs.configs() == nlohmann::ordered_json::parse("[[0,0,0,0],[1,0,0],[2,0,0,0]]"));
}

}  // namespace
}  // namespace foldtune::test
