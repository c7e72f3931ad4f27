#include <cmath>

#include "foldtune/error.h"
#include "tests/catch.h"
#include "tuner/replay/replay_evaluator.h"

namespace foldtune {
namespace {

const Problem kSmall{.count = 1 << 10};
const Problem kLarge{.count = 1 << 24};
const ReduceParams kFast{.block_size = 512};
const ReduceParams kFaulty{.block_size = 1024};

Landscape landscape_of(const Problem& problem, double median_us,
                       const std::string& device = "GPU") {
  return {.device = {.kind = "cuda",
                     .name = device,
                     .architecture = "sm_90",
                     .multiprocessor_count = 10,
                     .driver = "1"},
          .compiler = "nvrtc 13.0",
          .template_fingerprint = "0123",
          .read_bandwidth_gbps = 4000,
          .compile_ms = 50,
          .problem = problem,
          .points = {{.params = kFast, .median_us = median_us, .mad_us = median_us / 100},
                     {.params = kFaulty, .outcome = Outcome::launch_error}}};
}

MeasurementRecord evaluate(ReplayEvaluator& evaluator, const Params& params, int samples = 2) {
  return evaluator.evaluate({.params = params, .compiled = nullptr, .samples = samples});
}

TEST_CASE("a replay answers with what was recorded of the problem") {
  ReplayEvaluator evaluator({landscape_of(kSmall, 2), landscape_of(kLarge, 20)});
  CHECK(evaluator.info().record.name == "GPU");
  CHECK(evaluator.compiler() == nullptr);
  CHECK(evaluator.compiler_version() == "nvrtc 13.0");
  CHECK(evaluator.read_bandwidth_gbps() == 4000);

  evaluator.set_problem(kLarge, kLarge.count);
  const MeasurementRecord fast = evaluate(evaluator, kFast, 3);
  CHECK(fast.outcome == Outcome::ok);
  CHECK(fast.failure.empty());
  CHECK(fast.median_us == 20);
  CHECK(fast.samples_us == std::vector<double>{20, 20, 20});
  CHECK(fast.count == kLarge.count);
  CHECK(fast.bytes == kLarge.input_bytes());
  CHECK(fast.params == to_json(kFast));
  CHECK(fast.compile_ms == 50);

  const MeasurementRecord faulty = evaluate(evaluator, kFaulty);
  CHECK(faulty.outcome == Outcome::launch_error);
  CHECK_FALSE(faulty.failure.empty());
  CHECK(faulty.samples_us.empty());

  const MeasurementRecord unknown = evaluate(evaluator, ReduceParams{.block_size = 64});
  CHECK(unknown.outcome == Outcome::compile_error);
  CHECK_FALSE(unknown.failure.empty());

  evaluator.set_problem(kSmall, kLarge.count);
  CHECK(evaluate(evaluator, kFast).median_us == 2);
}

TEST_CASE("a replay answers for a redundant configuration with what stands for it") {
  ReplayEvaluator evaluator({landscape_of(kSmall, 2)});
  evaluator.set_problem(kSmall, kSmall.count);
  const ReduceParams redundant{.block_size = 512, .final_stage = FinalStage::polling, .waves = 2};
  CHECK(evaluate(evaluator, redundant).median_us == 2);
}

TEST_CASE("a replay of a problem that was not recorded says which were") {
  ReplayEvaluator evaluator({landscape_of(kSmall, 2), landscape_of(kLarge, 20)});
  using Catch::Matchers::ContainsSubstring;
  const Problem other{.op = Operator::max, .count = 1 << 24};
  CHECK_THROWS_AS(evaluator.set_problem(other, other.count), InvalidArgument);
  CHECK_THROWS_WITH(evaluator.set_problem(other, other.count),
                    ContainsSubstring("max f32 2^24") && ContainsSubstring("sum f32 2^10") &&
                        ContainsSubstring("sum f32 2^24"));
}

TEST_CASE("landscapes of several devices are not replayed as one") {
  CHECK_THROWS_AS(ReplayEvaluator({}), InvalidArgument);
  CHECK_THROWS_AS(ReplayEvaluator({landscape_of(kSmall, 2), landscape_of(kLarge, 2, "other")}),
                  InvalidArgument);
}

TEST_CASE("the noise of a replay is of the recorded size, and the same for the same seed") {
  const auto samples = [](std::uint64_t seed) {
    ReplayEvaluator evaluator({landscape_of(kLarge, 20)}, {.noise = 1, .seed = seed});
    evaluator.set_problem(kLarge, kLarge.count);
    return evaluate(evaluator, kFast, 10000).samples_us;
  };
  const std::vector<double> all = samples(1);
  CHECK(all == samples(1));
  CHECK(all != samples(2));
  double sum = 0;
  double squares = 0;
  for (const double sample : all) {
    sum += sample - 20;
    squares += (sample - 20) * (sample - 20);
  }
  CHECK(std::abs(sum / 10000) < 0.02);
  CHECK(std::sqrt(squares / 10000) == Approx(0.2 * 1.4826).epsilon(0.05));
}

}  // namespace
}  // namespace foldtune
