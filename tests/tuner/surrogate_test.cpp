#include "tuner/search/surrogate.h"

#include <cmath>

#include "foldtune/reduction.h"
#include "templates/histogram/space.h"
#include "templates/histogram/workload.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/tuner/fake_gpu.h"
#include "tuner/search/prior.h"

namespace foldtune {
namespace {

using test::kFakeGpu;
const Reduction kLarge{.count = 1 << 28};

std::shared_ptr<const Candidates> candidates_of(const Workload& problem) {
  return std::make_shared<const Candidates>(problem, kFakeGpu);
}

HistogramWorkload byte_histogram(std::uint64_t count) {
  return {.type = ElementType::u8, .binning = Binning::key, .count = count};
}

TEST_CASE("the prior is a time of every configuration, whatever is known of the device") {
  const Workload problem = GENERATE(
      Workload(Reduction{.count = 0}), Workload(Reduction{.count = 1}),
      Workload(Reduction{.count = 1 << 20}),
      Workload(Reduction{.op = Operator::dot, .type = ElementType::f16, .count = kMaxCount}),
      Workload(byte_histogram(0)), Workload(byte_histogram(1 << 20)),
      Workload(byte_histogram(kMaxCount)));
  const bool is_known = GENERATE(true, false);
  const DeviceRecord device = is_known ? kFakeGpu : DeviceRecord{};
  std::string faults;
  for (const Config& params : Space(problem, Extent::all).enumerate()) {
    const double us = estimate_us(problem, device, params);
    if (!(us > 0) || !std::isfinite(us)) faults += to_json(params);
  }
  CHECK(faults.empty());
}

TEST_CASE("the prior of a large input is near what the memory takes to read it") {
  const double peak_us = static_cast<double>(kLarge.input_bytes()) / 4.8e6;
  const ReduceParams good{.block_size = 512, .vector_width = 4, .unroll = 4, .waves = 1};
  CHECK(estimate_us(kLarge, kFakeGpu, good) > peak_us);
  CHECK(estimate_us(kLarge, kFakeGpu, good) < 1.2 * peak_us);
}

TEST_CASE("the prior knows what starves the memory and what costs at the end") {
  const ReduceParams good{.block_size = 512, .vector_width = 4, .unroll = 4, .waves = 1};
  const ReduceParams starved{.block_size = 32, .vector_width = 1, .unroll = 1, .waves = 1};
  CHECK(estimate_us(kLarge, kFakeGpu, starved) > 2 * estimate_us(kLarge, kFakeGpu, good));
  const Reduction small{.count = 1 << 16};
  const ReduceParams polling{.block_size = 128, .unroll = 1, .final_stage = FinalStage::polling};
  ReduceParams two_pass = polling;
  two_pass.final_stage = FinalStage::two_pass;
  CHECK(estimate_us(small, kFakeGpu, polling) < estimate_us(small, kFakeGpu, two_pass));
  const ReduceParams eight_blocks{
      .block_size = 1024, .unroll = 2, .final_stage = FinalStage::polling};
  ReduceParams cluster = eight_blocks;
  cluster.final_stage = FinalStage::cluster;
  CHECK(estimate_us(small, kFakeGpu, cluster) < estimate_us(small, kFakeGpu, eight_blocks));
}

TEST_CASE("candidates find what stands for a redundant configuration, and nothing invalid") {
  const auto candidates = candidates_of(Reduction{.count = 1000});
  const ReduceParams redundant{.final_stage = FinalStage::polling, .waves = 1};
  const auto number = candidates->find(redundant);
  REQUIRE(number);
  CHECK(candidates->params(*number) == Config(ReduceParams{}));
  CHECK_FALSE(candidates->find(ReduceParams{.vector_width = 16}));
  CHECK_FALSE(candidates->find(ReduceParams{.tile_layout = TileLayout::split}));
  CHECK_FALSE(candidates->find(HistogramParams{}));
  for (std::size_t i = 0; i < candidates->size(); ++i) {
    REQUIRE(candidates->find(candidates->params(i)) == i);
  }
}

TEST_CASE("neighbours of candidates are candidates, and not themselves") {
  const auto candidates = candidates_of(byte_histogram(1 << 20));
  for (std::size_t i = 0; i < candidates->size(); ++i) {
    REQUIRE_FALSE(candidates->neighbours(i).empty());
    for (const std::size_t neighbour : candidates->neighbours(i)) {
      REQUIRE(neighbour < candidates->size());
      REQUIRE(neighbour != i);
    }
  }
}

TEST_CASE("a surrogate knows nothing but the prior before a measurement") {
  const auto candidates = candidates_of(kLarge);
  const Surrogate surrogate(candidates);
  CHECK(surrogate.mean(5) == Approx(std::log(candidates->estimate_us(5))));
  CHECK(surrogate.variance(5) > 0.1);
}

TEST_CASE("a surrogate goes through what was measured, and is sure of it") {
  const auto candidates = candidates_of(kLarge);
  Surrogate surrogate(candidates);
  const double before = surrogate.variance(7);
  surrogate.announce(7);
  CHECK(surrogate.mean(7) == Approx(std::log(candidates->estimate_us(7))));
  CHECK(surrogate.variance(7) < before / 100);
  surrogate.observe(7, 3.0);
  CHECK(surrogate.mean(7) == Approx(3.0).epsilon(0.01));
}

TEST_CASE("a surrogate learns more of candidates that are more alike") {
  const auto candidates = candidates_of(kLarge);
  const ReduceParams measured{.block_size = 64, .unroll = 1, .waves = 1};
  ReduceParams near = measured;
  near.block_size = 128;
  const ReduceParams far{.block_size = 1024,
                         .vector_width = 1,
                         .unroll = 16,
                         .block_stage = BlockStage::tree,
                         .final_stage = FinalStage::polling,
                         .waves = 4};
  const std::size_t a = *candidates->find(measured);
  const std::size_t b = *candidates->find(near);
  const std::size_t c = *candidates->find(far);
  Surrogate surrogate(candidates);
  surrogate.announce(a);
  surrogate.observe(a, std::log(candidates->estimate_us(a)) + 1);
  const double change_near = surrogate.mean(b) - std::log(candidates->estimate_us(b));
  const double change_far = surrogate.mean(c) - std::log(candidates->estimate_us(c));
  CHECK(change_near > change_far);
  CHECK(change_far > 0);  // all of the device may be slower
  CHECK(surrogate.variance(b) < surrogate.variance(c));
}

TEST_CASE("the order of results does not change what a surrogate makes of them") {
  const auto candidates = candidates_of(kLarge);
  Surrogate in_order(candidates);
  Surrogate late(candidates);
  for (std::size_t i = 0; i < 20; ++i) late.announce(100 * i);
  for (std::size_t i = 0; i < 20; ++i) {
    in_order.announce(100 * i);
    in_order.observe(100 * i, static_cast<double>(i % 5));
    const std::size_t other = 19 - i;
    late.observe(100 * other, static_cast<double>(other % 5));
  }
  for (std::size_t i = 0; i < candidates->size(); i += 37) {
    CHECK(in_order.mean(i) == Approx(late.mean(i)));
    CHECK(in_order.variance(i) == Approx(late.variance(i)).margin(1e-9));
  }
}

TEST_CASE("a result that was not announced changes nothing") {
  const auto candidates = candidates_of(kLarge);
  Surrogate surrogate(candidates);
  const double before = surrogate.mean(3);
  surrogate.observe(3, 10);
  CHECK(surrogate.mean(3) == before);
  CHECK(surrogate.size() == 0);
}

}  // namespace
}  // namespace foldtune
