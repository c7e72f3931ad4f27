#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/runtime/cpu_reduction.h"
#include "tests/support/covering_sample.h"

namespace foldtune::test {
namespace {

std::vector<float> random_values(std::size_t count) {
  std::vector<float> values(count);
  std::uint32_t state = 1;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) / (1u << 24) - 0.25f;
  }
  return values;
}

void check_sums(const CpuReduction& reduction, const std::vector<float>& values) {
  const double expected = std::accumulate(values.begin(), values.end(), 0.0);
  // Threads that each add to the output make a chain as long as the grid: more than a few units of
  // rounding, and less than an element.
  constexpr double kTolerance = 4e-6;
  double magnitude = 0;
  for (const float value : values) magnitude += std::fabs(value);
  for (const Plan& plan : reduction.plans()) {
    CAPTURE(to_json(plan.variant().params), values.size());
    for (const bool inputs_ready : {false, true}) {
      const float sum = reduction.sum(plan, values, inputs_ready);
      CHECK(std::fabs(sum - expected) <= kTolerance * magnitude);
    }
  }
}

}  // namespace

TEST_CASE("CPU device: the templates sum as a double does") {
  ReduceParams params;
  std::size_t largest = 50'001;
  SECTION("one warp, one element at a time") {
    params = {.block_size = 32, .vector_width = 1, .unroll = 1};
    largest = 9'999;
  }
  SECTION("vectors") { params = {.block_size = 256, .vector_width = 4, .unroll = 4}; }
  SECTION("the largest block") { params = {.block_size = 1024, .vector_width = 2, .unroll = 2}; }
  const CpuReduction reduction(all_stages(params));
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{1'000}, largest}) {
    check_sums(reduction, random_values(count));
  }
}

/// The second of two results of `count` times `value`, by FinalStage::counted.
template <class Result, class Element>
Result counted(Reduction reduction, Element value, std::uint64_t count) {
  const auto device = open_cpu_device();
  reduction.count = count;
  const Variant variant{
      .workload = reduction,
      .params = ReduceParams{
          .block_size = 64, .vector_width = 4, .unroll = 16, .final_stage = FinalStage::counted}};
  REQUIRE(Space(variant.workload).contains(variant.params));
  const Plan plan(*device, variant, device->compiler().compile(make_program(variant)));
  const std::vector<Element> elements(count, value);
  const DeviceBuffer input(*device, count * sizeof(Element));
  const DeviceBuffer output(*device, sizeof(Result));
  const DeviceBuffer scratch(*device, plan.scratch_bytes({{count}}));
  device->copy(input.data(), elements.data(), count * sizeof(Element));
  for (int turn = 0; turn < 2; ++turn) {
    plan.enqueue({.shape = {{count}}, .arguments = {output.data(), input.data()}}, scratch.data(),
                 nullptr);
  }
  Result result{};
  device->copy(&result, output.data(), sizeof(result));
  return result;
}

/// Only a thread that has several tiles of rows that are far apart can take a later one for the
/// first.
TEST_CASE("CPU device: of equal elements the first is found, whichever tile it is in") {
  const auto device = open_cpu_device();
  const Reduction argmin{.op = Operator::argmin, .type = ElementType::i32};
  const Variant variant{.workload = argmin,
                        .params = ReduceParams{.block_size = 32,
                                               .vector_width = 1,
                                               .unroll = 2,
                                               .tile_layout = TileLayout::split,
                                               .waves = 1}};
  REQUIRE(Space(variant.workload).contains(variant.params));
  const Plan plan(*device, variant, device->compiler().compile(make_program(variant)));
  const std::uint64_t count = 3 * 64 * plan.grid_size({{kMaxCount}});
  std::vector<std::int32_t> elements(count, 0);
  const DeviceBuffer input(*device, count * sizeof(std::int32_t));
  const DeviceBuffer output(*device, argmin.result_bytes());
  const DeviceBuffer scratch(*device, plan.scratch_bytes({{count}}));
  for (std::uint64_t first = 0; first < count; first += 61) {
    std::fill_n(elements.begin(), first, 1);
    device->copy(input.data(), elements.data(), count * sizeof(std::int32_t));
    plan.enqueue({.shape = {{count}}, .arguments = {output.data(), input.data()}}, scratch.data(),
                 nullptr);
    std::uint64_t words[2] = {};  // the value, and its index
    device->copy(words, output.data(), sizeof(words));
    CHECK(words[1] == first);
  }
}

TEST_CASE("CPU device: totals that share a word with their number are whole") {
  using enum ElementType;
  constexpr std::uint64_t kMany = (1 << 18) + 5;
  CHECK(counted<std::uint64_t, std::uint16_t>({.type = u16}, 65535, kMany) == 65535 * kMany);
  CHECK(counted<std::int64_t, std::int16_t>({.type = i16}, -32768, kMany) ==
        -32768 * static_cast<std::int64_t>(kMany));
  CHECK(counted<std::int64_t, std::int16_t>({.type = i16}, -1, kMany) ==
        -static_cast<std::int64_t>(kMany));
  // 32 bits wrap, and what is beyond them does not come back.
  CHECK(counted<std::uint32_t, std::uint32_t>({.type = u32, .accumulator = u32}, 0xffff'fff0,
                                              kMany) ==
        static_cast<std::uint32_t>(0xffff'fff0 * kMany));
  CHECK(counted<std::int32_t, std::int32_t>({.type = i32, .accumulator = i32}, -2'000'000'000,
                                            kMany) ==
        static_cast<std::int32_t>(-2'000'000'000 * static_cast<std::int64_t>(kMany)));
  CHECK(counted<std::uint64_t, float>({.op = Operator::count_nonzero}, 0.5f, kMany) == kMany);
}

TEST_CASE("CPU device: a sum in a fixed order has the same bits in every configuration") {
  constexpr Determinism kFixed = Determinism::config_independent;
  const Reduction problem{.determinism = kFixed};
  std::vector<Config> configs;
  for (const Config& params : covering_sample(problem, Extent::all)) {
    if (configs.size() < 12) configs.push_back(params);
  }
  REQUIRE(configs.size() > 4);
  const CpuReduction reduction(configs, problem);
  // Of one chunk, and of several.
  for (const std::size_t count : {std::size_t{0}, std::size_t{777}, std::size_t{5'003}}) {
    const std::vector<float> values = random_values(count);
    check_sums(reduction, values);
    const float first = reduction.sum(reduction.plans().front(), values);
    for (const Plan& plan : reduction.plans()) {
      CAPTURE(to_json(plan.variant().params), count);
      CHECK(reduction.sum(plan, values) == first);
    }
  }
}

}  // namespace foldtune::test
