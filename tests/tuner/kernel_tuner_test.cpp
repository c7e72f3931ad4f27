#include "tuner/exchange/kernel_tuner.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "foldtune/reduction.h"
#include "runtime/support/temporary_folder.h"
#include "templates/histogram/space.h"
#include "templates/histogram/workload.h"
#include "templates/reduce/space.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"
#include "tuner/files/file_error.h"

namespace foldtune {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr const char* kTime = "2026-01-31T12:00:00+00:00";

Landscape three_points() {
  return {
      .device = {.kind = "cuda",
                 .name = "GPU \"1\"",
                 .architecture = "sm_90",
                 .multiprocessor_count = 132,
                 .memory_clock_khz = 3201000,
                 .memory_bus_bits = 6016,
                 .l2_bytes = 62914560,
                 .driver = "1"},
      .compiler = "nvrtc 13.0",
      .template_fingerprint = "0123",
      .read_bandwidth_gbps = 4500.5,
      .compile_ms = 50,
      .workload = Reduction{.count = 1 << 20},
      .points = {{.params = ReduceParams{.block_size = 64, .final_stage = FinalStage::polling},
                  .median_us = 2500},
                 {.params = ReduceParams{.block_size = 128}, .outcome = Outcome::compile_error},
                 {.params = ReduceParams{.block_size = 256}, .outcome = Outcome::wrong_result}}};
}

nlohmann::json exported() {
  return nlohmann::json::parse(to_kernel_tuner_cache(three_points(), kTime));
}

TEST_CASE("a Kernel Tuner cache says what was tuned, and with which values") {
  const nlohmann::json cache = exported();
  CHECK(cache["schema_version"] == "1.1.0");
  CHECK(cache["device_name"] == "GPU \"1\"");
  CHECK(cache["kernel_name"] == "sum f32 2^20");
  CHECK(cache["problem_size"] == 1 << 20);
  CHECK(cache["objective"] == "time");
  CHECK(cache["tune_params_keys"] ==
        nlohmann::json({"block_size", "vector_width", "unroll", "tile_layout", "block_stage",
                        "final_stage", "waves"}));
  CHECK(cache["tune_params"]["block_size"] == nlohmann::json({64, 128, 256}));
  CHECK(cache["tune_params"]["final_stage"] == nlohmann::json({"last_block", "polling"}));
  CHECK(cache["tune_params"]["waves"] == nlohmann::json::array({0}));
}

TEST_CASE("a Kernel Tuner cache has an entry per configuration, with its time in milliseconds") {
  const nlohmann::json cache = exported()["cache"];
  REQUIRE(cache.size() == 3);
  const nlohmann::json& good = cache.at("64,4,4,contiguous,shuffle,polling,0");
  CHECK(good["block_size"] == 64);
  CHECK(good["final_stage"] == "polling");
  CHECK(good["time"] == 2.5);
  CHECK(good["times"] == nlohmann::json::array({2.5}));
  CHECK(good["compile_time"] == 50);
  CHECK(good["timestamp"] == "2026-01-31T12:00:00+00:00");
  for (const char* field :
       {"verification_time", "benchmark_time", "strategy_time", "framework_time"}) {
    CHECK(good[field] == 0);
  }
}

TEST_CASE("failures of a Kernel Tuner cache have its own names") {
  const nlohmann::json cache = exported()["cache"];
  CHECK(cache.at("128,4,4,contiguous,shuffle,last_block,0")["time"] == "CompilationFailedConfig");
  CHECK(cache.at("256,4,4,contiguous,shuffle,last_block,0")["time"] == "RuntimeFailedConfig");
}

TEST_CASE("a Kernel Tuner cache ends as a closed one does") {
  CHECK(to_kernel_tuner_cache(three_points(), "").ends_with("}\n}"));
}

TEST_CASE("a landscape is the same after it was written and read, but for the kinds of failures") {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("sum.json");
  const Landscape written = three_points();
  write_file(path, to_kernel_tuner_cache(written, kTime));
  Landscape read = read_kernel_tuner_cache(path);
  CHECK(read.device == written.device);
  CHECK(read.compiler == written.compiler);
  CHECK(read.template_fingerprint == written.template_fingerprint);
  CHECK(read.read_bandwidth_gbps == written.read_bandwidth_gbps);
  CHECK(read.compile_ms == written.compile_ms);
  CHECK(read.workload == written.workload);
  REQUIRE(read.points.size() == 3);
  const auto outcome_of = [&](int block_size) {
    const auto point = std::ranges::find_if(read.points, [&](const LandscapePoint& one) {
      return reduce_params(one.params).block_size == block_size;
    });
    REQUIRE(point != read.points.end());
    return point->outcome;
  };
  CHECK(outcome_of(64) == Outcome::ok);
  CHECK(outcome_of(128) == Outcome::compile_error);
  CHECK(outcome_of(256) == Outcome::launch_error);
  REQUIRE(find_optimum(read) != nullptr);
  CHECK(find_optimum(read)->params == written.points[0].params);
  CHECK(find_optimum(read)->median_us == Approx(2500));
}

TEST_CASE("a histogram's landscape is read, too") {
  Landscape landscape = three_points();
  landscape.workload = HistogramWorkload{.type = ElementType::u8,
                                         .binning = Binning::key,
                                         .distribution = Distribution::zipf,
                                         .count = 1 << 10};
  landscape.points = {{.params = Config(histogram_family()), .median_us = 7}};
  const Landscape read =
      parse_kernel_tuner_cache(to_kernel_tuner_cache(landscape, kTime), "histogram");
  CHECK(read.workload == landscape.workload);
  REQUIRE(read.points.size() == 1);
  CHECK(read.points[0].params == landscape.points[0].params);
}

TEST_CASE("a damaged cache file is refused with what is wrong with it") {
  const std::string good = to_kernel_tuner_cache(three_points(), kTime);
  const auto fails_with = [](const std::string& text, const std::string& what) {
    INFO(text);
    CHECK_THROWS_WITH(parse_kernel_tuner_cache(text, "the/file"),
                      ContainsSubstring("the/file") && ContainsSubstring(what));
    CHECK_THROWS_AS(parse_kernel_tuner_cache(text, "the/file"), FileError);
  };
  const auto replaced = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    const std::size_t place = text.find(from);
    REQUIRE(place != std::string::npos);
    return text.replace(place, from.size(), to);
  };
  fails_with("", "no JSON object");
  fails_with("[1]", "no JSON object");
  fails_with(good.substr(0, good.size() - 3), "cut off");
  fails_with(replaced("\"foldtune\"", "\"other\""), "--kernel-tuner");
  fails_with(replaced("op=sum", "op=sums"), "there is no problem 'op=sums");
  fails_with(
      replaced("\"device_multiprocessor_count\":132", "\"device_multiprocessor_count\":\"x\""),
      "foldtune");
  fails_with(replaced("\"cache\"", "\"caches\""), "cache");
  fails_with(
      R"({"foldtune": )" + nlohmann::json::parse(good)["foldtune"].dump() + R"(, "cache": 1})",
      "no JSON object");
  const std::string first = "the configuration 128,4,4";
  fails_with(replaced("{\"block_size\":128", "{\"block_sizes\":128"), first);
  fails_with(replaced("{\"block_size\":128", "{\"block_size\":129"), first);
  fails_with(replaced("{\"block_size\":128", "{\"block_size\":256"), "twice");
  fails_with(replaced("\"CompilationFailedConfig\"", "\"Failed\""), "\"Failed\" is no time");
  fails_with(replaced("\"time\":2.5", "\"time\":-2.5"), "-2.5 is no time");
  fails_with(replaced("\"time\":2.5", "\"time\":1e300"), "is no time");
  fails_with(replaced("\"time\":2.5", "\"time\":null"), "null is no time");
  fails_with(replaced("{\"block_size\":128", "1, \"x\": {\"block_size\":128"), first);
}

TEST_CASE("a cache file that is not there is an error with its name") {
  const test::TemporaryFolder folder;
  CHECK_THROWS_WITH(read_kernel_tuner_cache(folder.file("none.json")),
                    ContainsSubstring(folder.file("none.json")));
  CHECK_THROWS_AS(read_kernel_tuner_cache(folder.path()), FileError);
}

}  // namespace
}  // namespace foldtune
