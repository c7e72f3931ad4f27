#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>

#include "foldtune/error.h"
#include "runtime/lookup/lookup.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"
#include "tests/runtime/tuned_store.h"
#include "tests/tuner/scripted_evaluator.h"
#include "tests/tuner/tune_on.h"

namespace foldtune {
namespace {

using test::FakeDevice;
using test::FakeLaunch;
using test::Fault;

using test::ScriptedEvaluator;
using test::SilentObserver;
using test::tune_on;

Reduction sum_over(std::uint64_t count) { return {.count = count}; }

ReduceParams best_of(const ProblemResult& result) { return reduce_params(result.best); }

/// Best at unroll 8 with 128 threads.
double launch_cost(const FakeLaunch& launch) {
  return 10 + std::abs(launch.params.unroll - 8) + std::abs(launch.params.block_size - 128) / 32.0;
}

TuneOptions quick(std::vector<Workload> workloads) {
  return {.workloads = std::move(workloads),
          .max_evaluations = 150,
          .compile_threads = 2,
          .command = "test"};
}

std::map<Outcome, int> count_outcomes(const ConfigStore& store) {
  std::map<Outcome, int> counts;
  for (const StoredResult& result : store.measurements()) ++counts[result.measurement.outcome];
  return counts;
}

TEST_CASE("tuning stores the fastest configuration, and the look-up finds it") {
  FakeDevice device({.cost_us = launch_cost});
  const auto store = open_memory_store();
  SilentObserver observer;
  const auto results = tune_on(device, *store, quick({sum_over(100'000)}), observer);

  REQUIRE(results.size() == 1);
  CHECK(best_of(results[0]).block_size == 128);
  CHECK(best_of(results[0]).unroll == 8);
  CHECK(results[0].best_us == Approx(10));
  CHECK(results[0].default_us > results[0].best_us);
  CHECK(results[0].gbps == Approx(100'000 * 4 / 10. / 1e3));
  CHECK(observer.starts == 1);
  CHECK(observer.results == 1);

  const Choice choice = choose_config(store.get(), device.info().record,
                                      device.compiler().version(), sum_over(100'000));
  REQUIRE(choice.match.has_value());
  CHECK(choice.match->quality == MatchQuality::exact);
  CHECK(to_json(choice.params) == to_json(results[0].best));
}

/// Unroll 8 is the best for 2^16 elements, by a little, and unroll 4 for fewer.
double cost_at_both_ends(const Workload& workload, const Trial& trial) {
  const ReduceParams params = reduce_params(trial.params);
  const ReduceParams best{.block_size = 128, .unroll = params.unroll};
  const double others = (params.block_size != best.block_size) +
                        (params.vector_width != best.vector_width) +
                        (params.block_stage != best.block_stage) +
                        (params.final_stage != best.final_stage) + (params.waves != best.waves);
  if (params.unroll == 4) return 10 + others;
  return (params.unroll == 8 && workload.shape[0] == 1 << 16 ? 9.8 : 15) + others;
}

TEST_CASE("what was tuned for the last shape of a bucket serves all of it") {
  ScriptedEvaluator evaluator(cost_at_both_ends);
  const auto tuned = [&](std::uint64_t count) {
    const auto store = open_memory_store();
    SilentObserver observer;
    Evaluator* const evaluators[] = {&evaluator};
    evaluator.workloads.clear();
    return best_of(tune(evaluators, *store, quick({sum_over(count)}), observer).results.at(0));
  };
  const std::uint64_t last = 1 << 16;
  const std::uint64_t first = max_of_size_class(size_class(last) - 1) + 1;
  CHECK(tuned(last).unroll == 8);  // inputs come from memory, where this is not worth its time
  CHECK(evaluator.workloads == std::vector<Workload>{sum_over(last)});
  evaluator.set_l2_bytes(1 << 20);
  CHECK(tuned(last).unroll == 4);
  CHECK(evaluator.workloads ==
        std::vector<Workload>{sum_over(last), sum_over(first), sum_over(last)});
  // Who asks for a shape within the bucket is served best at that.
  CHECK(tuned(last - 1).unroll == 4);
  CHECK(evaluator.workloads == std::vector<Workload>{sum_over(last - 1)});
}

TEST_CASE("what was compared for both ends is kept if the shape cannot be made again") {
  ScriptedEvaluator evaluator(cost_at_both_ends);
  evaluator.set_l2_bytes(1 << 20);
  evaluator.on_workload = [&](const Workload&) {
    if (evaluator.workloads.size() == 3) throw DeviceError("the time is over");
  };
  const auto store = open_memory_store();
  SilentObserver observer;
  Evaluator* const evaluators[] = {&evaluator};
  const auto results = tune(evaluators, *store, quick({sum_over(1 << 16)}), observer).results;
  REQUIRE(results.size() == 1);
  CHECK(best_of(results[0]).unroll == 4);
  CHECK(evaluator.workloads.size() == 3);
  CHECK(evaluator.trials.back().timing == Timing::comparison);  // nothing is timed without inputs
}

TEST_CASE("every kind of failure is stored with its reason, and the tuning goes on") {
  FakeDevice device({.cost_us = launch_cost, .fault = [](const ReduceParams& params) {
                       switch (params.block_size) {
                         case 32:
                           return Fault::compile_error;
                         case 64:
                           return Fault::load_error;
                         case 256:
                           return Fault::launch_error;
                         case 512:
                           return Fault::wrong_result;
                         default:
                           return Fault::none;
                       }
                     }});
  const auto store = open_memory_store();
  SilentObserver observer;
  const auto results = tune_on(device, *store, quick({sum_over(1 << 16)}), observer);

  REQUIRE(results.size() == 1);
  CHECK(best_of(results[0]).block_size == 128);
  auto outcomes = count_outcomes(*store);
  CHECK(outcomes[Outcome::compile_error] > 0);
  CHECK(outcomes[Outcome::load_error] > 0);
  CHECK(outcomes[Outcome::launch_error] > 0);
  CHECK(outcomes[Outcome::wrong_result] > 0);
  for (const StoredResult& result : store->measurements()) {
    const MeasurementRecord& record = result.measurement;
    CHECK(record.failure.empty() == (record.outcome == Outcome::ok));
    if (record.outcome != Outcome::ok) CHECK(record.samples_us.empty());
  }
}

TEST_CASE("a configuration that gives a wrong result is never timed nor chosen") {
  // The fastest of all is wrong.
  FakeDevice device({.cost_us = [](const FakeLaunch& l) { return l.params.unroll == 16 ? 1. : 2.; },
                     .fault =
                         [](const ReduceParams& params) {
                           return params.unroll == 16 ? Fault::wrong_result : Fault::none;
                         }});
  const auto store = open_memory_store();
  SilentObserver observer;
  const auto results = tune_on(device, *store, quick({sum_over(1 << 16)}), observer);
  REQUIRE(results.size() == 1);
  CHECK(best_of(results[0]).unroll != 16);
  CHECK(results[0].best_us == Approx(2));
}

TEST_CASE("a problem of which nothing works has no result, and the next one is tuned") {
  FakeDevice device({.fault = [](const ReduceParams&) { return Fault::none; }});
  FakeDevice broken({.fault = [](const ReduceParams&) { return Fault::wrong_result; }});
  const auto store = open_memory_store();
  SilentObserver observer;
  TuneOptions options = quick({sum_over(1 << 12), sum_over(1 << 14)});
  options.budget_s = 20;
  CHECK(tune_on(broken, *store, options, observer).empty());
  CHECK(count_outcomes(*store)[Outcome::wrong_result] > 0);
  // What is known to fail is not tried again.
  CHECK(tune_on(device, *open_memory_store(), options, observer).size() == 2);
}

/// The tuning of two problems with an evaluator whose inputs take as long as `estimate_s` says.
TuneSummary tune_in_time(ScriptedEvaluator& evaluator, ConfigStore& store, double budget_s,
                         const std::function<double(std::uint64_t count)>& estimate_s) {
  SilentObserver observer;
  TuneOptions options = quick({sum_over(1000), sum_over(2000)});
  options.budget_s = budget_s;
  options.estimate_preparation_s = [&](const DeviceInfo&, const Workload& workload,
                                       const Workload* largest) {
    return estimate_s(largest == nullptr ? workload.shape[0] : largest->shape[0]);
  };
  Evaluator* const evaluators[] = {&evaluator};
  return tune(evaluators, store, options, observer);
}

TEST_CASE("a problem whose preparation the budget does not leave is not begun") {
  ScriptedEvaluator evaluator([](const Workload&, const Trial&) { return 10.; });
  const auto store = open_memory_store();
  const TuneSummary summary = tune_in_time(
      evaluator, *store, 60, [](std::uint64_t count) { return count == 2000 ? 1000. : 3.; });
  // The inputs of the first are not made for the second, too.
  REQUIRE(evaluator.workloads.size() == 1);
  CHECK(evaluator.workloads[0].shape[0] == 1000);
  // What is left is told with each trial of the screening: a worker takes no longer.
  for (const Trial& trial : evaluator.trials) {
    if (trial.timing == Timing::screening) CHECK((trial.left_s > 0 && trial.left_s <= 60));
  }
  CHECK(evaluator.trials.front().timing == Timing::screening);
  CHECK(summary.results.size() == 1);
  REQUIRE(summary.failures.size() == 1);
  CHECK(summary.failures[0].workload.shape[0] == 2000);
  CHECK(summary.failures[0].reason.find("would take about 1000 s") != std::string::npos);
}

TEST_CASE("no preparation is announced of inputs that do not fit the memory") {
  ScriptedEvaluator evaluator([](const Workload&, const Trial&) { return 10.; });
  evaluator.limit_memory(1 << 20);
  SilentObserver observer;
  TuneOptions options = quick({sum_over(std::uint64_t{1} << 40), sum_over(2000)});
  options.estimate_preparation_s = [](const DeviceInfo&, const Workload&, const Workload* largest) {
    return largest != nullptr && largest->shape[0] > 2000 ? 1e4 : 0.;
  };
  Evaluator* const evaluators[] = {&evaluator};
  tune(evaluators, *open_memory_store(), options, observer);
  CHECK(evaluator.workloads.size() == 2);
  CHECK(observer.preparations == 0);
}

TEST_CASE("a budget that is over at once gives the first problem's default, unless that fails") {
  const auto store = open_memory_store();
  const auto nothing = [](std::uint64_t) { return 0.; };
  ScriptedEvaluator evaluator([](const Workload&, const Trial&) { return 10.; });
  const TuneSummary summary = tune_in_time(evaluator, *store, 0, nothing);
  REQUIRE(summary.results.size() == 1);
  REQUIRE(summary.failures.size() == 1);
  CHECK(summary.failures[0].workload == Workload(sum_over(2000)));
  CHECK(summary.failures[0].reason.starts_with("not begun, since the budget was over"));
  CHECK(evaluator.trials.size() == 1);
  for (const Trial& trial : evaluator.trials) CHECK(trial.left_s == 0);
  CHECK(summary.results[0].best_us == 10);
  CHECK(summary.results[0].default_us == 10);
  REQUIRE(summary.results[0].gain);
  CHECK(summary.results[0].gain->value == 1);
  CHECK(store->best().size() == 1);
  CHECK(store->best().front().measurement.is_default);

  ScriptedEvaluator hanging([](const Workload&, const Trial&) { return 10.; },
                            [](const Trial&) { return Outcome::timeout; });
  const auto other = open_memory_store();
  const TuneSummary unfinished = tune_in_time(hanging, *other, 0, nothing);
  CHECK(unfinished.results.empty());
  REQUIRE(unfinished.failures.size() == 2);
  CHECK(unfinished.failures[0].reason.find("the budget leaves no more. Nothing was stored") !=
        std::string::npos);
  CHECK(hanging.trials.size() == 1);
  // That it did not end in no time is not known of it.
  CHECK(other->measurements().empty());
}

TEST_CASE("all that a revalidation asks for is compared") {
  std::vector<Config> asked;
  const Reduction problem = sum_over(1 << 20);
  for (const Config& params : Space(problem).enumerate()) {
    const bool is_asked = reduce_params(params).final_stage == FinalStage::polling;
    if (is_asked && asked.size() < 20) asked.push_back(params);
  }
  REQUIRE(asked.size() == 20);
  ScriptedEvaluator evaluator([](const Workload&, const Trial&) { return 10.; });
  const auto store = open_memory_store();
  SilentObserver observer;
  TuneOptions options{.workloads = {problem}, .command = "test"};
  options.only = [&](const Workload&) { return asked; };
  Evaluator* const evaluators[] = {&evaluator};
  tune(evaluators, *store, options, observer);
  std::set<std::string> compared;
  for (const Trial& trial : evaluator.trials) {
    if (trial.timing == Timing::comparison) compared.insert(to_json(trial.params));
  }
  CHECK(compared.size() >= 20);
}

TEST_CASE("a request to stop ends the tuning early with everything kept") {
  FakeDevice device({.cost_us = launch_cost});
  const auto store = open_memory_store();
  SilentObserver observer;
  TuneOptions options = quick({sum_over(1 << 16), sum_over(1 << 18)});
  options.budget_s = 1000;
  options.stop_requested = [&] { return observer.last && observer.last->measured >= 5; };
  const auto results = tune_on(device, *store, options, observer);
  CHECK(results.empty());  // the final comparison was not made
  CHECK(store->measurements().size() == 5);
}

TEST_CASE("programs are compiled once for all sizes") {
  FakeDevice device({.cost_us = launch_cost});
  const auto store = open_memory_store();
  SilentObserver observer;
  TuneOptions options = quick({sum_over(1 << 16), sum_over(1 << 17), sum_over(1 << 18)});
  options.max_evaluations = 40;
  tune_on(device, *store, options, observer);
  std::vector<std::string> names;
  for (const Program& program : device.compiled_programs()) {
    names.push_back(program.name_expressions.front());
  }
  std::ranges::sort(names);
  CHECK(std::ranges::adjacent_find(names) == names.end());
  CHECK_FALSE(names.empty());
}

TEST_CASE("the default is measured in the final comparison, whoever wins") {
  FakeDevice device({.cost_us = launch_cost});
  const auto store = open_memory_store();
  SilentObserver observer;
  tune_on(device, *store, quick({sum_over(1 << 16)}), observer);
  int final_defaults = 0;
  for (const StoredResult& result : store->measurements()) {
    final_defaults += result.measurement.is_default && result.measurement.round == 1;
  }
  CHECK(final_defaults == 1);
}

TEST_CASE("what programs use untuned is measured in the final comparison, whoever wins") {
  FakeDevice device({.cost_us = launch_cost});
  const auto store = open_memory_store();
  Reduction like = sum_over(1 << 16);
  like.op = Operator::min;
  Reduction problem = like;
  problem.op = Operator::max;
  const ReduceParams used{.block_size = 1024, .unroll = 1};  // one of the slowest
  test::put_success(*store, device, like, used);
  SilentObserver observer;
  tune_on(device, *store, quick({problem}), observer);
  const auto rows = store->measurements();
  CHECK(std::ranges::any_of(rows, [&](const StoredResult& row) {
    return row.measurement.round == 1 && row.measurement.problem == make_problem_key(problem) &&
           config_from_json(reduce_family(), row.measurement.params) == Config(used);
  }));
}

TEST_CASE("what stores its result once takes part in the final comparison with atomics") {
  // All with atomics are faster than any other, and the default is far behind.
  FakeDevice device({.cost_us = [](const FakeLaunch& launch) {
    if (launch.params.final_stage == FinalStage::atomic) return 10.0;
    return launch.params.unroll == 8 ? 10.3 : 20.0;
  }});
  const auto store = open_memory_store();
  SilentObserver observer;
  Reduction problem = sum_over(1 << 16);
  problem.type = ElementType::i32;
  problem.accumulator = ElementType::i32;
  const auto results = tune_on(device, *store, quick({problem}), observer);
  REQUIRE(results.size() == 1);
  CHECK(best_of(results[0]).final_stage != FinalStage::atomic);
  CHECK(results[0].best_us == Approx(10.3));
}

TEST_CASE("a problem that cannot be is refused before anything is compiled") {
  FakeDevice device;
  const auto store = open_memory_store();
  SilentObserver observer;
  Reduction impossible = sum_over(100);
  impossible.accumulator = ElementType::i32;
  CHECK_THROWS_AS(tune_on(device, *store, quick({impossible}), observer), InvalidArgument);
  CHECK(device.counts().compilations == 0);
  CHECK(store->measurements().empty());
}

TEST_CASE("a problem in a fixed order is tuned with the kernels of its own") {
  FakeDevice device({.cost_us = launch_cost});
  const auto store = open_memory_store();
  SilentObserver observer;
  Reduction problem = sum_over(1 << 16);
  problem.determinism = Determinism::config_independent;
  const auto results = tune_on(device, *store, quick({problem}), observer);
  REQUIRE(results.size() == 1);
  CHECK(results[0].failed == 0);
  CHECK(best_of(results[0]).block_size == 128);
  CHECK(Space(problem).contains(results[0].best));
  const Choice choice = choose_config(store.get(), device.info().record,
                                      device.compiler().version(), sum_over(1 << 16));
  CHECK_FALSE(choice.match);
}

/// To the fake device, the sum of the first input.
Reduction custom_of(std::uint64_t count, double tolerance) {
  Reduction problem = make_reduction({.name = "weighted",
                                      .inputs = {ElementType::f32, ElementType::u8},
                                      .map = "x * y",
                                      .tolerance = tolerance});
  problem.count = count;
  return problem;
}

TEST_CASE("a custom operator is tuned, and found by its expressions") {
  FakeDevice device({.cost_us = launch_cost});
  const auto store = open_memory_store();
  SilentObserver observer;
  const Reduction problem = custom_of(100'000, 1e-3);
  const auto results = tune_on(device, *store, quick({problem}), observer);
  REQUIRE(results.size() == 1);
  CHECK(results[0].failed == 0);
  CHECK(best_of(results[0]).block_size == 128);
  CHECK(best_of(results[0]).unroll == 8);
  CHECK(results[0].gbps == Approx(100'000 * (4 + 1) / 10. / 1e3));
  const Choice choice =
      choose_config(store.get(), device.info().record, device.compiler().version(), problem);
  REQUIRE(choice.match.has_value());
  CHECK(choice.params == results[0].best);
}

TEST_CASE("a custom operator's results must agree with the plainest variant's") {
  FakeDevice device({.cost_us = launch_cost, .fault = [](const ReduceParams& params) {
                       return params.block_size == 512 ? Fault::wrong_result : Fault::none;
                     }});
  const auto store = open_memory_store();
  SilentObserver observer;
  const auto results = tune_on(device, *store, quick({custom_of(1 << 16, 1e-3)}), observer);
  REQUIRE(results.size() == 1);
  CHECK(results[0].failed > 0);
  for (const StoredResult& result : store->measurements()) {
    const MeasurementRecord& record = result.measurement;
    const Config params = config_from_json(reduce_family(), record.params);
    const bool is_wrong = reduce_params(params).block_size == 512;
    CHECK(record.outcome == (is_wrong ? Outcome::wrong_result : Outcome::ok));
    if (is_wrong) CHECK(record.failure.starts_with("the plainest variant gives "));
  }
}

TEST_CASE("a custom operator's tolerance is how far two results may be apart") {
  FakeDevice device({.cost_us = launch_cost, .fault = [](const ReduceParams& params) {
                       return params.block_size == 512 ? Fault::wrong_result : Fault::none;
                     }});
  const auto store = open_memory_store();
  SilentObserver observer;
  // Two numbers of different signs are apart by no more than twice the larger one.
  const auto results = tune_on(device, *store, quick({custom_of(1 << 16, 2)}), observer);
  REQUIRE(results.size() == 1);
  CHECK(results[0].failed == 0);
}

/// The tuning of three problems, of which `fail` is called for the second.
TuneSummary tune_with_failure(const std::function<void()>& fail, SilentObserver& observer) {
  test::ScriptedEvaluator evaluator([](const Workload&, const Trial&) { return 10.; });
  evaluator.on_workload = [&](const Workload& workload) {
    if (workload.shape[0] == 2000) fail();
  };
  const auto store = open_memory_store();
  Evaluator* const evaluators[] = {&evaluator};
  TuneOptions options = quick({sum_over(1000), sum_over(2000), sum_over(3000)});
  options.max_evaluations = 4;
  return tune(evaluators, *store, options, observer);
}

TEST_CASE("a problem that cannot be begun is reported, and the next one is tuned") {
  const auto fail = GENERATE(std::function<void()>([] { throw OutOfMemory("why"); }),
                             std::function<void()>([] { throw DeviceError("why"); }),
                             std::function<void()>([] { throw CompileError("why"); }));
  SilentObserver observer;
  const TuneSummary summary = tune_with_failure(fail, observer);
  REQUIRE(summary.results.size() == 2);
  CHECK(summary.results[0].workload.shape[0] == 1000);
  CHECK(summary.results[1].workload.shape[0] == 3000);
  REQUIRE(summary.failures.size() == 1);
  CHECK(summary.failures[0].workload.shape[0] == 2000);
  CHECK(summary.failures[0].reason == "why");
  CHECK(observer.results == 2);
  CHECK(observer.failures == 1);
}

TEST_CASE("without the device the tuning ends") {
  SilentObserver observer;
  CHECK_THROWS_AS(tune_with_failure([] { throw Unavailable("it is gone"); }, observer),
                  Unavailable);
  CHECK(observer.results == 1);
  CHECK(observer.failures == 0);
}

/// Compiles everything, and knows what it was asked for.
class RecordingCompiler final : public Compiler {
 public:
  const std::string& version() const override { return version_; }

  CompiledKernel compile(const Program& program) const override {
    const std::lock_guard lock(mutex_);
    names_ += program.name_expressions.front();
    changed_.notify_all();
    return {.image = "image", .lowered_names = program.name_expressions};
  }

  /// Whether it was asked for a kernel with `text` in its name, now or soon.
  bool was_asked_for(const std::string& text) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20),
                             [&] { return names_.find(text) != std::string::npos; });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable std::string names_;
  std::string version_ = "recording 1.0";
};

class CompilingEvaluator final : public ScriptedEvaluator {
 public:
  using ScriptedEvaluator::ScriptedEvaluator;
  const Compiler* compiler() override { return &recording; }

  RecordingCompiler recording;
};

TEST_CASE("the next problem's programs are compiled while this one is measured") {
  CompilingEvaluator evaluator([](const Workload&, const Trial&) { return 1.0; });
  const Reduction next{.op = Operator::max, .count = 1000};
  class Observer final : public SilentObserver {
   public:
    explicit Observer(const RecordingCompiler& compiler) : compiler_(compiler) {}
    void on_result(const ProblemResult&) override {
      if (results++ == 0) was_ahead = compiler_.was_asked_for("Max");
    }
    bool was_ahead = false;

   private:
    const RecordingCompiler& compiler_;
  } observer(evaluator.recording);
  const auto store = open_memory_store();
  Evaluator* const evaluators[] = {&evaluator};
  TuneOptions options = quick({sum_over(1000), next});
  options.max_evaluations = 4;
  tune(evaluators, *store, options, observer);
  CHECK(observer.results == 2);
  CHECK(observer.was_ahead);
}

/// Ends no compilation until it is told to stop.
class HangingCompiler final : public Compiler {
 public:
  const std::string& version() const override { return version_; }

  CompiledKernel compile(const Program&) const override {
    ++begun;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, before = stops_] { return stops_ != before; });
    throw CompileError("stopped");
  }
  void stop_compilations() const override {
    const std::lock_guard lock(mutex_);
    ++stops_;
    changed_.notify_all();
  }

  mutable std::atomic<int> begun = 0;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable int stops_ = 0;
  std::string version_ = "hanging 1.0";
};

class HangingEvaluator final : public ScriptedEvaluator {
 public:
  using ScriptedEvaluator::ScriptedEvaluator;
  const Compiler* compiler() override { return &hanging; }

  HangingCompiler hanging;
};

TEST_CASE("a compiler that hangs ends the tuning, whatever the budget, and is told") {
  HangingEvaluator evaluator([](const Workload&, const Trial&) { return 1.0; });
  const auto store = open_memory_store();
  SilentObserver observer;
  Evaluator* const evaluators[] = {&evaluator};
  TuneOptions options = quick({sum_over(1000), sum_over(2000)});
  options.first_compile_s = 0.2;
  SECTION("without a budget") {}
  SECTION("with one that leaves more") { options.budget_s = 600; }
  SECTION("with one that is over") { options.budget_s = 0.01; }
  CHECK_THROWS_WITH(tune(evaluators, *store, options, observer),
                    Catch::Matchers::ContainsSubstring("compiling its first configuration with "
                                                       "scripted 1.0 did not end within"));
  CHECK(evaluator.workloads.size() == 1);
  CHECK(evaluator.trials.empty());
}

TEST_CASE("a tuning that is to stop waits for no compiler") {
  HangingEvaluator evaluator([](const Workload&, const Trial&) { return 1.0; });
  const auto store = open_memory_store();
  SilentObserver observer;
  Evaluator* const evaluators[] = {&evaluator};
  TuneOptions options = quick({sum_over(1000)});
  options.stop_requested = [&] { return evaluator.hanging.begun > 0; };
  CHECK(tune(evaluators, *store, options, observer).results.empty());
}

TEST_CASE("tuning frees all device memory") {
  FakeDevice device({.cost_us = launch_cost});
  const auto store = open_memory_store();
  SilentObserver observer;
  tune_on(device, *store, quick({sum_over(1 << 16)}), observer);
  CHECK(device.counts().live_allocations == 0);
}

}  // namespace
}  // namespace foldtune
