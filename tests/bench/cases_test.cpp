// The matrix of the bench.
#include "bench/cases.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "foldtune/error.h"
#include "templates/family.h"
#include "tests/catch.h"

namespace foldtune::bench::test {
namespace {

std::vector<std::string> names_of(const std::vector<Case>& cases) {
  std::vector<std::string> names;
  for (const Case& one : cases) names.push_back(one.name);
  return names;
}

TEST_CASE("Every case is a problem that can be computed, under a name of its own") {
  std::set<std::string> names;
  for (const Case& one : all_cases()) {
    CAPTURE(one.name);
    CHECK(names.insert(one.name).second);
    CHECK(find_fault(one.workload.problem).empty());
  }
  CHECK(names.size() == 34 + 2 + axis_cases().size() + segment_cases().size());
}

TEST_CASE("Cases along axes and of segments have shapes that calls have, each once") {
  std::vector<Case> cases = axis_cases();
  std::ranges::move(segment_cases(), std::back_inserter(cases));
  for (const Case& one : cases) {
    CAPTURE(one.name);
    const Problem& problem = one.workload.problem;
    std::set<std::string> shapes;
    for (const Shape& shape : one.shapes) {
      CAPTURE(to_text(problem.family(), shape));
      CHECK(shapes.insert(to_text(problem.family(), shape)).second);
      CHECK(problem.family().find_fault(problem, shape).empty());
      const std::uint64_t elements = problem.family().elements(problem, /*argument=*/1, shape);
      CHECK((one.elements == 0 || elements <= one.elements));
      CHECK(2 * elements > one.elements);
    }
    CHECK(!shapes.empty());
  }
}

TEST_CASE("Cases are found by what they compute, along which axes, of how much") {
  CHECK(names_of(find_cases({.operators = {"argmax"}, .types = {"f32"}})) ==
        std::vector<std::string>{"argmax f32"});
  const CaseFilter sums{
      .families = {"axis"}, .operators = {"sum"}, .types = {"f32"}, .sizes = {1 << 26}};
  CHECK(names_of(find_cases(sums)) ==
        std::vector<std::string>{"sum f32 rows 2^26", "sum f32 columns 2^26"});
  CHECK(find_cases({.families = {"axis"}}).size() == axis_cases().size());
  CHECK_THROWS_WITH(find_cases({.operators = {"summ"}}),
                    Catch::Matchers::ContainsSubstring("--op summ") &&
                        Catch::Matchers::ContainsSubstring("argmax"));
  CHECK_THROWS_WITH(find_cases({.families = {"axis"}, .sizes = {1000}}),
                    Catch::Matchers::ContainsSubstring("no case has these sizes"));
}

TEST_CASE("Shapes are left out whose results are of other lengths") {
  const std::vector<Case> cases = find_cases({.families = {"axis"},
                                              .operators = {"sum"},
                                              .types = {"f32"},
                                              .directions = {"rows", "columns", "middle"},
                                              .lengths = {3, 1024}});
  CHECK(names_of(cases) == std::vector<std::string>{"sum f32 rows 2^26", "sum f32 columns 2^26",
                                                    "sum f32 rows 2^20", "sum f32 columns 2^20",
                                                    "sum f32 middle"});
  CHECK(tune_options(cases[3]) ==
        "--family axis --op sum --type f32 --shape 1x3x349525x1,1x1024x1024x1");
  CHECK(cases[4].shapes == std::vector<Shape>{{{64, 1024, 1024, 1}}});
}

TEST_CASE("Cases of segments are found, and tuned, by their lengths") {
  CHECK(find_cases({.families = {"segments"}}).size() == segment_cases().size());
  const std::vector<Case> cases =
      find_cases({.families = {"segments"}, .directions = {"power_law", "mostly_empty"}});
  CHECK(names_of(cases) == std::vector<std::string>{"sum f32 power_law", "sum f32 mostly_empty"});
  CHECK(tune_options(cases[0]) ==
        "--family segments --op sum --type f32 --shape 8587x67108864 --lengths power_law");
  CHECK(names_of(find_cases({.families = {"segments"}, .operators = {"sum"}, .lengths = {16}})) ==
        std::vector<std::string>{"sum f32 uniform", "sum bf16 uniform"});
}

TEST_CASE("Histograms of rows are found, and tuned, where they are asked for") {
  const std::vector<Case> cases = find_cases({.directions = {"rows"}});
  CHECK(names_of(cases) ==
        std::vector<std::string>{"histogram u8 uniform rows", "histogram u8 constant rows"});
  CHECK(tune_options(cases[1]) ==
        "--family histogram --op histogram --type u8 --shape 16384x4096,1024x65536,64x1048576 "
        "--counter u32 --distribution constant");
  CHECK(names_of(find_cases({.names = {"uniform rows"}})) ==
        std::vector<std::string>{"histogram u8 uniform rows"});
}

TEST_CASE("A case is found by its name alone, or with others by a part of theirs") {
  CHECK(names_of(find_cases({.names = {"max f32"}})) == std::vector<std::string>{"max f32"});
  CHECK(names_of(find_cases({.names = {"argm"}})) ==
        std::vector<std::string>{"argmax f32", "argmin f16"});
  CHECK(names_of(find_cases({.names = {"sum f64", "sum f32", "sum f32"}})) ==
        std::vector<std::string>{"sum f32", "sum f64"});
  CHECK(find_cases({}).size() == 34);
}

TEST_CASE("A text that no case has is an error, which names all cases") {
  CHECK_THROWS_WITH(find_cases({.names = {"sum f31"}}),
                    Catch::Matchers::ContainsSubstring("'sum f31'") &&
                        Catch::Matchers::ContainsSubstring("squared distance f32"));
}

}  // namespace
}  // namespace foldtune::bench::test
