// --json: every verb that prints facts has it, and says all that its text says.
#include <SQLiteCpp/Database.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/catch.h"
#include "tests/tuner/tuned_database.h"
#include "tests/tuner/tuned_on_cpu.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using Json = nlohmann::json;

Json json_of(const Workplace& place, std::vector<std::string> arguments, int exit_code = 0) {
  arguments.emplace_back("--json");
  const Outcome outcome = place.run(arguments);
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.exit_code == exit_code);
  return Json::parse(outcome.out);
}

void exec(const Workplace& place, const std::string& statement) {
  SQLite::Database(place.database(), SQLite::OPEN_READWRITE).exec(statement);
}

TEST_CASE("Every verb has --json") {
  const Workplace place;
  std::istringstream help(place.run({"--help"}).out);
  std::string line;
  while (std::getline(help, line) && line != "Verbs:") continue;
  int verbs = 0;
  while (std::getline(help, line) && line.starts_with("  ")) {
    const std::string verb = line.substr(2, line.find(' ', 2) - 2);
    if (verb.empty()) continue;  // the line before goes on
    ++verbs;
    CAPTURE(verb);
    CHECK_THAT(place.run({verb, "--help"}).out, ContainsSubstring("\n  --json "));
  }
  CHECK(verbs >= 14);
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

TEST_CASE("show --json says which results are of other kernels") {
  const Workplace place;
  store(place.database(), {stored_sum(20, 5), with_kernels("older", stored_sum(24, 9))});
  const Json rows = json_of(place, {"show", "--sort", "us"});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["has_these_kernels"] == true);
  CHECK(rows[1]["has_these_kernels"] == false);
}

TEST_CASE("tune --json has the results, and what the tuning was like") {
  const Workplace place;
  const Json report = json_of(place, {"tune", "--device", "cpu", "--op", "sum,bit_and", "--n",
                                      "1K,2K", "--max-evals", "1"});
  REQUIRE(report.size() == 1);
  CHECK(report[0]["devices"] == Json{"cpu"});
  CHECK(report[0]["database"] == place.database());
  CHECK(report[0]["interrupted"] == false);
  CHECK(report[0]["elapsed_s"] > 0);
  CHECK(report[0]["failures"].empty());
  CHECK(report[0]["without_result"] == Json::array());
  REQUIRE(report[0]["left_out"].size() == 1);
  CHECK_THAT(report[0]["left_out"][0].get<std::string>(),
             StartsWith("bit_and: bit_and takes integers, not f32"));
  for (const char* name :
       {"device_name", "device_kind", "device_architecture", "device_driver", "compiler"}) {
    CHECK(report[0][name] == json_of(place, {"show"})[0][name]);
  }
  REQUIRE(report[0]["results"].size() == 2);
  const Json& result = report[0]["results"][0];
  CHECK(result["workload"] == "sum f32 2^10");
  CHECK(result["problem"]["op"] == "sum");
  CHECK(result["shape"] == "1024");
  CHECK(result["median_us"] > 0);
  CHECK(result["tried"] >= 1);
  CHECK(result["config"]["block_size"] > 0);
  CHECK(result["config"] == json_of(place, {"show"})[0]["params"]);
}

TEST_CASE("revalidate --json has what is stale") {
  const Workplace place;
  copy_tuned(place);
  const Json report = json_of(place, {"revalidate", "--device", "cpu", "--dry-run"});
  REQUIRE(report.size() == 1);
  CHECK(report[0]["devices"] == Json{"cpu"});
  CHECK(report[0]["problems"] == 0);
  CHECK(report[0]["stale"].empty());
  CHECK(report[0]["left_out"] == Json::array());
  CHECK(report[0]["device_kind"] == "cpu");
}

TEST_CASE("revalidate --json has what is, what was, and what is left out") {
  const Workplace place;
  copy_tuned(place);
  exec(place, "UPDATE run SET compiler = 'g++ 0.9'");
  exec(place,
       "UPDATE problem SET problem = replace(problem, 'op=max ', 'op=mine:0123456789abcdef ')");
  const auto check_left_out = [](const Json& report) {
    REQUIRE(report["left_out"].size() == 1);
    CHECK_THAT(
        report["left_out"][0].get<std::string>(),
        StartsWith("mine f32: ") && ContainsSubstring("does not hold what custom operators"));
  };
  const Json dry = json_of(place, {"revalidate", "--device", "cpu", "--dry-run"})[0];
  CHECK(dry["problems"] == 1);
  REQUIRE(dry["stale"].size() == 1);
  CHECK(dry["stale"][0]["compiler"] == "g++ 0.9");
  CHECK(dry["compiler"] != "g++ 0.9");
  check_left_out(dry);
  const Json done = json_of(place, {"revalidate", "--device", "cpu"})[0];
  check_left_out(done);
  CHECK(done["compiler"] == dry["compiler"]);
  REQUIRE(done["results"].size() == 1);
  CHECK(done["results"][0]["was_us"] == dry["stale"][0]["median_us"]);
  CHECK(done["results"][0]["was_config"] == dry["stale"][0]["params"]);
}

TEST_CASE("landscape --json has the spread and what each tunable is worth") {
  const Workplace& place = tuned_on_cpu().place;
  const Json report = json_of(place, {"landscape", "--n", "1000"});
  REQUIRE(report.size() == 1);
  const Json& landscape = report[0];
  CHECK(landscape["workload"] == "sum f32 1000");
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
  CHECK(landscape["device_architecture"] == json_of(place, {"show"})[0]["device_architecture"]);
  CHECK(landscape["has_these_kernels"] == true);
  CHECK(landscape["imported_from"].is_null());
  CHECK_FALSE(landscape.contains("kernel_tuner"));
}

