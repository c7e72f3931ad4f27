/// An evaluator with chosen costs and outcomes, without a device and without a compiler.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "foldtune/reduction.h"
#include "runtime/lookup/lookup.h"
#include "tuner/measure/evaluator.h"

namespace foldtune::test {

class ScriptedEvaluator : public Evaluator {
 public:
  /// Microseconds of a trial; asked once per sample.
  using Cost = std::function<double(const Workload& workload, const Trial& trial)>;
  using Outcomes = std::function<Outcome(const Trial& trial)>;

  explicit ScriptedEvaluator(Cost cost, Outcomes outcome = nullptr)
      : cost_(std::move(cost)), outcome_(std::move(outcome)) {
    info_.id = "scripted";
    info_.record.kind = "fake";
    info_.record.name = "scripted";
    info_.record.multiprocessor_count = 132;
  }

  const DeviceInfo& info() const override { return info_; }
  void limit_memory(std::uint64_t bytes) { info_.memory_bytes = bytes; }
  void set_l2_bytes(std::int64_t bytes) { info_.record.l2_bytes = bytes; }
  const Compiler* compiler() override { return nullptr; }
  const std::string& compiler_version() override { return compiler_; }
  void set_workload(const Workload& workload, const Workload& /*largest*/) override {
    workloads.push_back(workload);
    if (on_workload) on_workload(workload);
  }
  double read_bandwidth_gbps() const override { return bandwidth_gbps; }

  MeasurementRecord evaluate(const Trial& trial) override {
    trials.push_back(trial);
    // A comparison by itself sets none.
    const Workload workload = workloads.empty() ? Workload(Reduction{}) : workloads.back();
    MeasurementRecord record{.problem = make_problem_key(workload),
                             .shape = to_text(workload.problem.family(), workload.shape),
                             .bytes = input_bytes(workload),
                             .params = to_json(trial.params),
                             .outcome = outcome_ ? outcome_(trial) : Outcome::ok};
    if (record.outcome != Outcome::ok) {
      record.failure = fmt::format("scripted: {}", to_string(record.outcome));
      return record;
    }
    for (int i = 0; i < trial.samples; ++i) record.samples_us.push_back(cost_(workload, trial));
    std::vector<double> sorted = record.samples_us;
    std::ranges::sort(sorted);
    record.median_us = sorted[sorted.size() / 2];
    if (trial.timing == Timing::complete && stream_cost) record.stream_us = stream_cost(trial);
    return record;
  }

  std::function<void(const Workload& workload)> on_workload;  ///< may throw; empty: nothing
  std::function<double(const Trial& trial)> stream_cost;      ///< empty: it is not measured
  std::vector<Workload> workloads;                            ///< in the order they were set
  std::vector<Trial> trials;                                  ///< in their order
  double bandwidth_gbps = 0;

 private:
  Cost cost_;
  Outcomes outcome_;
  DeviceInfo info_;
  std::string compiler_ = "scripted 1.0";
};

}  // namespace foldtune::test
