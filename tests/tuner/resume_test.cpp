// What a second tuning makes of what a first one left, and how problems are shared.
#include <cmath>
#include <set>

#include "cache/columns.h"
#include "cache/intake.h"
#include "runtime/lookup/lookup.h"
#include "templates/fingerprint.h"
#include "templates/reduce/space.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"
#include "tests/tuner/scripted_evaluator.h"
#include "tests/tuner/tune_on.h"
#include "tuner/session/problem_history.h"

namespace foldtune {
namespace {

using test::ScriptedEvaluator;
using test::SilentObserver;

Reduction sum_of(std::uint64_t count) { return {.count = count}; }

/// Best at unroll 8 with 128 threads; different everywhere.
double config_cost(const Config& params) {
  const auto& reduce = reduce_params(params);
  const double ripple =
      static_cast<double>(std::hash<std::string>{}(to_json(params)) % 1000) * 1e-6;
  return 10 + std::abs(std::log2(reduce.unroll) - 3) + std::abs(std::log2(reduce.block_size) - 7) +
         ripple;
}

ScriptedEvaluator scripted(ScriptedEvaluator::Outcomes outcome = nullptr) {
  return ScriptedEvaluator(
      [](const Workload&, const Trial& trial) { return config_cost(trial.params); },
      std::move(outcome));
}

TuneOptions options_for(std::vector<Workload> workloads) {
  return {.workloads = std::move(workloads), .command = "test"};
}

TuneSummary tune_with(std::vector<Evaluator*> evaluators, ConfigStore& store,
                      const TuneOptions& options) {
  SilentObserver observer;
  return tune(evaluators, store, options, observer);
}

std::multiset<std::string> screened(const ScriptedEvaluator& evaluator) {
  std::multiset<std::string> result;
  for (const Trial& trial : evaluator.trials) {
    if (trial.timing == Timing::screening) result.insert(to_json(trial.params));
  }
  return result;
}

Config chosen(const ConfigStore& store, ScriptedEvaluator& evaluator, const Reduction& problem) {
  const Choice choice =
      choose_config(&store, evaluator.info().record, evaluator.compiler_version(), problem);
  REQUIRE(choice.match.has_value());
  return choice.params;
}

/// What an import of this run with one measurement adds.
void import_into(const std::string& file, const RunRecord& run, const MeasurementRecord& m) {
  StoredResult row{.measurement = m,
                   .run = run,
                   .measured_at = "2026-01-31T12:00:00Z",
                   .imported_from = "theirs.json",
                   .started_at = "2026-01-31T12:00:00Z",
                   .device_fingerprint = run.device.fingerprint()};
  Intake(file).add({{.result = row, .fault = ""}});
}

TEST_CASE("Tuning begins with what another device chose for the problem, with other kernels, too") {
  ScriptedEvaluator evaluator = scripted([](const Trial&) { return Outcome::ok; });
  const Reduction problem = sum_of(1 << 20);
  const Config best = ReduceParams{.block_size = 128, .vector_width = 4, .unroll = 8};
  RunRecord run{.device = evaluator.info().record,
                .compiler = evaluator.compiler_version(),
                .foldtune_version = "0",
                .command = "test"};
  run.device.name = "Another";
  const auto store = open_memory_store();
  store->put(store->begin_run(run), {.problem = make_problem_key(problem),
                                     .template_fingerprint = "others",
                                     .shape = std::to_string(problem.count),
                                     .bytes = problem.input_bytes(),
                                     .params = to_json(best),
                                     .round = kChosen,
                                     .samples_us = {1},
                                     .median_us = 1});
  TuneOptions options = options_for({problem});
  options.max_evaluations = 4;
  CHECK(tune_with({&evaluator}, *store, options).results.size() == 1);
  CHECK(std::ranges::count(evaluator.trials, best, &Trial::params) > 0);
}

TEST_CASE("Resume: what was imported is a first guess, and nothing that is done or known") {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  ScriptedEvaluator evaluator = scripted([](const Trial&) { return Outcome::ok; });
  const Reduction problem = sum_of(1 << 20);
  const RunRecord run{.device = evaluator.info().record,
                      .compiler = evaluator.compiler_version(),
                      .foldtune_version = "0",
                      .command = "test"};
  const Config best = ReduceParams{.block_size = 128, .vector_width = 4, .unroll = 8};
  MeasurementRecord made_up{.problem = make_problem_key(problem),
                            .template_fingerprint = kernel_fingerprint(problem),
                            .shape = std::to_string(problem.count),
                            .bytes = problem.input_bytes(),
                            .params = to_json(best),
                            .round = kMostRound,
                            .samples_us = {1},
                            .median_us = 1};
  import_into(file, run, made_up);
  made_up.params = R"({"not":"ours"})";
  import_into(file, run, made_up);
  const auto store = open_sqlite_store(file, OpenMode::read_write);
  TuneOptions options = options_for({problem});
  options.max_evaluations = 4;
  for (int again = 0; again < 2; ++again) {
    const TuneSummary tuned = tune_with({&evaluator}, *store, options);
    REQUIRE(tuned.results.size() == 1);
    CHECK(tuned.results[0].best_us >= 10);
    CHECK(std::ranges::count(evaluator.trials, best, &Trial::params) > 0);
    CHECK(choose_config(store.get(), evaluator.info().record, evaluator.compiler_version(), problem)
              .match->imported_from.empty());
    options.resume = false;
  }
}

TEST_CASE("Resume: a choice whose round is the highest that there can be is replaced, too") {
  const auto store = open_memory_store();
  ScriptedEvaluator evaluator = scripted();
  const Reduction problem = sum_of(1 << 20);
  TuneOptions options = options_for({problem});
  options.max_evaluations = 4;
  tune_with({&evaluator}, *store, options);
  const StoredResult first = store->best().front();
  MeasurementRecord last = first.measurement;
  last.round = kMostRound;
  store->put(store->begin_run(first.run), last);
  options.resume = false;
  CHECK(tune_with({&evaluator}, *store, options).results.size() == 1);
}

TEST_CASE("Resume: a problem that is done is not tuned again, unless that is asked for") {
  const auto store = open_memory_store();
  ScriptedEvaluator first = scripted();
  const TuneSummary tuned = tune_with({&first}, *store, options_for({sum_of(1 << 20)}));
  REQUIRE(tuned.results.size() == 1);

  ScriptedEvaluator second = scripted();
  const TuneSummary again = tune_with({&second}, *store, options_for({sum_of(1 << 20)}));
  CHECK(second.trials.empty());
  REQUIRE(again.results.size() == 1);
  CHECK(again.results[0].best == tuned.results[0].best);
  CHECK(again.results[0].best_us == tuned.results[0].best_us);
  CHECK(again.results[0].default_us == tuned.results[0].default_us);
  CHECK(again.results[0].known > 0);

  ScriptedEvaluator third = scripted();
  TuneOptions from_scratch = options_for({sum_of(1 << 20)});
  from_scratch.resume = false;
  tune_with({&third}, *store, from_scratch);
  CHECK(screened(third).size() == screened(first).size());
}

TEST_CASE("Resume: another count of the same size class is another problem") {
  const auto store = open_memory_store();
  ScriptedEvaluator first = scripted();
  tune_with({&first}, *store, options_for({sum_of(1 << 20)}));
  ScriptedEvaluator second = scripted();
  tune_with({&second}, *store, options_for({sum_of((1 << 20) + 4)}));
  CHECK_FALSE(screened(second).empty());
}

TEST_CASE("Resume: a tuning that was stopped goes on where it was, and ends as it would have") {
  ScriptedEvaluator whole = scripted();
  const auto uninterrupted = open_memory_store();
  tune_with({&whole}, *uninterrupted, options_for({sum_of(1 << 20)}));

  for (const std::size_t stop_after : {1U, 10U, 30U, 63U}) {
    const auto store = open_memory_store();
    ScriptedEvaluator stopped = scripted();
    TuneOptions options = options_for({sum_of(1 << 20)});
    options.stop_requested = [&] { return stopped.trials.size() >= stop_after; };
    CHECK(tune_with({&stopped}, *store, options).results.empty());
    CHECK(store->measurements().size() == stop_after);

    ScriptedEvaluator resumed = scripted();
    const TuneSummary summary = tune_with({&resumed}, *store, options_for({sum_of(1 << 20)}));
    REQUIRE(summary.results.size() == 1);
    CHECK(summary.results[0].known > 0);
    std::multiset<std::string> all = screened(stopped);
    all.merge(screened(resumed));
    CHECK(std::set<std::string>(all.begin(), all.end()).size() == all.size());
    CHECK(chosen(*store, resumed, sum_of(1 << 20)) ==
          chosen(*uninterrupted, whole, sum_of(1 << 20)));
  }
}

TEST_CASE("Resume: known failures are not repeated") {
  const auto fails = [](const Trial& trial) {
    switch (reduce_params(trial.params).block_size) {
      case 64:
        return Outcome::crashed;
      case 512:
        return Outcome::timeout;
      default:
        return Outcome::ok;
    }
  };
  const auto store = open_memory_store();
  ScriptedEvaluator first = scripted(fails);
  TuneOptions options = options_for({sum_of(1 << 20)});
  options.max_evaluations = 100;
  tune_with({&first}, *store, options);
  std::set<std::string> failed;
  for (const Trial& trial : first.trials) {
    if (fails(trial) != Outcome::ok) failed.insert(to_json(trial.params));
  }
  REQUIRE_FALSE(failed.empty());

  options.max_evaluations = 300;
  ScriptedEvaluator second = scripted(fails);
  const TuneSummary summary = tune_with({&second}, *store, options);
  for (const Trial& trial : second.trials) {
    CAPTURE(to_json(trial.params), trial.timing == Timing::screening);
    CHECK_FALSE(failed.contains(to_json(trial.params)));
  }
  REQUIRE(summary.results.size() == 1);
  CHECK(summary.results[0].failed >= static_cast<int>(failed.size()));
  CHECK(fails({.params = summary.results[0].best, .compiled = nullptr}) == Outcome::ok);
}

TEST_CASE("Resume: what lacked memory is not stored, and tried again") {
  const auto store = open_memory_store();
  const TuneOptions options = options_for({sum_of(1 << 20)});
  ScriptedEvaluator first = scripted([](const Trial&) { return Outcome::out_of_memory; });
  CHECK(tune_with({&first}, *store, options).results.empty());
  CHECK_FALSE(first.trials.empty());
  const TuningKey key =
      make_tuning_key(first.info().record, first.compiler_version(), sum_of(1 << 20));
  CHECK(store->measurements_of(key).empty());
  ScriptedEvaluator second = scripted();
  const TuneSummary summary = tune_with({&second}, *store, options);
  REQUIRE(summary.results.size() == 1);
  CHECK(summary.results[0].known == 0);
}

TEST_CASE("A later choice is what the look-up finds, though an earlier one was faster") {
  const auto store = open_memory_store();
  ScriptedEvaluator first = scripted();
  TuneOptions options = options_for({sum_of(1 << 20)});
  tune_with({&first}, *store, options);
  // Everything has become slower, and small blocks best.
  ScriptedEvaluator second([](const Workload&, const Trial& trial) {
    return 50 + config_cost(trial.params) +
           std::abs(std::log2(reduce_params(trial.params).block_size) - 5) * 8;
  });
  options.resume = false;
  const TuneSummary summary = tune_with({&second}, *store, options);
  REQUIRE(summary.results.size() == 1);
  CHECK(reduce_params(summary.results[0].best).block_size == 32);
  CHECK(chosen(*store, second, sum_of(1 << 20)) == summary.results[0].best);
}

TEST_CASE("Several evaluators share the problems, each of which is tuned once") {
  const auto store = open_memory_store();
  ScriptedEvaluator one = scripted();
  ScriptedEvaluator two = scripted();
  std::vector<Workload> problems;
  for (int exponent = 10; exponent < 22; ++exponent) problems.push_back(sum_of(1 << exponent));
  const TuneSummary summary = tune_with({&one, &two}, *store, options_for(problems));
  CHECK(summary.results.size() == problems.size());
  std::multiset<std::uint64_t> counts;
  for (const ScriptedEvaluator* evaluator : {&one, &two}) {
    for (const Workload& workload : evaluator->workloads) counts.insert(workload.shape[0]);
  }
  CHECK(counts.size() == problems.size());
  CHECK(std::set<std::uint64_t>(counts.begin(), counts.end()).size() == problems.size());
}

TEST_CASE("An exhaustive effort tries every configuration") {
  const auto store = open_memory_store();
  ScriptedEvaluator evaluator = scripted();
  TuneOptions options = options_for({sum_of(1 << 12)});
  options.effort = Effort::exhaustive;
  tune_with({&evaluator}, *store, options);
  const Space space(sum_of(1 << 12));
  std::size_t wanted = 0;
  for (const Config& params : space.enumerate()) wanted += !space.is_redundant(params, 132);
  CHECK(screened(evaluator).size() == wanted);
}

}  // namespace
}  // namespace foldtune
