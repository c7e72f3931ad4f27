// The matrix of the bench.
#include "bench/cases.h"

#include <set>
#include <string>

#include "foldtune/error.h"
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
  CHECK(names.size() == 34);
}

TEST_CASE("A case is found by its name alone, or with others by a part of theirs") {
  CHECK(names_of(find_cases({"max f32"})) == std::vector<std::string>{"max f32"});
  CHECK(names_of(find_cases({"argm"})) == std::vector<std::string>{"argmax f32", "argmin f16"});
  CHECK(names_of(find_cases({"sum f64", "sum f32", "sum f32"})) ==
        std::vector<std::string>{"sum f32", "sum f64"});
  CHECK(find_cases({}).size() == all_cases().size());
}

TEST_CASE("A text that no case has is an error, which names all cases") {
  CHECK_THROWS_WITH(find_cases({"sum f31"}),
                    Catch::Matchers::ContainsSubstring("'sum f31'") &&
                        Catch::Matchers::ContainsSubstring("squared distance f32"));
}

}  // namespace
}  // namespace foldtune::bench::test