TEST_CASE("landscape --json names the file that it was imported from, and the one it wrote") {
  const Workplace place;
  const std::string theirs = place.file("theirs.db");
  store(theirs, {with_kernels("older", stored_sum(20, 5))});
  REQUIRE(place.run({"import", theirs}).exit_code == 0);
  const std::string cache = place.file("cache.json");
  const Json landscape =
      json_of(place, {"landscape", "--n", "2^20", "--kernel-tuner", cache}).at(0);
  CHECK(landscape["imported_from"] == theirs);
  CHECK(landscape["has_these_kernels"] == false);
  CHECK(landscape["kernel_tuner"] == cache);
  CHECK(std::filesystem::exists(cache));
  const Outcome alone = place.run({"landscape", "--n", "2^20", "--kernel-tuner", "-"});
  CHECK(alone.exit_code == 0);
  CHECK(Json::parse(alone.out).contains("cache"));
}

TEST_CASE("export --json has its counts, its size and what it left out") {
  const Workplace place;
  store(place.database(), {stored_sum(20, 5), stored_sum(22, 9)});
  exec(place, "UPDATE measurement SET samples_us = '{' WHERE measurement_id = 1");
  const std::string file = place.file("all.json");
  const Json report = json_of(place, {"export", "-o", file}, kDatabase);
  CHECK(report["file"] == file);
  CHECK(report["measurements"] == 1);
  CHECK(report["runs"] == 1);
  CHECK(report["devices"] == 1);
  CHECK(report["bytes"] == std::filesystem::file_size(file));
  REQUIRE(report["left_out"].size() == 1);
  CHECK_THAT(report["left_out"][0].get<std::string>(), StartsWith("measurement 1: its samples_us"));
  CHECK(place.run({"export", "-o", file, "--json"}).err.empty());
}

TEST_CASE("bundle --json has its counts, its size and what it left out") {
  const Workplace place;
  MeasurementRecord custom = stored_sum(20, 5);  // whose kernels need no NVRTC, since none is made
  custom.problem.problem = "op=mine:0123456789abcdef type=f32 accumulator=f32 result=f32";
  store(place.database(), {custom});
  const std::string file = place.file("bundle.db");
  const Json report = json_of(place, {"bundle", "-o", file}, kDatabase);
  CHECK(report["file"] == file);
  CHECK(report["results"] == 1);
  CHECK(report["imported"] == 0);
  CHECK(report["devices"] == 1);
  CHECK(report["kernels"] == 0);
  CHECK(report["compiled"] == 0);
  CHECK(report["bytes"] == std::filesystem::file_size(file));
  REQUIRE(report["left_out"].size() == 1);
  CHECK_THAT(report["left_out"][0].get<std::string>(),
             StartsWith("the kernels of reduce op=mine:"));
}

TEST_CASE("--json is refused where a verb's file goes to the standard output") {
  const Workplace& place = tuned_on_cpu().place;
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"export", "--json"},
        {"export", "-o", "-", "--json"},
        {"bundle", "-o", "-", "--json"},
        {"landscape", "--n", "1000", "--kernel-tuner", "-", "--json"}}) {
    const Outcome outcome = place.run(command);
    CAPTURE(command, outcome.err);
    CHECK(outcome.exit_code == kUsage);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, ContainsSubstring("--json") && ContainsSubstring("name a file with -"));
  }
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
  CHECK(imported[0]["dry_run"] == false);
  CHECK(json_of(place, {"import", from, "--dry-run"})[0]["dry_run"] == true);
  CHECK(imported[1]["added"] == 0);
  CHECK(imported[1]["known"] == imported[1]["read"]);

  const Json all = json_of(place, {"prune", "--older-than", "0", "--dry-run"});
  CHECK(all["dry_run"] == true);
  CHECK(all["groups"].size() <= 1);
  CHECK(all["kept_best"] >= 1);
  const Json pruned = json_of(place, {"prune"});
  CHECK(pruned["measurements"] == 0);
  CHECK(pruned["bytes_after"] > 0);
  CHECK(pruned["database"] == place.database());
}

TEST_CASE("With --json an error prints nothing but what was done before it and stays") {
  Workplace place;
  const std::string from = tuned_on_cpu().place.database();
  const std::string none = place.file("none.json");
  const Outcome failed = place.run({"import", "--json", none});
  CHECK(failed.exit_code == kFile);
  CHECK(failed.out.empty());
  const Outcome half = place.run({"import", "--json", from, none});
  CHECK(half.exit_code == kFile);
  CHECK(Json::parse(half.out).size() == 1);
  place.set("TMPDIR", none);
  for (const char* verb : {"tune", "revalidate"}) {
    const Outcome outcome = place.run({verb, "--device", "cpu", "--json"});
    CAPTURE(verb, outcome.err);
    CHECK(outcome.exit_code == kUnavailable);
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("With --json nothing to show is an empty list, and no error") {
  const Workplace place;
  copy_tuned(place);
  CHECK(json_of(place, {"show", "--op", "min"}) == Json::array());
  CHECK(json_of(place, {"landscape", "--op", "min", "--n", "1000"}) == Json::array());
  CHECK(json_of(place, {"diff", place.database(), place.database(), "--op", "min"})["problems"] ==
        Json::array());
}

}  // namespace
}  // namespace foldtune::test
