// foldtune history: every choice for a problem.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/tuner/program.h"
#include "tests/tuner/tuned_database.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

const Problem kProblem = sum_of(1 << 20);

/// Choices on two devices, the second one on the first device by another driver.
void make_database(const Workplace& place) {
  TunedDatabase database(place.database());
  database.add(run_on("NVIDIA A"), {success(kProblem, with_block_size(64), {3}, kScreened),
                                    success(kProblem, with_block_size(64), {4}, 2),
                                    success(kProblem, with_block_size(128), {5}, 1)});
  database.add(run_on("NVIDIA B"), {success(kProblem, with_block_size(256), {2}, 2)});
  RunRecord newer = run_on("NVIDIA A");
  newer.device.driver = "590.2";
  newer.template_fingerprint = "0123456789abcdef";
  database.add(newer, {success(kProblem, with_block_size(128), {3}, 2),
                       success(sum_of(1 << 12), with_block_size(32), {1}, 2)});
}

TEST_CASE("History lists every choice, the oldest first, with its change") {
  const Workplace place;
  make_database(place);
  const Outcome outcome = place.run({"history", "--n", "2^20"});
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.exit_code == 0);
  for (const char* text : {"sum f32 2^20", "NVIDIA A", "NVIDIA B", "-25.0%", "590.2", "these",
                           "01234567...", "bs128 "}) {
    CHECK_THAT(outcome.out, ContainsSubstring(text));
  }
  CHECK_THAT(outcome.out, !ContainsSubstring("bs32 "));

  const auto rows = nlohmann::json::parse(place.run({"history", "--n", "2^20", "--json"}).out);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0]["median_us"] == 4);
  CHECK(rows[0]["time_over_previous"].is_null());
  CHECK(rows[1]["device_name"] == "NVIDIA B");
  CHECK(rows[1]["time_over_previous"].is_null());
  CHECK(rows[2]["device_driver"] == "590.2");
  CHECK(rows[2]["time_over_previous"] == 0.75);
}

TEST_CASE("History of one device leaves the others out") {
  const Workplace place;
  make_database(place);
  const auto rows = nlohmann::json::parse(
      place.run({"history", "--n", "2^20", "--json", "--device", "nvidia b"}).out);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["params"]["block_size"] == 256);
}

TEST_CASE("History says what there is where nothing was chosen") {
  const Workplace place;
  {
    TunedDatabase database(place.database());
    database.add(run_on(), {success(kProblem, with_block_size(64), {3}, kScreened)});
    CHECK_THAT(place.run({"history", "--n", "2^20"}).out, ContainsSubstring("holds no choices"));
  }
  make_database(place);
  const Outcome none = place.run({"history", "--op", "max", "--n", "2^20"});
  CHECK(none.exit_code == 0);
  CHECK_THAT(none.out, ContainsSubstring("nothing was ever chosen for max f32 2^20; there is sum "
                                         "f32 2^12, sum f32 2^20"));
  const Outcome device = place.run({"history", "--n", "2^20", "--device", "h300"});
  CHECK(device.exit_code == kUsage);
  CHECK_THAT(device.err, ContainsSubstring("'h300'") && ContainsSubstring("NVIDIA B"));
  const Outcome file = place.run({"history", "--n", "1K", "--db", place.write("other", "none")});
  CHECK(file.exit_code == kDatabase);
  CHECK_THAT(file.err, ContainsSubstring("other"));
}

}  // namespace
}  // namespace foldtune::test
