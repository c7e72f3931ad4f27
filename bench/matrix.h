/// Measures cases at all sizes and in all manners, one cell after another.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bench/contender.h"
#include "bench/options.h"
#include "bench/report.h"
#include "cache/config_store.h"
#include "tuner/measure/measure.h"

namespace foldtune::bench {

/// Not thread-safe. What fails for one contender is a fault in the report; only a device that
/// cannot be used any more throws.
class Matrix {
 public:
  /// Called after each size of a case, when the report has grown.
  using Progress = std::function<void(const Report& report)>;

  /// `run` is the report's only one; what is measured of the device is added to it. The options
  /// must outlive the matrix.
  Matrix(const std::shared_ptr<Device>& device, const Options& options, Run run, Progress progress);

  /// All sizes of a case; those that the budget leaves no time for are in the report as not run.
  void measure(const Case& one);

  const Report& report() const { return report_; }

 private:
  using Clock = std::chrono::steady_clock;

  /// One size of a case.
  struct Work {
    Workload workload;
    Cell cell;  ///< without a manner
  };

  bool is_over_budget() const;
  void make_pool(const Workload& largest);
  void measure_limits();
  void compile(const std::vector<Work>& works);
  void measure(const Work& work);
  bool has_yardstick(const Workload& workload) const;
  std::vector<Contender> make_contenders(const Work& work);
  void time_all(Measurer& measurer, std::span<const Contender> contenders, const Work& work);
  void add_not_run(const Cell& cell);
  void add_fault(const Cell& cell, std::string_view contender, bool is_wrong, std::string reason);

  CompilePool compilations_;
  std::shared_ptr<Device> device_;  ///< compiles with the pool
  const Options& options_;
  Progress progress_;
  const Clock::time_point begin_ = Clock::now();
  std::shared_ptr<const ConfigStore> store_;
  std::shared_ptr<const ConfigStore> yardstick_;  ///< null: none
  std::mt19937_64 random_;
  std::unique_ptr<InputPool> pool_;
  Report report_;
};

}  // namespace foldtune::bench
