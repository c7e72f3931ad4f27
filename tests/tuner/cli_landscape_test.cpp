// foldtune landscape: a summary, and an export.
#include <SQLiteCpp/Database.h>

#include <nlohmann/json.hpp>

#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/tuner/program.h"
#include "tests/tuner/tuned_database.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

/// With polling in one wave, as the untuned default of 2^24 elements is.
Config one_wave(int block_size) {
  return ReduceParams{.block_size = block_size,
                      .block_stage = BlockStage::shuffle,
                      .final_stage = FinalStage::polling,
                      .waves = 1};
}

/// Five configurations of a sum of 2^24 elements, one of which failed.
void store_landscape(const Workplace& place) {
  const Workload problem = sum_of(1 << 24);
  store(place.database(),
        {success(problem, one_wave(128), {20}), success(problem, one_wave(256), {20.5}),
         success(problem, one_wave(512), {22}), success(problem, one_wave(1024), {40}),
         failure(problem, with_block_size(1024), foldtune::Outcome::launch_error, "too large")},
        run_on("NVIDIA Test"));
}

TEST_CASE("landscape shows the fastest, the spread and what each tunable is worth") {
  const Workplace place;
  store_landscape(place);
  const Outcome result = place.run({"landscape", "--n", "2^24"});
  CHECK(result.err.empty());
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, ContainsSubstring("sum f32 2^24 on NVIDIA Test"));
  CHECK_THAT(result.out, ContainsSubstring("5 configurations: 4 ok, 1 launch_error"));
  CHECK_THAT(result.out, ContainsSubstring("20.00 us  block_size=128 final_stage=polling waves=1"));
  CHECK_THAT(result.out, ContainsSubstring("3355 GB/s, 83.9% of the read bandwidth"));
  CHECK_THAT(result.out, ContainsSubstring("21.25 us  1.06 times the fastest"));  // the median
  CHECK_THAT(result.out, ContainsSubstring("1.10 times the fastest"));  // 512: the untuned one
  CHECK_THAT(result.out, ContainsSubstring("1 within 1%, 1 within 2%, 2 within 5%, 3 within 10%"));
  CHECK_THAT(result.out, ContainsSubstring("128 1.00  256 1.02  512 1.10  1024 2.00"));
}

TEST_CASE("landscape writes a cache file for Kernel Tuner") {
  const Workplace place;
  store_landscape(place);
  const std::string cache = place.file("cache.json");
  const Outcome result = place.run({"landscape", "--n", "2^24", "--kernel-tuner", cache});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, ContainsSubstring(cache));
  const auto json = nlohmann::json::parse(read_file(cache));
  CHECK(json["cache"].size() == 5);
  const Outcome failed =
      place.run({"landscape", "--n", "2^24", "--kernel-tuner", cache + "/x.json"});
  CHECK(failed.exit_code == kFile);
  CHECK_THAT(failed.err, ContainsSubstring("writing the cache file"));
}

TEST_CASE("landscape writes nothing but a cache file for Kernel Tuner to the standard output") {
  const Workplace place;
  store_landscape(place);
  const Outcome result = place.run({"landscape", "--n", "2^24", "--kernel-tuner", "-"});
  CHECK(result.exit_code == 0);
  CHECK(nlohmann::json::parse(result.out)["cache"].size() == 5);
  CHECK(result.err.empty());
  CHECK(place.run({"landscape", "--n", "2^24", "--kernel-tuner", "-", "--json"}).exit_code ==
        kUsage);
  const Outcome none = place.run({"landscape", "--n", "2^4", "--kernel-tuner", "-"});
  CHECK(none.exit_code == kUsage);
  CHECK(none.out.empty());
  CHECK_THAT(none.err, ContainsSubstring("nothing was measured of sum f32 16, so there is"));
}

TEST_CASE("landscape shows what a database holds of a problem, for each device") {
  const Workplace place;
  const Workload problem = sum_of(1 << 20);
  {
    TunedDatabase database(place.database());
    database.add(run_on("NVIDIA A"),
                 {success(problem, with_block_size(64), {3}, kScreened),
                  success(problem, with_block_size(128), {2}, kScreened),
                  failure(problem, with_block_size(256), foldtune::Outcome::timeout, "hangs"),
                  success(problem, with_block_size(128), {2.5}, 2)});
    database.add(run_on("NVIDIA B"), {success(problem, with_block_size(512), {7})});
  }
  const Outcome both = place.run({"landscape", "--n", "2^20"});
  CAPTURE(both.out, both.err);
  CHECK(both.exit_code == 0);
  CHECK_THAT(both.out, ContainsSubstring("sum f32 2^20 on NVIDIA A"));
  CHECK_THAT(both.out, ContainsSubstring("3 configurations: 2 ok, 1 timeout"));
  CHECK_THAT(both.out, ContainsSubstring("64 1.50  128 1.00"));  // as they were screened
  CHECK_THAT(both.out, ContainsSubstring("sum f32 2^20 on NVIDIA B"));

  const std::string cache = place.file("cache.json");
  CHECK(place.run({"landscape", "--n", "2^20", "--kernel-tuner", cache}).exit_code == kUsage);
  const Outcome one =
      place.run({"landscape", "--n", "2^20", "--device", "nvidia a", "--kernel-tuner", cache});
  CHECK(one.exit_code == 0);
  CHECK_THAT(one.out, !ContainsSubstring("NVIDIA B"));
  CHECK(nlohmann::json::parse(read_file(cache))["cache"].size() == 3);

  const Outcome other = place.run({"landscape", "--n", "2^12"});
  CHECK(other.exit_code == 0);
  CHECK_THAT(other.out, ContainsSubstring("nothing was measured of sum f32 2^12; `foldtune show`"));
}

