// foldtune vacuum: what it prints, and that it makes no database.
#include <filesystem>

#include "tests/catch.h"
#include "tests/tuner/program.h"
#include "tests/tuner/tuned_database.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("vacuum prints the size before and after, and keeps the results") {
  const Workplace place;
  store(place.database(), {stored_sum(20, 5)});
  const Outcome result = place.run({"vacuum"});
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, ContainsSubstring(" KiB before, "));
  CHECK_THAT(result.out, ContainsSubstring(" KiB after"));
  CHECK_THAT(place.run({"show"}).out, ContainsSubstring("sum f32 2^20"));
}

TEST_CASE("vacuum makes no database") {
  const Workplace place;
  const Outcome result = place.run({"vacuum"});
  CHECK(result.exit_code == kDatabase);
  CHECK_THAT(result.err, ContainsSubstring("no such file"));
  CHECK_FALSE(std::filesystem::exists(place.database()));
}

}  // namespace
}  // namespace foldtune::test
