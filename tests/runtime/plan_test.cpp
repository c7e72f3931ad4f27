#include "runtime/launch/plan.h"

#include <cstring>
#include <numeric>

#include "foldtune/error.h"
#include "templates/reduce/scratch.cuh"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"

namespace foldtune::test {
namespace {

const Reduction kProblem{
    .op = Operator::sum, .type = ElementType::i32, .determinism = Determinism::any};

Plan make_plan(Device& device, const ReduceParams& params) {
  const Variant variant{.workload = kProblem, .params = params};
  return Plan(device, variant, device.compiler().compile(make_program(variant)));
}

/// Reduces 1, 2, ... count twice on one scratch and gives the second result.
std::int64_t sum_to(Device& device, const Plan& plan, std::uint64_t count) {
  std::vector<std::int32_t> elements(count);
  std::iota(elements.begin(), elements.end(), 1);
  const DeviceBuffer input(device, count * sizeof(std::int32_t));
  const DeviceBuffer output(device, sizeof(std::int64_t));
  const DeviceBuffer scratch(device, plan.scratch_bytes({{count}}));
  device.copy(input.data(), elements.data(), count * sizeof(std::int32_t));
  std::int64_t result = -1;
  for (int call = 0; call < 2; ++call) {
    device.copy(output.data(), &result, sizeof(result));
    plan.enqueue({.shape = {{count}}, .arguments = {output.data(), input.data()}}, scratch.data(),
                 nullptr);
  }
  device.synchronize(nullptr);
  device.copy(&result, output.data(), sizeof(result));
  return result;
}

constexpr FinalStage kStages[] = {FinalStage::atomic,  FinalStage::two_pass, FinalStage::last_block,
                                  FinalStage::polling, FinalStage::cluster,  FinalStage::counted};

TEST_CASE("Plan: atomic and two_pass have two launches, the others one") {
  for (const FinalStage stage : kStages) {
    FakeDevice device;
    const Plan plan = make_plan(device, {.block_size = 32, .final_stage = stage});
    CHECK(sum_to(device, plan, 10'000) == 10'000 * 10'001 / 2);
    CHECK(device.counts().reduce_launches == 2);
    const bool has_helper = stage == FinalStage::atomic || stage == FinalStage::two_pass;
    CHECK(device.counts().helper_launches == (has_helper ? 2 : 0));
  }
}

TEST_CASE("Plan: a grid of one block needs no second launch") {
  for (const FinalStage stage : kStages) {
    FakeDevice device;
    const Plan plan = make_plan(device, {.final_stage = stage});
    CHECK(sum_to(device, plan, 100) == 5050);
    CHECK(device.counts().reduce_launches == 2);
    CHECK(device.counts().helper_launches == 0);
  }
}

TEST_CASE("Plan: every final stage folds on the CPU device, one block and many") {
  const std::unique_ptr<Device> device = open_cpu_device();
  for (const FinalStage stage : kStages) {
    const Plan plan = make_plan(
        *device, {.block_size = 32, .vector_width = 1, .unroll = 1, .final_stage = stage});
    CHECK(plan.grid_size({{1000}}) == (stage == FinalStage::cluster ? 8 : 32));
    CHECK(sum_to(*device, plan, 1000) == 500'500);
    CHECK(sum_to(*device, plan, 30) == 465);
  }
}

TEST_CASE("Plan: only the stage cluster launches a cluster, of no more than 8 blocks") {
  std::vector<FakeLaunch> launches;
  FakeDevice device({.cost_us = [&](const FakeLaunch& launch) {
    launches.push_back(launch);
    return 1;
  }});
  const DeviceBuffer input(device, 10'000 * sizeof(std::int32_t));
  const DeviceBuffer output(device, sizeof(std::int64_t));
  for (const FinalStage stage : kStages) {
    const Plan plan = make_plan(device, {.block_size = 32, .unroll = 1, .final_stage = stage});
    const DeviceBuffer scratch(device, plan.scratch_bytes({{10'000}}));
    launches.clear();
    // Tiles of 128.
    for (const std::uint64_t count : {128, 129, 1024, 10'000}) {
      const auto enqueue = [&](int, Stream stream) {
        plan.enqueue({.shape = {{count}}, .arguments = {output.data(), input.data()}},
                     scratch.data(), stream);
      };
      device.time({.enqueue = enqueue}, 1);
    }
    REQUIRE(launches.size() == 4);
    const bool is_cluster = stage == FinalStage::cluster;
    CHECK_FALSE(launches[0].is_cluster);  // one block
    for (int i = 1; i < 4; ++i) CHECK(launches[i].is_cluster == is_cluster);
    CHECK(launches[1].grid_size == 2);
    CHECK(launches[2].grid_size == 8);
    CHECK(launches[3].grid_size == (is_cluster ? 8 : 79));
  }
}

TEST_CASE("Plan: waves are waves of the blocks that the device holds") {
  FakeDevice device;
  device.mutable_info().record.multiprocessor_count = 10;
  // The fake holds 2048 threads per multiprocessor.
  const Plan plan =
      make_plan(device, {.block_size = 256, .vector_width = 1, .unroll = 1, .waves = 2});
  CHECK(plan.resources().blocks_per_multiprocessor == 8);
  CHECK(plan.grid_size({{256}}) == 1);
  CHECK(plan.grid_size({{256 * 100}}) == 100);
  CHECK(plan.grid_size({{std::uint64_t{1} << 33}}) == 2 * 8 * 10);
}

TEST_CASE(
    "Plan: the device is asked for a kernel's resources only where the grid depends on them") {
  FakeDevice device;
  const Plan plan = make_plan(device, {.waves = 0});
  CHECK(sum_to(device, plan, 10'000) == 10'000 * 10'001 / 2);
  CHECK(device.counts().resource_queries == 0);
  CHECK(plan.resources().registers == 32);
  CHECK(device.counts().resource_queries == 1);
  CHECK(sum_to(device, make_plan(device, {.waves = 1}), 10'000) == 10'000 * 10'001 / 2);
  CHECK(device.counts().resource_queries == 2);
}

TEST_CASE("Plan: a kernel gets the count in the width that it is compiled for") {
  std::vector<FakeLaunch> launches;
  FakeDevice device({.cost_us = [&](const FakeLaunch& launch) {
    launches.push_back(launch);
    return 1;
  }});
  Reduction problem{.op = Operator::sum, .type = ElementType::i32, .alignment = Alignment::element};
  constexpr std::uint64_t kCount = 10'000;
  const DeviceBuffer input(device, kCount * sizeof(std::int32_t));
  const DeviceBuffer output(device, sizeof(std::int64_t));
  const DeviceBuffer scratch(device, 1 << 16);
  for (const std::uint64_t count : {kCount, std::uint64_t{1} << 33}) {
    problem.count = count;
    const Variant variant{.workload = problem, .params = ReduceParams{}};
    const Plan plan(device, variant, device.compiler().compile(make_program(variant)));
    launches.clear();
    device.time({.enqueue =
                     [&](int, Stream stream) {
                       plan.enqueue(
                           {.shape = {{kCount}}, .arguments = {output.data(), input.data()}},
                           scratch.data(), stream);
                     }},
                /*samples=*/1);
    REQUIRE(launches.size() == 1);
    CHECK(launches[0].count == kCount);
    CHECK(launches[0].counts_in_64_bits == (count > kCount));
    CHECK(launches[0].alignment == Alignment::element);
    CHECK(launches[0].grid_size == plan.grid_size({{kCount}}));
  }
}

TEST_CASE("Plan: scratch has room for a slot per block") {
  FakeDevice device;
  const Plan plan = make_plan(device, {.block_size = 32, .vector_width = 1, .unroll = 1});
  CHECK(plan.scratch_bytes({{33}}) == kScratchHeaderBytes + 2 * 16);
  CHECK(plan.scratch_bytes({{32 * 1000}}) == kScratchHeaderBytes + 1000 * 16);
}

TEST_CASE("Plan: one block and atomics need no scratch") {
  for (const FinalStage stage : kStages) {
    FakeDevice device;
    const Plan plan =
        make_plan(device, {.block_size = 32, .vector_width = 1, .unroll = 1, .final_stage = stage});
    for (const std::uint64_t count : {0, 1, 32}) CHECK(plan.scratch_bytes({{count}}) == 0);
    CHECK(sum_to(device, plan, 32) == 528);
    CHECK((plan.scratch_bytes({{33}}) == 0) == (stage == FinalStage::atomic));
    CHECK(sum_to(device, plan, 33) == 561);
  }
}

TEST_CASE("Plan: a slot has room for the accumulator") {
  FakeDevice device;
  const ReduceParams params{.block_size = 32, .vector_width = 1, .unroll = 1};
  const auto bytes_of = [&](const Reduction& problem) {
    const Variant variant{.workload = problem, .params = params};
    const Plan plan(device, variant, device.compiler().compile(make_program(variant)));
    return plan.scratch_bytes({{32 * 1000}}) - kScratchHeaderBytes;
  };
  CHECK(bytes_of({.op = Operator::sum, .type = ElementType::f32}) == 1000 * 8);
  CHECK(
      bytes_of({.op = Operator::sum, .type = ElementType::f32, .accumulator = ElementType::f64}) ==
      1000 * 16);
  // No slot is narrower than a word.
  CHECK(bytes_of({.op = Operator::max, .type = ElementType::i8}) == 1000 * 8);
  CHECK(bytes_of(make_reduction({.name = "fold",
                                 .accumulator = {{.name = "total", .type = ElementType::f64},
                                                 {.name = "count", .type = ElementType::u32}},
                                 .finish = "a.total / a.count"})) == 1000 * 2 * 16);
}

TEST_CASE("Plan: a fixed order has a slot per chunk, whatever the grid") {
  FakeDevice device;
  const Reduction problem{.op = Operator::sum,
                          .type = ElementType::f32,
                          .determinism = Determinism::config_independent};
  constexpr std::uint64_t kCount = 1 << 20;
  const DeviceBuffer input(device, kCount * sizeof(float));
  const DeviceBuffer output(device, sizeof(float));
  for (const FinalStage stage : {FinalStage::two_pass, FinalStage::last_block}) {
    for (const int waves : {0, 1}) {
      const Variant variant{.workload = problem,
                            .params = ReduceParams{.block_size = 1024,
                                                   .vector_width = 1,
                                                   .block_stage = BlockStage::tree,
                                                   .final_stage = stage,
                                                   .waves = waves}};
      const Plan plan(device, variant, device.compiler().compile(make_program(variant)));
      CHECK(plan.grid_size({{kCount}}) == (waves == 0 ? 128 : 8));
      CHECK(plan.scratch_bytes({{kCount}}) == kScratchHeaderBytes + 128 * 8);
      const DeviceBuffer scratch(device, plan.scratch_bytes({{kCount}}));
      const int helpers = device.counts().helper_launches;
      for (const std::uint64_t count : {kCount, std::uint64_t{1000}}) {
        const float unwritten = -1;
        device.copy(output.data(), &unwritten, sizeof(float));
        plan.enqueue({.shape = {{count}}, .arguments = {output.data(), input.data()}},
                     scratch.data(), nullptr);
        float result = 0;
        device.copy(&result, output.data(), sizeof(float));
        CHECK(result == 0);
      }
      // One chunk needs no second launch.
      CHECK(device.counts().helper_launches == helpers + (stage == FinalStage::two_pass ? 1 : 0));
    }
  }
}

TEST_CASE("Plan: what does not load is a DeviceError, and leaves nothing allocated") {
  FakeDevice device({.fault = [](const ReduceParams&) { return Fault::load_error; }});
  CHECK_THROWS_AS(make_plan(device, {}), DeviceError);
  CHECK(device.counts().live_allocations == 0);
}

TEST_CASE("Plan: a launch that fails is a DeviceError") {
  FakeDevice device({.fault = [](const ReduceParams&) { return Fault::launch_error; }});
  const Plan plan = make_plan(device, {});
  CHECK_THROWS_AS(sum_to(device, plan, 10), DeviceError);
  CHECK(device.counts().live_allocations == 0);
}

}  // namespace
}  // namespace foldtune::test
