#include "tuner/tune_on_miss.h"

#include <mutex>
#include <utility>

#include "cache/store_error.h"
#include "foldtune/error.h"
#include "tuner/device_evaluator.h"
#include "tuner/tuner.h"

namespace foldtune {
namespace {

class Silent final : public TuneObserver {
 public:
  void on_start(double) override {}
  void on_progress(const TuneProgress&) override {}
  void on_result(const ProblemResult&) override {}
  void on_failure(const ProblemFailure&) override {}
};

/// Shared by the copies of the function.
class OnMissTuner {
 public:
  using Open = std::function<std::pair<std::shared_ptr<Device>, std::shared_ptr<ConfigStore>>()>;

  OnMissTuner(Open open, const TuneOnMissOptions& options)
      : open_(std::move(open)), options_(options) {}

  std::string tune(const Problem& problem) {
    const std::lock_guard lock(mutex_);
    try {
      if (device_ == nullptr) std::tie(device_, store_) = open_();
      const TuneOptions options{.problems = {problem},
                                .effort = options_.effort,
                                .budget_s = options_.budget_s,
                                .command = "tune_on_miss"};
      DeviceEvaluator evaluator(*device_, options.seed);
      Evaluator* const evaluators[] = {&evaluator};
      Silent observer;
      const TuneSummary summary = foldtune::tune(evaluators, *store_, options, observer);
      return summary.results.empty() ? std::string() : to_json(summary.results.front().best);
    } catch (const StoreError& error) {
      throw DatabaseError(error.what());
    }
  }

 private:
  const Open open_;
  const TuneOnMissOptions options_;
  std::mutex mutex_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<ConfigStore> store_;
};

MissPolicy make_policy(OnMissTuner::Open open, const TuneOnMissOptions& options) {
  const auto tuner = std::make_shared<OnMissTuner>(std::move(open), options);
  return {.action = OnMiss::tune,
          .tune = [tuner](const Problem& problem) { return tuner->tune(problem); }};
}

}  // namespace

MissPolicy tune_on_miss(std::shared_ptr<Device> device, std::shared_ptr<ConfigStore> store,
                        const TuneOnMissOptions& options) {
  return make_policy(
      [device = std::move(device), store = std::move(store)] { return std::pair(device, store); },
      options);
}

MissPolicy tune_on_miss(const std::string& device, const std::string& database,
                        const TuneOnMissOptions& options) {
  return make_policy(
      [=] {
        std::shared_ptr<ConfigStore> store = open_sqlite_store(
            database.empty() ? default_database_path() : database, OpenMode::read_write);
        return std::pair(std::shared_ptr<Device>(open_device(device)), std::move(store));
      },
      options);
}

}  // namespace foldtune
