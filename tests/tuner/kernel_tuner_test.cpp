#include "tuner/replay/kernel_tuner.h"

#include <nlohmann/json.hpp>

#include "tests/catch.h"

namespace foldtune {
namespace {

Landscape three_points() {
  Landscape landscape;
  landscape.device = {.kind = "cuda", .name = "GPU \"1\"", .architecture = "sm_90", .driver = "1"};
  landscape.compile_ms = 50;
  landscape.problem = {.count = 1 << 20};
  landscape.points = {
      {.params = ReduceParams{.block_size = 64, .final_stage = FinalStage::polling},
       .median_us = 2500},
      {.params = ReduceParams{.block_size = 128}, .outcome = Outcome::compile_error},
      {.params = ReduceParams{.block_size = 256}, .outcome = Outcome::wrong_result}};
  return landscape;
}

nlohmann::json exported() {
  return nlohmann::json::parse(to_kernel_tuner_cache(three_points(), "2026-01-31T12:00:00+00:00"));
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

}  // namespace
}  // namespace foldtune
