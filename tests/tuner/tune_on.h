/// Tuning on a device of the test's own process.
#pragma once

#include <optional>
#include <vector>

#include "tuner/measure/device_evaluator.h"
#include "tuner/session/tuner.h"

namespace foldtune::test {

/// Hears, and says nothing.
class SilentObserver : public TuneObserver {
 public:
  void on_start(double) override { ++starts; }
  void on_preparing(const Workload&, double) override { ++preparations; }
  void on_progress(const TuneProgress& progress) override { last = progress; }
  void on_result(const ProblemResult&) override { ++results; }
  void on_failure(const ProblemFailure&) override { ++failures; }

  int starts = 0;
  int preparations = 0;
  int results = 0;
  int failures = 0;
  std::optional<TuneProgress> last{};
};

inline std::vector<ProblemResult> tune_on(Device& device, ConfigStore& store,
                                          const TuneOptions& options, TuneObserver& observer) {
  DeviceEvaluator evaluator(device, options.seed);
  Evaluator* const evaluators[] = {&evaluator};
  return tune(evaluators, store, options, observer).results;
}

}  // namespace foldtune::test
