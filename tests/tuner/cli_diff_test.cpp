// foldtune diff: two databases beside each other.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/tuner/program.h"
#include "tests/tuner/tuned_database.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

/// Two problems in both, of which one has another configuration, and one in each.
struct Databases {
  explicit Databases(const Workplace& place)
      : a(place.file("a.database")), b(place.file("b.database")) {
    TunedDatabase(a).add(run_on(), {success(sum_of(1 << 12), with_block_size(64), {2}),
                                    success(sum_of(1 << 16), with_block_size(64), {4}),
                                    success(sum_of(1 << 20), with_block_size(64), {8})});
    RunRecord newer = run_on();
    newer.device.driver = "590.2";
    TunedDatabase(b).add(newer, {success(sum_of(1 << 12), with_block_size(64), {1}),
                                 success(sum_of(1 << 16), with_block_size(128), {8}),
                                 success(sum_of(1 << 24), with_block_size(64), {20})});
  }
  std::string a;
  std::string b;
};

TEST_CASE("Diff puts the bests of two databases beside each other, whatever the driver") {
  const Workplace place;
  const Databases databases(place);
  const Outcome outcome = place.run({"diff", databases.a, databases.b});
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.exit_code == 0);
  for (const char* text :
       {"NVIDIA Test (cuda): A of driver 580.1, nvrtc 13.0; B of driver 590.2, nvrtc 13.0",
        "0.500  the same", "2.000  block_size=64 ", " -> block_size=128\n",
        "only in A: block_size=64", "only in B: block_size=64",
        "2 in both: B takes 1.000 times as long as A"}) {
    CHECK_THAT(outcome.out, ContainsSubstring(text));
  }
  const Outcome filtered = place.run({"diff", databases.a, databases.b, "--op", "max"});
  CHECK(filtered.exit_code == 0);
  CHECK_THAT(filtered.out, ContainsSubstring("nothing in"));
}

TEST_CASE("Diff writes the same as JSON") {
  const Workplace place;
  const Databases databases(place);
  const auto report =
      nlohmann::json::parse(place.run({"diff", databases.a, databases.b, "--json"}).out);
  CHECK(report["a"] == databases.a);
  CHECK(report["b"] == databases.b);
  REQUIRE(report["devices"].size() == 1);
  CHECK(report["devices"][0]["device_name"] == "NVIDIA Test");
  CHECK(report["devices"][0]["in_both"] == 2);
  CHECK(report["devices"][0]["mean_ratio"].get<double>() == Approx(1));
  const auto& pairs = report["problems"];
  REQUIRE(pairs.size() == 4);
  CHECK(pairs[0]["workload"] == "sum f32 2^12");
  CHECK(pairs[0]["ratio"] == 0.5);
  CHECK(pairs[0]["same_config"] == true);
  CHECK(pairs[1]["same_config"] == false);
  CHECK(pairs[1]["b"]["params"]["block_size"] == 128);
  CHECK(pairs[2]["b"].is_null());
  CHECK(pairs[2]["ratio"].is_null());
  CHECK(pairs[3]["a"].is_null());
  CHECK(pairs[3]["b"]["median_us"] == 20);
}

TEST_CASE("Diff keeps devices of other names apart") {
  const Workplace place;
  const Databases databases(place);
  const std::string other = place.file("other.database");
  TunedDatabase(other).add(run_on("NVIDIA Other"),
                           {success(sum_of(1 << 12), with_block_size(64), {2})});
  const Outcome outcome = place.run({"diff", databases.a, other});
  CHECK_THAT(outcome.out, ContainsSubstring("NVIDIA Test (cuda)") &&
                              ContainsSubstring("NVIDIA Other (cuda): A of nothing") &&
                              ContainsSubstring("no problem is in both"));
  const auto devices =
      nlohmann::json::parse(place.run({"diff", databases.a, other, "--json"}).out)["devices"];
  REQUIRE(devices.size() == 2);
  CHECK(devices[0]["in_both"] == 0);
  CHECK(devices[0]["mean_ratio"].is_null());
}

TEST_CASE("Diff says what is wrong") {
  const Workplace place;
  const Databases databases(place);
  const auto fails = [&](const std::vector<std::string>& arguments, int code,
                         const std::string& what) {
    const Outcome outcome = place.run(arguments);
    CHECK(outcome.exit_code == code);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, ContainsSubstring(what));
  };
  fails({"diff", databases.a}, kUsage, "B is required");
  fails({"diff", "none", databases.b, "--type", "f31"}, kUsage, "--type: there is no 'f31'");
  fails({"diff", databases.a, place.file("none")}, kDatabase, place.file("none"));
  fails({"diff", place.write("text", "no database"), databases.b}, kDatabase, "text");
}

}  // namespace
}  // namespace foldtune::test
