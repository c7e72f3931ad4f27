// foldtune why: the choice for a problem, and what it rests on.
#include <SQLiteCpp/Database.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/tuner/program.h"
#include "tests/tuner/tuned_database.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

const Workload kProblem = sum_of(1 << 20);

/// Two comparisons, of which the last has a rival, the default and a failure.
std::vector<MeasurementRecord> tuning() {
  MeasurementRecord untuned = success(kProblem, with_block_size(512), {5.1, 5.0, 5.2, 5.1, 5.1}, 1);
  untuned.is_default = true;
  return {success(kProblem, with_block_size(64), {4.2}),
          success(kProblem, with_block_size(64), {4.2, 4.3, 4.2}, 2),
          success(kProblem, with_block_size(256), {4.9, 4.9, 4.9}, 1),
          failure(kProblem, with_block_size(1024), foldtune::Outcome::wrong_result, "it is 3"),
          failure(kProblem, with_block_size(32), foldtune::Outcome::timeout, "it took long"),
          success(kProblem, with_block_size(128), {4.0, 4.0, 4.0, 4.0, 4.1}, 3),
          success(kProblem, with_block_size(64), {4.4, 4.4, 4.4, 4.5, 4.4}, 1),
          untuned};
}

Outcome why(const Workplace& place, const std::vector<std::string>& options) {
  std::vector<std::string> arguments{"why", "--op", "sum"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return place.run(arguments);
}

nlohmann::json why_json(const Workplace& place, const std::vector<std::string>& options) {
  std::vector<std::string> arguments{"--json"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Outcome outcome = why(place, arguments);
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return nlohmann::json::parse(outcome.out);
}

TEST_CASE("Why tells the choice, its rivals, the default and the failures") {
  const Workplace place;
  TunedDatabase(place.database()).add(run_on(), tuning());
  const Outcome outcome = why(place, {"--n", "2^20"});
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.exit_code == 0);
  for (const char* text :
       {"sum f32 2^20 on NVIDIA Test (cuda, sm_90, driver 580.1), nvrtc 13.0",
        "not of this machine", "runs      block_size=128", "exact: tuned at n = 1048576",
        "4.000 us per call", "5.100 us per call, +27.5%",
        "6 configurations, of which 2 failed: 1 timeout, 1 wrong_result",
        "by Foldtune 0.1.0 with driver 580.1 and nvrtc 13.0", "valid     yes", "chosen",
        "+10.0% (+", "(untuned default)", "4.400"}) {
    CHECK_THAT(outcome.out, ContainsSubstring(text));
  }
  CHECK_THAT(outcome.out, !ContainsSubstring("4.900"));  // of the comparison before
}

TEST_CASE("Why writes the same as JSON") {
  const Workplace place;
  TunedDatabase(place.database()).add(run_on(), tuning());
  const auto accounts = why_json(place, {"--n", "1M", "--device", "test"});
  REQUIRE(accounts.size() == 1);
  const auto& account = accounts[0];
  CHECK(account["config"]["block_size"] == 128);
  CHECK(account["config_source"] == "exact");
  CHECK(account["expected_loss"] == 0);
  CHECK(account["device"].is_null());
  CHECK(account["device_architecture"] == "sm_90");
  CHECK(account["database"] == place.database());
  CHECK(account["tune_command"].is_null());
  CHECK(account["choices"][0]["has_these_kernels"] == true);
  const auto& evidence = account["evidence"];
  CHECK(evidence["is_valid"] == true);
  CHECK(evidence["default_us"] == 5.1);
  CHECK(evidence["default_over_choice"] == evidence["untuned"]["time_over_choice"]);
  CHECK(evidence["untuned"]["is_default"] == true);
  CHECK(evidence["untuned"]["params"]["block_size"].is_number());
  CHECK(evidence["untuned"]["median_interval_us"].size() == 2);
  CHECK(evidence["tried"] == 6);
  CHECK(evidence["failed"] == 2);
  CHECK(evidence["failures"]["timeout"] == 1);
  REQUIRE(evidence["contenders"].size() == 3);
  const auto& rival = evidence["contenders"][1];
  CHECK(rival["params"]["block_size"] == 64);
  CHECK(rival["time_over_choice"] == 4.4 / 4.0);
  CHECK(rival["time_over_choice_interval"][0] < rival["time_over_choice_interval"][1]);
  CHECK(rival["median_interval_us"][0] == 4.4);
}

TEST_CASE("Why tells a result that is near, and one that is too far") {
  const Workplace place;
  TunedDatabase(place.database()).add(run_on(), tuning());
  CHECK_THAT(why(place, {"--n", "2^19"}).out,
             ContainsSubstring("near size: tuned at n = 1048576") &&
                 ContainsSubstring("block_size=128") &&
                 ContainsSubstring("% slower than with the best"));
  const Outcome far = why(place, {"--n", "2^12"});
  CHECK(far.exit_code == 0);
  for (const char* text : {"default: sum f32 2^12 was not tuned",
                           "foldtune tune --device cuda:0 --op sum --type f32 --n 4096"}) {
    CHECK_THAT(far.out, ContainsSubstring(text));
  }
  CHECK(why_json(place, {"--n", "2^12"})[0]["tune_command"] ==
        "foldtune tune --device cuda:0 --op sum --type f32 --n 4096");
  CHECK(why_json(place, {"--n", "2^12"})[0]["evidence"].is_null());
  CHECK_THAT(why(place, {"--n", "2^20", "--nan", "propagate", "--determinism", "any"}).out,
             ContainsSubstring("default: "));
}

TEST_CASE("Why says what makes an earlier choice invalid") {
  const Workplace place;
  TunedDatabase(place.database()).add(run_on(), tuning());
  SQLite::Database(place.database(), SQLite::OPEN_READWRITE)
      .exec("UPDATE problem SET template_fingerprint = 'of another version'");
  const Outcome outcome = why(place, {"--n", "2^20"});
  CAPTURE(outcome.out);
  for (const char* text :
       {"default: ", "known     block_size=128",
        "valid     no: its kernels are others than those here", "the last comparison"}) {
    CHECK_THAT(outcome.out, ContainsSubstring(text));
  }
  CHECK(why_json(place, {"--n", "2^20"})[0]["evidence"]["is_valid"] == false);
}

TEST_CASE("Why says that a stored configuration is not valid for the problem") {
  const Workplace place;
  TunedDatabase(place.database()).add(run_on(), {success(kProblem, with_block_size(100), {4})});
  const Outcome outcome = why(place, {"--n", "2^20"});
  CAPTURE(outcome.out);
  CHECK_THAT(outcome.out, ContainsSubstring("default: the stored configuration"));
  CHECK_THAT(outcome.out, ContainsSubstring("valid     no: the stored configuration"));
}

TEST_CASE("Why goes by the newest driver and compiler of a device that is not here") {
  const Workplace place;
  TunedDatabase database(place.database());
  database.add(run_on(), tuning());
  RunRecord newer = run_on();
  newer.device.driver = "590.2";
  newer.compiler = "nvrtc 13.1";
  SQLite::Database(place.database(), SQLite::OPEN_READWRITE)
      .exec("UPDATE measurement SET measured_at = '2026-01-31T12:00:00Z'");
  database.add(newer, {success(sum_of(1 << 10), with_block_size(64), {1})});
  const auto accounts = why_json(place, {"--n", "2^20"});
  REQUIRE(accounts.size() == 1);
  CHECK(accounts[0]["device_driver"] == "590.2");
  CHECK(accounts[0]["config_source"] == "exact");
  CHECK(accounts[0]["evidence"]["is_stale"] == true);
  CHECK(accounts[0]["evidence"]["obstacles"].size() == 2);
  CHECK_THAT(why(place, {"--n", "2^20"}).out,
             ContainsSubstring("it is of driver 580.1, not 590.2; it is of nvrtc 13.0, not nvrtc "
                               "13.1"));
}

TEST_CASE("Why calls no own result stale for what was imported from another driver") {
  const Workplace place;
  store(place.database(), tuning(), run_on());
  RunRecord theirs = run_on();
  theirs.device.driver = "590.2";
  theirs.compiler = "nvrtc 13.1";
  store(place.file("theirs.db"), {success(kProblem, with_block_size(64), {1}, /*round=*/9)},
        theirs);
  REQUIRE(place.run({"import", place.file("theirs.db")}).exit_code == 0);
  SQLite::Database(place.database(), SQLite::OPEN_READWRITE)
      .exec("UPDATE measurement SET measured_at = '2026-01-31T12:00:00Z' WHERE imported_from = ''");
  const auto accounts = why_json(place, {"--n", "2^20"});
  REQUIRE(accounts.size() == 1);
  CHECK(accounts[0]["device_driver"] == "580.1");
  CHECK(accounts[0]["config"]["block_size"] == 128);
  CHECK(accounts[0]["evidence"]["is_stale"] == false);
  // The basis of what is no longer valid is an own one, too.
  SQLite::Database(place.database(), SQLite::OPEN_READWRITE)
      .exec("UPDATE problem SET template_fingerprint = 'older'");
  CHECK(why_json(place, {"--n", "2^20"})[0]["evidence"]["is_imported"] == false);
}

TEST_CASE("Why explains each device of the database") {
  const Workplace place;
  TunedDatabase database(place.database());
  database.add(run_on("NVIDIA A"), tuning());
  database.add(run_on("NVIDIA B"), {success(sum_of(1 << 10), with_block_size(64), {1})});
  CHECK(why_json(place, {"--n", "2^20"}).size() == 2);
  CHECK(why_json(place, {"--n", "2^20", "--device", "dia a"}).size() == 1);
}

TEST_CASE("Why says what is wrong") {
  Workplace place;
  const auto fails = [&](const std::vector<std::string>& options, int code,
                         const std::string& what) {
    const Outcome outcome = why(place, options);
    CHECK(outcome.exit_code == code);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, ContainsSubstring(what));
  };
  fails({}, kUsage, "--n is required");
  fails({"--n", "many"}, kUsage, "'many' is not a count");
  fails({"--n", "1K", "--type", "f31"}, kUsage, "--type: there is no 'f31'");
  fails({"--n", "1K"}, kDatabase, place.database());
  fails({"--n", "1K", "--db", place.write("other", "no database")}, kDatabase, "other");
  TunedDatabase database(place.database());
  CHECK_THAT(why(place, {"--n", "1K"}).out, ContainsSubstring("holds no results yet") &&
                                                ContainsSubstring("foldtune tune --device cpu"));
  CHECK(why_json(place, {"--n", "1K"}).back()["config_source"] == "default");
  database.add(run_on(), tuning());
  fails({"--n", "1K", "--device", "h300"}, kUsage, "has a device 'h300'");
  // What runs on this machine, though the results are of another.
  CHECK_THAT(why(place, {"--n", "1K", "--device", "cpu"}).out,
             ContainsSubstring("holds no results of this device yet") &&
                 ContainsSubstring("foldtune tune --device cpu"));
  place.set("CXX", "/nonexistent/compiler");
  fails({"--n", "1K", "--device", "cpu"}, kUnavailable, "/nonexistent/compiler");
}

