/// Trials on a device of this process.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tuner/measure/compile_pool.h"
#include "tuner/measure/evaluator.h"
#include "tuner/measure/input_pool.h"
#include "tuner/measure/measure.h"

namespace foldtune {

/// Keeps the configurations that were tried last, so that one that is tried again is neither
/// checked nor captured again.
class DeviceEvaluator final : public Evaluator {
 public:
  /// The device must outlive the evaluator. `seed` is of the inputs.
  DeviceEvaluator(Device& device, std::uint64_t seed);

  const DeviceInfo& info() const override { return device_.info(); }
  const Compiler* compiler() override { return &device_.compiler(); }
  const std::string& compiler_version() override { return device_.compiler().version(); }
  void set_workload(const Workload& workload, const Workload& largest) override;
  void tell_of_runs(const std::function<void()>& tell) override { tell_of_run_ = tell; }
  void announce(const Workload& next) override;
  double read_bandwidth_gbps() const override { return read_bandwidth_gbps_.value_or(0); }
  /// The record has the samples of this trial alone; `merge` adds those of several. After a
  /// configuration that left the device unusable, whose outcome is `crashed`, it throws
  /// DeviceError.
  MeasurementRecord evaluate(const Trial& trial) override;

 private:
  struct Kept {
    Candidate candidate;
    std::uint64_t code;  ///< hash of its compiled image and its kernels' names
  };

  /// What the next workload's inputs give, on its way.
  struct Upcoming {
    Workload workload;
    std::future<std::unique_ptr<Expectation>> expected;
  };

  void make_pool(const Workload& workload, const Workload& largest);
  std::unique_ptr<Expectation> take_upcoming(const Workload& workload);
  Candidate prepare(const Trial& trial);
  Candidate* find_kept(const Config& params, std::uint64_t code);
  void require_device() const;
  MeasurementRecord explain(MeasurementRecord failed);

  Device& device_;
  std::uint64_t seed_;
  std::function<void()> tell_of_run_;
  CompilePool compilations_;  ///< of what measuring needs: a flush, a reference
  std::unique_ptr<InputPool> pool_;
  std::optional<Upcoming> upcoming_;  ///< of the pool's inputs
  std::unique_ptr<Measurer> measurer_;
  std::list<Kept> kept_;  ///< of the current workload, the latest first
  std::optional<double> read_bandwidth_gbps_;
  std::string crash_;  ///< what made the device unusable; empty: it is usable
};

}  // namespace foldtune
