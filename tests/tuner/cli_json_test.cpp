// --json: every verb that prints facts has it, and says all that its text says.
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/tuner/tuned_on_cpu.h"

namespace foldtune::test {
namespace {

using Json = nlohmann::json;

Json json_of(const Workplace& place, std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const Outcome outcome = place.run(arguments);
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return Json::parse(outcome.out);
}

TEST_CASE("show --json names the measurement, its run and the run's start") {
  const Json rows = json_of(tuned_on_cpu().place, {"show", "--all"});
  REQUIRE(rows.size() >= 2);
  CHECK(rows[0]["measurement_id"] < rows[1]["measurement_id"]);
  CHECK(rows[0]["run_id"] == rows[1]["run_id"]);
  CHECK(rows[0]["started_at"].get<std::string>() <= rows[0]["measured_at"].get<std::string>());
  CHECK(tuned_on_cpu()
            .place.run({"show", "--csv"})
            .out.starts_with("measurement_id,run_id,started_at,"));
}

TEST_CASE("tune --json has the results, and what the tuning was like") {
  const Workplace place;
  const Json report =
      json_of(place, {"tune", "--device", "cpu", "--n", "1K,2K", "--max-evals", "1"});
  REQUIRE(report.size() == 1);
  CHECK(report[0]["devices"] == Json{"cpu"});
  CHECK(report[0]["database"] == place.database());
  CHECK(report[0]["interrupted"] == false);
  CHECK(report[0]["elapsed_s"] > 0);
  CHECK(report[0]["failures"].empty());
  REQUIRE(report[0]["results"].size() == 2);
  const Json& result = report[0]["results"][0];
  CHECK(result["op"] == "sum");
  CHECK(result["element_count"] == 1024);
  CHECK(result["median_us"] > 0);
  CHECK(result["tried"] >= 1);
  CHECK(result["config"]["block_size"] > 0);
  CHECK(result["config"] == json_of(place, {"show"})[0]["params"]);
}

TEST_CASE("revalidate --json has what is marked") {
  const Workplace place;
  copy_tuned(place);
  const Json report = json_of(place, {"revalidate", "--device", "cpu", "--dry-run"});
  REQUIRE(report.size() == 1);
  CHECK(report[0]["devices"] == Json{"cpu"});
  CHECK(report[0]["marked"].empty());
}

TEST_CASE("landscape --json has the spread and what each tunable is worth") {
  const Workplace& place = tuned_on_cpu().place;
  const Json report = json_of(place, {"landscape", "--n", "1000"});
  REQUIRE(report.size() == 1);
  const Json& landscape = report[0];
  CHECK(landscape["problem"] == "sum f32 1000");
  CHECK(landscape["device_kind"] == "cpu");
  CHECK(landscape["configurations"] >= 1);
  CHECK(landscape["outcomes"]["ok"] == landscape["configurations"]);
  CHECK(landscape["fastest"]["median_us"] <= landscape["median_us"]);
  CHECK(landscape["median_us"] <= landscape["slowest_us"]);
  CHECK(landscape["near_fastest"][0]["count"] >= 1);
  for (const auto& [tunable, values] : landscape["tunables"].items()) {
    CAPTURE(tunable);
    CHECK(values.size() >= 2);
  }
  CHECK(json_of(place, {"landscape", "--n", "1G"}) == Json::array());
}

TEST_CASE("import --json and prune --json have their counts") {
  const Workplace place;
  const std::string from = tuned_on_cpu().place.database();
  const Json imported = json_of(place, {"import", from, from});
  REQUIRE(imported.size() == 2);
  CHECK(imported[0]["file"] == from);
  CHECK(imported[0]["read"] == imported[0]["added"]);
  CHECK(imported[0]["new_devices"] == 1);
  CHECK(imported[0]["refused"] == 0);
  CHECK(imported[1]["added"] == 0);
  CHECK(imported[1]["known"] == imported[1]["read"]);

  const Json all = json_of(place, {"prune", "--older-than", "0", "--dry-run"});
  CHECK(all["dry_run"] == true);
  CHECK(all["groups"].size() <= 1);
  CHECK(all["kept_best"] >= 1);
  const Json pruned = json_of(place, {"prune"});
  CHECK(pruned["measurements"] == 0);
  CHECK(pruned["bytes_after"] > 0);
}

}  // namespace
}  // namespace foldtune::test
