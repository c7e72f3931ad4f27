// Which results are stale, and what a revalidation tries.
#include "tuner/session/stale.h"

#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/tuner/scripted_evaluator.h"
#include "tests/tuner/tune_on.h"
#include "tests/tuner/tuned_database.h"
#include "tuner/session/problem_history.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

PresentDevice present() { return {.record = run_on().device, .compiler = run_on().compiler}; }

RunRecord run_of(const std::string& driver, const std::string& compiler = "nvrtc 13.0") {
  RunRecord run = run_on();
  run.device.driver = driver;
  run.compiler = compiler;
  return run;
}

StoredResult result_of(const RunRecord& run, const MeasurementRecord& measurement,
                       const std::string& time = "2026-01-31T12:00:00Z") {
  return {.measurement = measurement, .run = run, .measured_at = time};
}

TEST_CASE("Stale are results of another driver or compiler, until something is chosen anew") {
  const MeasurementRecord chosen = success(sum_of(1 << 20), with_block_size(64), {4}, kChosen);
  const StoredResult old = result_of(run_of("570.1"), chosen);
  const StoredResult older =
      result_of(run_of("570.1", "nvrtc 12.9"), chosen, "2025-01-31T12:00:00Z");
  CHECK(find_stale({result_of(run_of("580.1"), chosen)}, present()).problems.empty());

  const auto both = find_stale({older, old}, present()).problems;
  REQUIRE(both.size() == 1);
  CHECK(both[0].workload.shape[0] == 1 << 20);
  REQUIRE(both[0].stale.size() == 2);
  CHECK(both[0].stale[0].run.compiler == "nvrtc 13.0");

  CHECK(find_stale({old, result_of(run_of("580.1"), chosen)}, present()).problems.empty());

  StoredResult imported = result_of(run_of("580.1"), chosen);
  imported.imported_from = "theirs.json";
  CHECK(find_stale({imported}, present()).problems.size() == 1);
}

TEST_CASE("Stale is nothing of another device or of other kernels, and no custom operator") {
  const MeasurementRecord chosen = success(sum_of(1 << 20), with_block_size(64), {4}, kChosen);
  MeasurementRecord measured = chosen;
  RunRecord run = run_of("570.1");
  SECTION("another device") { run.device.multiprocessor_count += 1; }
  SECTION("other kernels") { measured.template_fingerprint = "others"; }
  CHECK(find_stale({result_of(run, measured)}, present()).problems.size() ==
        (run == run_of("570.1") && measured == chosen ? 1 : 0));

  MeasurementRecord custom = chosen;
  custom.problem.problem = "op=mine:0123456789abcdef type=f32 accumulator=f32 result=f32";
  const StaleResults found = find_stale({result_of(run_of("570.1"), custom)}, present());
  CHECK(found.problems.empty());
  CHECK(found.unreadable.size() == 1);

  MeasurementRecord foreign = chosen;
  foreign.problem.family = "mine";
  foreign.template_fingerprint = "theirs";
  CHECK(find_stale({result_of(run_of("570.1"), foreign)}, present()).unknown_families ==
        std::vector<std::string>{"mine"});
}

TEST_CASE("A revalidation tries the default and what is stale, and nothing else") {
  ScriptedEvaluator evaluator(
      [](const Workload&, const Trial& trial) {
        return reduce_params(trial.params).block_size == 64 ? 4. : 9.;
      },
      nullptr);
  const auto store = open_memory_store();
  RunRecord run{.device = evaluator.info().record,
                .compiler = "of before",
                .foldtune_version = "0",
                .command = "test"};
  const Reduction problem = sum_of(1 << 20);
  const auto id = store->begin_run(run);
  const Config stale =
      Space(problem).canonical(ReduceParams{.block_size = 64, .vector_width = 4, .unroll = 8},
                               evaluator.info().record.multiprocessor_count);
  store->put(id, success(problem, stale, {5}, kChosen));
  // What a search would try as well.
  store->put(id, success(sum_of(1 << 18), with_block_size(1024), {5}, kChosen));

  const StaleResults found =
      find_stale(store->best(), {evaluator.info().record, evaluator.compiler_version()});
  REQUIRE(found.problems.size() == 2);
  const std::vector<StaleProblem> one{found.problems[1]};
  REQUIRE(one[0].workload.shape[0] == problem.count);
  CHECK(candidates_of(one[0]).size() == 1);
  const TuneOptions options{.workloads = {problem},
                            .only = [&](const Workload&) { return candidates_of(one[0]); },
                            .command = "test"};
  SilentObserver observer;
  Evaluator* const evaluators[] = {&evaluator};
  const TuneSummary summary = tune(evaluators, *store, options, observer);
  REQUIRE(summary.results.size() == 1);
  CHECK(summary.results[0].best == stale);
  CHECK(summary.results[0].measured == 2);
  CHECK(find_stale(store->best(), {evaluator.info().record, evaluator.compiler_version()})
            .problems.size() == 1);
}

TEST_CASE("What programs use is replaced by nothing that it was not compared with") {
  const Reduction problem = sum_of(1 << 20);
  ScriptedEvaluator evaluator([](const Workload&, const Trial&) { return 9.; }, nullptr);
  RunRecord run{.device = evaluator.info().record,
                .compiler = "of before",
                .foldtune_version = "0",
                .command = "test"};
  const Config used =
      Space(problem).canonical(ReduceParams{.block_size = 64, .vector_width = 4, .unroll = 8},
                               evaluator.info().record.multiprocessor_count);
  const auto store = open_memory_store();
  store->put(store->begin_run(run), success(problem, used, {5}, kChosen));
  SilentObserver observer;
  Evaluator* const evaluators[] = {&evaluator};
  TuneOptions options{.workloads = {problem}, .command = "test"};
  const bool is_revalidation = GENERATE(false, true);
  if (is_revalidation) options.only = [&](const Workload&) { return std::vector{used}; };
  const auto in_use = [&] {
    return choose_config(store.get(), run.device, evaluator.compiler_version(), problem).params;
  };

  if (GENERATE(false, true)) options.budget_s = 0;  // which leaves time for one alone
  if (!is_revalidation) options.max_evaluations = GENERATE(1, 2, 10);
  // As fast as the default: nothing speaks for a change.
  const TuneSummary summary = tune(evaluators, *store, options, observer);
  REQUIRE(summary.results.size() == 1);
  CHECK(summary.results[0].best == used);
  CHECK(in_use() == used);
}

}  // namespace
}  // namespace foldtune::test
