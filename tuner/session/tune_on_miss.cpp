#include "tuner/session/tune_on_miss.h"

#include <mutex>
#include <utility>

#include "cache/store_error.h"
#include "foldtune/error.h"
#include "tuner/measure/device_evaluator.h"
#include "tuner/session/tuner.h"

namespace foldtune {
namespace {

/// Shared by the copies of the function.
class OnMissTuner {
 public:
  OnMissTuner(std::shared_ptr<Device> device, std::shared_ptr<ConfigStore> store,
              const TuneOnMissOptions& options)
      : device_(std::move(device)), store_(std::move(store)), options_(options) {}

  std::string tune(const Problem& problem) {
    const std::lock_guard lock(mutex_);
    try {
      const TuneOptions options{.problems = {problem},
                                .effort = options_.effort,
                                .budget_s = options_.budget_s,
                                .command = "tune_on_miss"};
      DeviceEvaluator evaluator(*device_, options.seed);
      Evaluator* const evaluators[] = {&evaluator};
      TuneObserver nobody;
      const TuneSummary summary = foldtune::tune(evaluators, *store_, options, nobody);
      return summary.results.empty() ? std::string() : to_json(summary.results.front().best);
    } catch (const StoreError& error) {
      throw DatabaseError(error.what());
    }
  }

 private:
  const std::shared_ptr<Device> device_;
  const std::shared_ptr<ConfigStore> store_;
  const TuneOnMissOptions options_;
  std::mutex mutex_;
};

}  // namespace

MissPolicy tune_on_miss(std::shared_ptr<Device> device, std::shared_ptr<ConfigStore> store,
                        const TuneOnMissOptions& options) {
  const auto tuner = std::make_shared<OnMissTuner>(std::move(device), std::move(store), options);
  return {.action = OnMiss::tune,
          .tune = [tuner](const Problem& problem) { return tuner->tune(problem); }};
}

}  // namespace foldtune
