#include "tuner/measure/device_evaluator.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "foldtune/error.h"
#include "runtime/device/throttle.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"
#include "tuner/measure/measure.h"

namespace foldtune {
namespace {

using Catch::Matchers::ContainsSubstring;
using test::FakeDevice;
using test::FakeLaunch;
using test::FakeScript;
using test::Fault;
using test::kFakeLatencyUs;
using test::kFakeStreamUs;

constexpr std::uint64_t kQuarterOfL2 = 4096;  // 16 KiB, a quarter of the fake's L2

Reduction sum_in_l2(std::uint64_t count) { return {.count = count}; }

ReduceParams params_of(int block_size) { return {.block_size = block_size}; }

/// A fake device with an evaluator, which has a problem already.
class Bench {
 public:
  explicit Bench(FakeScript script = {}, std::uint64_t count = kQuarterOfL2)
      : device_(std::move(script)) {
    evaluator_.emplace(device_, 1);
    set_workload(count);
  }

  void set_workload(std::uint64_t count, Conditions conditions = {}) {
    problem_ = sum_in_l2(count);
    Workload workload = problem_;
    workload.conditions = conditions;
    evaluator_->set_workload(workload, workload);
  }

  MeasurementRecord evaluate(int block_size, Timing timing = Timing::screening, int samples = 2) {
    const Variant variant{.workload = problem_, .params = params_of(block_size)};
    return evaluator_->evaluate({.params = variant.params,
                                 .compiled = std::make_shared<const CompiledKernel>(
                                     device_.compiler().compile(make_program(variant))),
                                 .timing = timing,
                                 .samples = samples});
  }

  FakeDevice& device() { return device_; }
  DeviceEvaluator& evaluator() { return *evaluator_; }

