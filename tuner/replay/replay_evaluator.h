/// An evaluator that answers from landscapes: what tuning would find, without the device.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/evaluator.h"
#include "tuner/replay/landscape.h"

namespace foldtune {

/// DeviceRecord::kind of a replay: what is stored of it is never taken for the device's own.
inline constexpr const char* kReplayKind = "replay";

struct ReplayOptions {
  /// Of the recorded deviations; 0: the recorded medians, the same every time. The more samples are
  /// asked for, the less noise.
  double noise = 0;
  std::uint64_t seed = 1;  ///< of the noise
};

class ReplayEvaluator final : public Evaluator {
 public:
  /// Throws InvalidArgument if there are no landscapes, or if they are of several devices or
  /// compilers: one evaluator is one device.
  explicit ReplayEvaluator(std::vector<Landscape> landscapes, const ReplayOptions& options = {});

  const DeviceInfo& info() const override { return info_; }
  const Compiler* compiler() override { return nullptr; }
  const std::string& compiler_version() override { return landscapes_.front().compiler; }

  /// Throws InvalidArgument, with the problems that there are, if there is no landscape of this
  /// one.
  void set_problem(const Problem& problem, std::uint64_t largest_count) override;

  double read_bandwidth_gbps() const override { return landscapes_.front().read_bandwidth_gbps; }

  /// A configuration that was not recorded fails to compile. One that is redundant costs what its
  /// canonical one does.
  MeasurementRecord evaluate(const Trial& trial) override;

  const std::vector<Landscape>& landscapes() const { return landscapes_; }

 private:
  std::vector<Landscape> landscapes_;
  double noise_;
  std::mt19937_64 random_;
  DeviceInfo info_;
  const Landscape* current_ = nullptr;
  std::unordered_map<std::string, const LandscapePoint*> points_;  ///< of it, by their JSON
};

}  // namespace foldtune