TEST_CASE("A device with tunables that are not known hides no other one") {
  const Workplace place;
  const Workload problem = sum_of(1 << 20);
  MeasurementRecord unknown = with_kernels("older", success(problem, with_block_size(64), {3}));
  unknown.params = R"({"warp_size":32})";
  store(place.database(), {unknown}, run_on("NVIDIA A"));
  const std::vector<std::string> landscape{"landscape", "--n", "2^20"};
  const auto check_note = [](const Outcome& outcome) {
    CAPTURE(outcome.out);
    CHECK(outcome.exit_code == 0);
    CHECK_THAT(outcome.err, ContainsSubstring("foldtune: note: 1 of 1 measurement of sum f32 2^20 "
                                              "on NVIDIA A left out, since the configuration is"));
  };
  const Outcome none = place.run(landscape);
  check_note(none);
  CHECK(none.out.empty());
  store(place.database(), {success(problem, with_block_size(512), {7})}, run_on("NVIDIA B"));
  const Outcome one = place.run(landscape);
  check_note(one);
  CHECK_THAT(one.out,
             ContainsSubstring("sum f32 2^20 on NVIDIA B") && ContainsSubstring("block_size=512"));
  const Outcome as_json = place.run({"landscape", "--n", "2^20", "--json"});
  check_note(as_json);
  CHECK(nlohmann::json::parse(as_json.out).size() == 1);
  CHECK(place.run({"landscape", "--n", "2^20", "--kernel-tuner", place.file("b.json")}).exit_code ==
        0);

  // What each device has is shown as it is by the others.
  const Outcome shown = place.run({"show", "--all"});
  CHECK(shown.exit_code == 0);
  CHECK_THAT(shown.out, ContainsSubstring("warp_size") && ContainsSubstring("block_size=512"));
  const Outcome why = place.run({"why", "--n", "2^20"});
  CHECK(why.exit_code == 0);
  CHECK_THAT(why.out, ContainsSubstring("on NVIDIA A") && ContainsSubstring("warp_size") &&
                          ContainsSubstring("kernels are others than those here") &&
                          ContainsSubstring("on NVIDIA B"));
  const Outcome diff = place.run({"diff", place.database(), place.database()});
  CHECK(diff.exit_code == 0);
  CHECK_THAT(diff.out, ContainsSubstring("NVIDIA A") && ContainsSubstring("NVIDIA B"));
  const Outcome report = place.run({"report", "-o", "-"});
  if (report.exit_code != kUsage) {  // this build has it
    CHECK(report.exit_code == 0);
    CHECK_THAT(report.out, ContainsSubstring("warp_size") && ContainsSubstring("NVIDIA B"));
  }
}

TEST_CASE("landscape shows what was measured here before what was imported later") {
  const Workplace place;
  const Workload problem = sum_of(1 << 20);
  store(place.database(), {success(problem, with_block_size(512), {7})});
  RunRecord theirs = run_on("NVIDIA H200");
  theirs.device.driver = "590.2";
  store(place.file("theirs.db"), {success(problem, with_block_size(64), {3}, /*round=*/9)}, theirs);
  REQUIRE(place.run({"import", place.file("theirs.db")}).exit_code == 0);
  SQLite::Database(place.database(), SQLite::OPEN_READWRITE)
      .exec("UPDATE measurement SET measured_at = '2026-01-31T12:00:00Z' WHERE imported_from = ''");
  const Outcome outcome = place.run({"landscape", "--n", "2^20"});
  CAPTURE(outcome.err);
  CHECK_THAT(outcome.out, ContainsSubstring("driver 580.1") && !ContainsSubstring("imported"));
}

TEST_CASE("landscape wants a problem") {
  const Workplace place;
  const Outcome result = place.run({"landscape"});
  CHECK(result.exit_code == kUsage);
  CHECK_THAT(result.err, ContainsSubstring("--n"));
}

}  // namespace
}  // namespace foldtune::test
