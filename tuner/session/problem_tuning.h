/// The tuning of one problem on one evaluator.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "cache/config_store.h"
#include "tuner/measure/compile_pool.h"
#include "tuner/measure/evaluator.h"
#include "tuner/search/candidates.h"
#include "tuner/session/tuner.h"

namespace foldtune {

/// A run as the store knows it.
struct Run {
  ConfigStore::RunId id = 0;
  RunRecord record;
};

struct ProblemTask {
  Workload workload;
  Workload largest;                  ///< as Evaluator::set_workload takes it
  std::size_t index = 0;             ///< of the workload, in the list
  bool is_first = true;              ///< on its evaluator: begun whatever the budget
  bool has_inputs = false;           ///< made for the problem before, on the same evaluator
  std::optional<Workload> next;      ///< after this one, on the same evaluator
  std::optional<double> deadline_s;  ///< of the session's elapsed time
};

/// What the tunings of a list of problems share.
struct TuningSession {
  const TuneOptions& options;
  ConfigStore& store;
  CompilePool* compilations = nullptr;  ///< null where the evaluators need no compiler
  /// The run in the store, begun at the first call.
  std::function<const Run&(const Evaluator& evaluator)> run;
  std::function<void(const TuneProgress& progress)> report;
  std::function<void(const Workload& workload, double seconds)> report_preparing;
  std::function<double()> elapsed_s;
  /// What searches choose from; made once for each problem.
  std::function<std::shared_ptr<const Candidates>(const ProblemTask& task)> candidates;
  /// Called once, when a problem asks for no more programs.
  std::function<void()> prefetch_later;
  /// Called once, before the best are compared: the next problem's seeds are known then.
  std::function<void()> prefetch_next;
};

struct ProblemOutcome {
  std::optional<ProblemResult> result{};    ///< empty: nothing could be measured
  std::optional<ProblemFailure> failure{};  ///< why nothing could even be tried
  double busy_s = 0;                        ///< in which the evaluator was in use
  double waited_s = 0;                      ///< in which it waited for the compiler
  std::optional<Workload> prepared{};       ///< what its inputs were made for, if they were
};

ProblemOutcome tune_problem(Evaluator& evaluator, const TuningSession& session,
                            const ProblemTask& task);

/// Has compiled what the problem's tuning will probably begin with, so that the evaluator need not
/// wait for it.
void prefetch_programs(Evaluator& evaluator, const TuningSession& session, const ProblemTask& task);

}  // namespace foldtune
