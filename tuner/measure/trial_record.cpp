#include "tuner/measure/trial_record.h"

#include <utility>

#include "runtime/lookup/lookup.h"

namespace foldtune {

MeasurementRecord failed_trial(const Workload& workload, const Trial& trial, Outcome outcome,
                               std::string reason) {
  MeasurementRecord record;
  record.problem = make_problem_key(workload);
  record.shape = to_text(workload.problem.family(), workload.shape);
  record.bytes = input_bytes(workload);
  record.params = to_json(trial.params);
  if (trial.compiled != nullptr) record.compile_ms = trial.compiled->compile_ms;
  record.outcome = outcome;
  record.failure = std::move(reason);
  return record;
}

}  // namespace foldtune