 private:
  FakeDevice device_;
  std::optional<DeviceEvaluator> evaluator_;
  Reduction problem_;
};

TEST_CASE("Evaluator: a record has the samples with their spread and the clocks") {
  Bench bench({.cost_us = [](const FakeLaunch& launch) {
    return launch.params.block_size == 64 ? 4. : 1.;
  }});
  const MeasurementRecord record = bench.evaluate(64);
  CHECK(record.outcome == Outcome::ok);
  CHECK(record.samples_us == std::vector<double>{4, 4});
  CHECK(record.median_us == 4);
  CHECK(record.mad_us == 0);
  CHECK(record.shape == std::to_string(kQuarterOfL2));
  CHECK(record.bytes == 4 * kQuarterOfL2);
  CHECK(record.sm_clock_mhz == test::kFakeClocks.sm_mhz);
  CHECK(record.memory_clock_mhz == test::kFakeClocks.memory_mhz);
  CHECK(record.discarded_samples == 0);
  CHECK(record.hot_us == 0);
  CHECK(record.stream_us == 0);
  CHECK(record.latency_us == 0);
}

TEST_CASE("Evaluator: a comparison reads several times the L2 before it reads an input again") {
  std::vector<const void*> inputs;
  Bench bench({.cost_us = [&](const FakeLaunch& launch) {
    if (launch.params.block_size == 64) inputs.push_back(launch.input);
    return 1.;
  }});
  bench.evaluate(64, Timing::comparison, 1);
  const std::set<const void*> distinct(inputs.begin(), inputs.end());
  CHECK(distinct.size() * 4 * kQuarterOfL2 >= 2 * 65'536);
  REQUIRE(inputs.size() % distinct.size() == 0);
  for (std::size_t i = distinct.size(); i < inputs.size(); ++i) {
    CHECK(inputs[i] == inputs[i - distinct.size()]);
  }
}

TEST_CASE("Evaluator: the calls of a sample take places for scratch and result in turns") {
  std::vector<std::pair<const void*, const void*>> places;
  Bench bench({.cost_us = [&](const FakeLaunch& launch) {
    if (launch.params.block_size == 64) places.emplace_back(launch.output, launch.scratch);
    return 1.;
  }});
  bench.evaluate(64, Timing::comparison, 1);
  std::vector<std::size_t> in_a_row;
  std::set<const void*> outputs;
  std::set<const void*> scratches;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i == 0 || places[i] != places[i - 1]) in_a_row.push_back(0);
    ++in_a_row.back();
    outputs.insert(places[i].first);
    scratches.insert(places[i].second);
  }
  CHECK(in_a_row.size() > 1);
  CHECK(outputs.size() == in_a_row.size());  // none comes again
  CHECK(scratches.size() == in_a_row.size());
  CHECK(*std::ranges::min_element(in_a_row) >= 8);
}

TEST_CASE("Evaluator: the L2 is flushed for a screening, else only for the tiniest inputs") {
  const auto flushes_of = [](std::uint64_t count, Timing timing, int samples) {
    Bench bench({}, count);
    const int before = bench.device().counts().untimed_launches;
    bench.evaluate(64, timing, samples);
    return bench.device().counts().untimed_launches - before;
  };
  CHECK(flushes_of(kQuarterOfL2, Timing::screening, 2) == 2);
  CHECK(flushes_of(kQuarterOfL2, Timing::comparison, 2) == 0);
  CHECK(flushes_of(kQuarterOfL2, Timing::complete, 2) == 0);
  CHECK(flushes_of(2, Timing::comparison, 2) == 2);
}

TEST_CASE("Evaluator: a complete timing tells memory, cache, stream and latency apart") {
  const void* last = nullptr;
  Bench bench({.cost_us = [&](const FakeLaunch& launch) {
    return std::exchange(last, launch.input) == launch.input ? 2. : 5.;
  }});
  const MeasurementRecord record = bench.evaluate(64, Timing::complete, 1);
  CHECK(record.outcome == Outcome::ok);
  CHECK(record.median_us == Approx(5).epsilon(0.01));
  CHECK(record.hot_us == Approx(2).epsilon(0.02));  // the first call is not
  CHECK(record.stream_us == Approx(5 + kFakeStreamUs).epsilon(0.01));
  CHECK(record.latency_us == Approx(5 + kFakeLatencyUs).epsilon(0.01));
}

TEST_CASE("Evaluator: a workload is timed under its conditions") {
  const void* last = nullptr;
  Bench bench({.cost_us = [&](const FakeLaunch& launch) {
    return std::exchange(last, launch.input) == launch.input ? 2. : 5.;
  }});
  const auto [conditions, us] =
      GENERATE(table<Conditions, double>({{Conditions::cold_graph, 5},
                                          {Conditions::warm_graph, 2},
                                          {Conditions::cold_stream, 5 + kFakeStreamUs},
                                          {Conditions::warm_stream, 2 + kFakeStreamUs}}));
  bench.set_workload(kQuarterOfL2, conditions);
  for (const Timing timing : {Timing::screening, Timing::comparison, Timing::complete}) {
    const MeasurementRecord record = bench.evaluate(64, timing, 1);
    CAPTURE(name(conditions), static_cast<int>(timing));
    CHECK(record.median_us == Approx(us).epsilon(0.02));
    CHECK(record.problem.conditions == name(conditions));
  }
  CHECK(bench.evaluate(64, Timing::complete, 1).hot_us == Approx(2).epsilon(0.02));
}

TEST_CASE("Evaluator: what is larger than the L2 is never hot") {
  Bench bench({}, 1 << 17);
  const MeasurementRecord record = bench.evaluate(64, Timing::complete, 1);
  CHECK(record.outcome == Outcome::ok);
  CHECK(record.hot_us == 0);
  CHECK(record.stream_us > 0);
}

TEST_CASE("Evaluator: samples that agree are enough, others are taken to the limit") {
  double drift = 0;
  double us = 5;
  Bench bench({.cost_us = [&](const FakeLaunch&) { return us += drift; }});
  CHECK(bench.evaluate(64, Timing::comparison, 20).samples_us.size() == 3);
  drift = 1;
  const MeasurementRecord record = bench.evaluate(64, Timing::comparison, 20);
  CHECK(record.samples_us.size() == 20);
  CHECK(record.mad_us > 0);
}

TEST_CASE("Evaluator: samples of a throttled device are taken again and counted") {
  int asked = 0;
  bool is_measuring = false;
  Bench bench({.clock_reasons = [&]() -> std::uint64_t {
    return is_measuring && ++asked <= 2 ? kPowerBrake : 0;
  }});
  is_measuring = true;
  const MeasurementRecord record = bench.evaluate(64, Timing::screening, 2);
  CHECK(record.outcome == Outcome::ok);
  CHECK(record.samples_us.size() == 2);
  CHECK(record.discarded_samples == 4);
}

TEST_CASE("Evaluator: a configuration that is tried again is neither checked nor captured again") {
  Bench bench;
  const test::FakeCounts& counts = bench.device().counts();
  bench.evaluate(64, Timing::comparison, 1);
  bench.evaluate(128, Timing::comparison, 1);
  const int loads = counts.loads;
  const int launches = counts.reduce_launches;
  const int timings = counts.timings;
  const int takings = counts.takings;
  for (int round = 0; round < 5; ++round) {
    for (const int block_size : {128, 64}) {
      const MeasurementRecord record = bench.evaluate(block_size, Timing::comparison, 2);
      CHECK(record.samples_us.size() == 2);  // of this turn alone
      CHECK(record.params == to_json(Config(params_of(block_size))));
    }
  }
  CHECK(counts.loads == loads);
  CHECK(counts.reduce_launches == launches);
  CHECK(counts.timings == timings);
  CHECK(counts.takings == takings + 10);
}

TEST_CASE("Evaluator: only the latest configurations are kept, and none of another problem") {
  Bench bench;
  const test::FakeCounts& counts = bench.device().counts();
  const int empty = counts.live_allocations;
  bench.evaluate(32);
  const int each = counts.live_allocations - empty;
  CHECK(each > 0);
  int tried = 1;
  for (const int block_size : {64, 128, 256, 512, 1024}) {
    for (const int unroll : {1, 2, 4, 8, 16}) {
      for (const int vector_width : {1, 2, 4}) {
        const ReduceParams params{
            .block_size = block_size, .vector_width = vector_width, .unroll = unroll};
        const Variant one{.workload = sum_in_l2(kQuarterOfL2), .params = params};
        const auto compiled = std::make_shared<const CompiledKernel>(
            bench.device().compiler().compile(make_program(one)));
        bench.evaluator().evaluate({.params = params, .compiled = compiled});
        ++tried;
      }
    }
  }
  CHECK(tried > 60);
  CHECK(counts.live_allocations <= empty + 24 * each);
  const int loads = counts.loads;
  bench.evaluate(32);
  CHECK(counts.loads == loads + 1);

  bench.set_workload(kQuarterOfL2 / 2);
  CHECK(counts.live_allocations == empty);
}

TEST_CASE("Evaluator: what does not fit the memory is no reason for a smaller problem to fail") {
  constexpr std::uint64_t kTooMany = std::uint64_t{1} << 24;
  FakeDevice device({.largest_allocation = kTooMany});
  DeviceEvaluator evaluator(device, 1);
  CHECK_NOTHROW(evaluator.set_workload(sum_in_l2(kQuarterOfL2), sum_in_l2(kTooMany)));
  CHECK_THROWS_AS(evaluator.set_workload(sum_in_l2(kTooMany), sum_in_l2(kTooMany)), OutOfMemory);
  CHECK_NOTHROW(evaluator.set_workload(sum_in_l2(kQuarterOfL2), sum_in_l2(kTooMany)));
}

TEST_CASE("Evaluator: results are checked by their own problem, whatever was announced") {
  FakeDevice device;
  DeviceEvaluator evaluator(device, 1);
  evaluator.announce(sum_in_l2(kQuarterOfL2));  // before there are inputs
  const auto outcome_of = [&](const Reduction& problem) {
    evaluator.set_workload(problem, sum_in_l2(kQuarterOfL2));
    const Variant variant{.workload = problem, .params = params_of(64)};
    return evaluator
        .evaluate({.params = variant.params,
                   .compiled = std::make_shared<const CompiledKernel>(
                       device.compiler().compile(make_program(variant)))})
        .outcome;
  };
  const Reduction max{.op = Operator::max, .count = kQuarterOfL2};
  CHECK(outcome_of(sum_in_l2(kQuarterOfL2)) == Outcome::ok);
  for (const Reduction& announced :
       {max, sum_in_l2(kQuarterOfL2), sum_in_l2(kQuarterOfL2 / 2), sum_in_l2(2 * kQuarterOfL2),
        Reduction{.op = Operator::sum, .type = ElementType::i32, .count = kQuarterOfL2}}) {
    for (const Reduction& next : {max, sum_in_l2(kQuarterOfL2), sum_in_l2(kQuarterOfL2 / 2)}) {
      CAPTURE(to_string(announced), to_string(next));
      evaluator.announce(announced);
      CHECK(outcome_of(next) == Outcome::ok);
    }
  }
  evaluator.announce(max);  // and is destroyed
}

TEST_CASE("Evaluator: every failure has its outcome and its reason") {
  const auto outcome_of = [](Fault fault) {
    Bench bench({.fault = [=](const ReduceParams& params) {
      return params.block_size == 64 ? fault : Fault::none;
    }});
    const MeasurementRecord record = bench.evaluate(64);
    CHECK(record.samples_us.empty());
    CHECK(record.failure.empty() == (record.outcome == Outcome::ok));
    CHECK(bench.evaluate(128).outcome == Outcome::ok);  // the next one is not affected
    return record.outcome;
  };
  CHECK(outcome_of(Fault::load_error) == Outcome::load_error);
  CHECK(outcome_of(Fault::launch_error) == Outcome::launch_error);
  CHECK(outcome_of(Fault::run_error) == Outcome::launch_error);
  CHECK(outcome_of(Fault::wrong_result) == Outcome::wrong_result);
  CHECK(outcome_of(Fault::out_of_memory) == Outcome::out_of_memory);
  CHECK(outcome_of(Fault::timing_error) == Outcome::timing_error);
}

TEST_CASE("Evaluator: after a configuration that breaks the device, nothing is tried any more") {
  Bench bench({.fault = [](const ReduceParams& params) {
    return params.block_size == 64 ? Fault::lost : Fault::none;
  }});
  CHECK(bench.evaluate(128).outcome == Outcome::ok);
  const MeasurementRecord record = bench.evaluate(64);
  CHECK(record.outcome == Outcome::crashed);
  CHECK_THAT(record.failure, ContainsSubstring("broke the device"));
  CHECK_THROWS_WITH(bench.evaluate(128), ContainsSubstring("unusable"));
  CHECK_THROWS_AS(bench.set_workload(kQuarterOfL2), DeviceError);
}

TEST_CASE("Evaluator: turns of one configuration merge into one record") {
  MeasurementRecord first;
  first.samples_us = {5, 7};
  first.discarded_samples = 1;
  first.hot_us = 2;
  first.sm_clock_mhz = 1900;
  MeasurementRecord second;
  second.samples_us = {6, 10};
  second.discarded_samples = 2;
  second.latency_us = 9;
  second.sm_clock_mhz = 1980;
  const MeasurementRecord both = merge(first, second);
  CHECK(both.samples_us == std::vector<double>{5, 7, 6, 10});
  CHECK(both.median_us == 6.5);
  CHECK(both.mad_us == 1);
  CHECK(both.discarded_samples == 3);
  CHECK(both.hot_us == 2);
  CHECK(both.latency_us == 9);
  CHECK(both.sm_clock_mhz == 1980);
  CHECK(both.outcome == Outcome::ok);

  MeasurementRecord failed;
  failed.outcome = Outcome::timing_error;
  failed.failure = "because";
  CHECK(merge(both, failed).outcome == Outcome::timing_error);
  CHECK(merge(failed, both).failure == "because");
  CHECK(merge(both, failed).samples_us.size() == 4);
}

TEST_CASE("A library may leave the padding of its result as it was, and nothing else") {
  const std::unique_ptr<Device> device = open_cpu_device();
  CompilePool compilations(device->compiler(), 1);
  const Workload workload = Reduction{.op = Operator::argmax, .count = 1000};
  const InputPool pool(*device, workload, /*seed=*/1);
  Measurer measurer(*device, compilations, pool, workload);
  const auto library = [&](bool writes_index) {
    return [&, writes_index](const Call& call, Stream) {
      const auto* const input = static_cast<const float*>(call.arguments[1]);
      const std::int64_t index = std::max_element(input, input + workload.shape[0]) - input;
      auto* const output = static_cast<std::byte*>(call.arguments[0]);
      std::memcpy(output, input + index, sizeof(float));
      if (writes_index) std::memcpy(output + 8, &index, sizeof(index));
    };
  };
  CHECK(measurer.find_fault_of_library(library(true)).empty());
  CHECK_FALSE(measurer.find_fault_of_library(library(false)).empty());
}

}  // namespace
}  // namespace foldtune
