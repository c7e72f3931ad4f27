// foldtune landscape: a summary, and an export.
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
  const Problem problem = sum_of(1 << 24);
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
  CHECK_THAT(result.out, ContainsSubstring("20.00 us  bs128 vw4 u4"));
  CHECK_THAT(result.out, ContainsSubstring("3355 GB/s, 83.9% of the read bandwidth"));
  CHECK_THAT(result.out, ContainsSubstring("1.10 times the fastest"));  // bs512: the untuned one
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

TEST_CASE("landscape shows what a database holds of a problem, for each device") {
  const Workplace place;
  const Problem problem = sum_of(1 << 20);
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

TEST_CASE("landscape wants a problem") {
  const Workplace place;
  const Outcome result = place.run({"landscape"});
  CHECK(result.exit_code == kUsage);
  CHECK_THAT(result.err, ContainsSubstring("--n"));
}

}  // namespace
}  // namespace foldtune::test
