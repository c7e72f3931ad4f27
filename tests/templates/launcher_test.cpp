// What families make of a call.
#include <algorithm>
#include <array>
#include <iterator>
#include <memory>

#include "foldtune/bin_bound.h"
#include "foldtune/reduction.h"
#include "templates/family.h"
#include "templates/histogram/range.cuh"
#include "templates/histogram/space.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

std::unique_ptr<Launcher> launcher_of(const Workload& workload, const Config& params) {
  return workload.problem.family().launcher(
      {workload, params},
      {.multiprocessor_count = 132, .resident_blocks = [](std::uint32_t) { return 264; }});
}

/// The value that a launch passes.
template <class T>
T passed(const Launch& launch, std::size_t argument) {
  return *static_cast<const T*>(launch.arguments[argument]);
}

TEST_CASE("A reduction's kernel is passed the inputs one after another, and the output") {
  const Workload dot = Reduction{.op = Operator::dot, .count = 1 << 24};
  const auto launcher = launcher_of(dot, ReduceParams{.final_stage = FinalStage::two_pass});
  int x = 0;
  int y = 0;
  int output = 0;
  Call call{.shape = {{1000}}, .arguments = {}};
  call.arguments = {&output, &x, &y};
  Launches launches;
  launcher->fill(call, nullptr, launches);
  const Launch& main = *std::ranges::find(launches, std::size_t{0}, &Launch::kernel);
  CHECK(passed<std::array<void*, 2>>(main, 0) == std::array<void*, 2>{&x, &y});
  CHECK(passed<std::uint32_t>(main, 1) == 1000);
  CHECK(passed<void*>(main, 2) == &output);
}

TEST_CASE("A kernel with indices of 64 bits is passed the call's count, and so is a second one") {
  const std::uint64_t count = (std::uint64_t{1} << 33) + 7;
  const auto check = [&](const Workload& workload, const Config& params, std::size_t place) {
    Launches launches;
    const Call call{.shape = workload.shape, .arguments = {}};
    launcher_of(workload, params)->fill(call, nullptr, launches);
    const auto main = std::ranges::find(launches, std::size_t{0}, &Launch::kernel);
    CHECK(passed<std::uint64_t>(*main, place) == count);
    const auto second = std::next(main);
    if (second != launches.end()) CHECK(passed<std::uint64_t>(*second, 2) == count);
    return launches.size();
  };
  const ReduceParams two_pass{.final_stage = FinalStage::two_pass};
  CHECK(check(Reduction{.count = count}, two_pass, 1) == 2);
  const Reduction ordered{.count = count, .determinism = Determinism::config_independent};
  CHECK(check(ordered, two_pass, 1) == 2);
  CHECK(check(HistogramWorkload{.count = count}, HistogramParams{}, 1) == 1);
}

TEST_CASE("The grid is that of the shape, also where no argument is known") {
  const auto blocks = [](const Workload& workload, const Config& params) {
    Launches launches;
    const Call call{.shape = workload.shape, .arguments = {}};
    launcher_of(workload, params)->fill(call, nullptr, launches);
    return std::ranges::find(launches, std::size_t{0}, &Launch::kernel)->grid.count();
  };
  const ReduceParams tiles{.block_size = 256, .vector_width = 4, .unroll = 1};
  CHECK(blocks(Reduction{.count = 1024 * 1000}, tiles) == 1000);
  for (const Binning binning : {Binning::even, Binning::custom}) {
    const HistogramWorkload histogram{
        .type = ElementType::u8, .binning = binning, .count = 1 << 28};
    CHECK(blocks(histogram, HistogramParams{.blocks_per_multiprocessor = 1}) == 132);
  }
}

TEST_CASE("A histogram's kernel is passed the range between the bounds, or the edges") {
  const auto range_of = [](const HistogramWorkload& histogram, const Call& call) {
    Launches launches;
    launcher_of(histogram, HistogramParams{})->fill(call, nullptr, launches);
    const Launch& main = *std::ranges::find(launches, std::size_t{0}, &Launch::kernel);
    return passed<BinRange>(main, 2);
  };
  const BinBound lower = 5;
  const BinBound upper = 25;
  double edges[] = {1, 2, 4};
  Call call{.shape = {{1, 1000}}, .arguments = {}};
  call.arguments = {nullptr, nullptr, edges, Launches::address(lower), Launches::address(upper)};
  const HistogramWorkload even{.type = ElementType::u8, .bins = 10};
  CHECK(range_of(even, call).integers.first == 5);
  CHECK(range_of(even, call).integers.last == 20);
  const HistogramWorkload custom{.type = ElementType::f64, .bins = 2, .binning = Binning::custom};
  CHECK(range_of(custom, call).edges == edges);
}

TEST_CASE("The most scratch is enough for every smaller count") {
  const auto check = [](const Reduction& reduction, const ReduceParams& params) {
    const auto launcher = launcher_of(reduction, params);
    for (const std::uint64_t most : {1u, 1000u, 1u << 17, (1u << 23) + 12345, 1u << 24}) {
      const std::size_t bytes = launcher->max_scratch_bytes({{most}});
      for (std::uint64_t count = most; count > 0; count = count * 99 / 100) {
        CHECK(launcher->scratch_bytes({{count}}) <= bytes);
      }
      for (std::uint64_t power = 1; power <= most; power *= 2) {
        CHECK(launcher->scratch_bytes({{power - 1}}) <= bytes);
      }
    }
  };
  check({.count = 1 << 24}, {});
  check({.count = 1 << 24}, {.final_stage = FinalStage::polling, .waves = 1});
  check({.count = 1 << 24, .determinism = Determinism::config_independent},
        {.vector_width = 1, .block_stage = BlockStage::tree, .final_stage = FinalStage::two_pass});
}

}  // namespace
}  // namespace foldtune::test