TEST_CASE("Why lists every choice of a device, the oldest first, with its change") {
  const Workplace place;
  TunedDatabase database(place.database());
  database.add(run_on("NVIDIA A"), {success(kProblem, with_block_size(64), {3}, 0),
                                    success(kProblem, with_block_size(64), {4}, 2),
                                    success(kProblem, with_block_size(128), {5}, 1)});
  database.add(run_on("NVIDIA B"), {success(kProblem, with_block_size(256), {2}, 2)});
  RunRecord newer = run_on("NVIDIA A");
  newer.device.driver = "590.2";
  database.add(newer,
               {with_kernels("0123456789abcdef", success(kProblem, with_block_size(128), {3}, 2)),
                success(sum_of(1 << 12), with_block_size(32), {1}, 2)});
  const Outcome outcome = why(place, {"--n", "2^20", "--device", "nvidia a"});
  CAPTURE(outcome.out, outcome.err);
  for (const char* text :
       {"all choices", "-25.0%", "590.2", "these", "01234567...", "block_size=128"}) {
    CHECK_THAT(outcome.out, ContainsSubstring(text));
  }
  CHECK_THAT(outcome.out,
             !ContainsSubstring("block_size=32") && !ContainsSubstring("block_size=256"));

  const auto accounts = why_json(place, {"--n", "2^20"});
  REQUIRE(accounts.size() == 2);
  for (const auto& account : accounts) {
    const bool is_a = account["device_name"] == "NVIDIA A";
    const auto& choices = account["choices"];
    REQUIRE(choices.size() == (is_a ? 2 : 1));
    CHECK(choices[0]["median_us"] == (is_a ? 4 : 2));
    CHECK(choices[0]["time_over_previous"].is_null());
    if (is_a) CHECK(choices[1]["time_over_previous"] == 0.75);
  }
}

}  // namespace
}  // namespace foldtune::test
