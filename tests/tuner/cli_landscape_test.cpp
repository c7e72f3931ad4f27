// foldtune landscape: a summary, and an export.
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/tuner/program.h"
#include "tests/tuner/tuned_database.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr const char* kLandscape = R"({
"foldtune_landscape": 1,
"device": {"kind":"cuda","name":"NVIDIA Test","architecture":"sm_90","multiprocessor_count":132,"memory_clock_khz":0,"memory_bus_bits":0,"l2_bytes":0,"driver":"580"},
"compiler": "nvrtc 13.0",
"template_fingerprint": "0",
"read_bandwidth_gbps": 4000.0,
"compile_ms": 50.0,
"problem": {"op":"sum","type":"f32","accumulator":null,"result":null,"count":16777216,"alignment":"vector","determinism":"run_to_run","nan_policy":"propagate","ddof":0,"custom":null,"histogram":{"bins":256,"binning":"even","distribution":"uniform"}},
"tunables": ["block_size","vector_width","unroll","tile_layout","block_stage","final_stage","waves"],
"labels": {"tile_layout":["contiguous","split"],"block_stage":["tree","tree_shuffle","shuffle"],"final_stage":["atomic","two_pass","last_block","polling"]}
}
128 4 4 0 2 3 1 20 0.1
256 4 4 0 2 3 1 20.5 0.1
512 4 4 0 2 3 1 22 0.1
1024 4 4 0 2 3 1 40 0.1
1024 4 4 0 2 2 1 launch_error
)";

TEST_CASE("landscape shows the fastest, the spread and what each tunable is worth") {
  const Workplace place;
  const Outcome result = place.run({"landscape", place.write("a.landscape", kLandscape)});
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
  const std::string cache = place.file("new/cache.json");
  const Outcome result =
      place.run({"landscape", place.write("a.landscape", kLandscape), "--kernel-tuner", cache});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, ContainsSubstring(cache));
  const auto json = nlohmann::json::parse(read_file(cache));
  CHECK(json["cache"].size() == 5);
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
  CHECK_THAT(other.out,
             ContainsSubstring("nothing was measured of sum f32 2^12; there is sum f32 2^20"));
}

TEST_CASE("landscape wants a file or a problem") {
  const Workplace place;
  const Outcome neither = place.run({"landscape"});
  CHECK(neither.exit_code == kUsage);
  CHECK_THAT(neither.err, ContainsSubstring("Name a file, or a problem"));
  const Outcome both =
      place.run({"landscape", place.write("a.landscape", kLandscape), "--op", "sum"});
  CHECK(both.exit_code == kUsage);
  CHECK_THAT(both.err, ContainsSubstring("leave --op, --type, --n and --db out"));
}

TEST_CASE("landscape shows one in which everything failed") {
  const Workplace place;
  std::string text = kLandscape;
  text = text.substr(0, text.find("128 4 4")) + "1024 4 4 0 2 2 1 launch_error\n";
  const Outcome result = place.run({"landscape", place.write("a.landscape", text)});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, ContainsSubstring("1 configuration: 1 launch_error"));
}

TEST_CASE("landscape says what is wrong with its files") {
  const Workplace place;
  const auto fails = [&](const std::vector<std::string>& arguments, const std::string& what) {
    const Outcome result = place.run(arguments);
    CHECK(result.exit_code == kFile);
    CHECK_THAT(result.err, ContainsSubstring(what));
  };
  const std::string good = place.write("a.landscape", kLandscape);
  fails({"landscape", place.file("none")}, place.file("none"));
  fails({"landscape", place.write("b", std::string(kLandscape) + "1 2 3\n")}, "line 17");
  fails({"landscape", good, "--kernel-tuner", good + "/x.json"}, "writing the cache file");
}

}  // namespace
}  // namespace foldtune::test
