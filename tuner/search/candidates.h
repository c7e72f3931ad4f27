/// The configurations of one problem that a search may propose, numbered from 0, with what searches
/// ask of them. Immutable, so that several searches can share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cache/config_store.h"
#include "templates/family.h"
#include "templates/space.h"

namespace foldtune {

/// A tunable of which more than one value is searched.
struct Axis {
  const Tunable* tunable;
  bool is_ordered;  ///< a number, whose neighbouring values are alike; else a name
};

class Candidates {
 public:
  /// All that a search may propose for the problem; with `is_wanted` what that lets through.
  Candidates(const Workload& workload, const DeviceRecord& device,
             const std::function<bool(const Config&)>& is_wanted = nullptr);

  const Workload& workload() const { return workload_; }
  const DeviceRecord& device() const { return device_; }

  std::size_t size() const { return all_.size(); }
  const Config& params(std::size_t i) const { return all_[i]; }

  /// The number of `params`; of what stands for them if they are redundant. Empty if they are not
  /// valid, or of those that no search tries by itself.
  std::optional<std::size_t> find(const Config& params) const;

  /// The configuration that is used untuned.
  std::optional<std::size_t> fallback() const { return fallback_; }

  /// What number `i` probably costs, from the device's record alone (prior.h).
  double estimate_us(std::size_t i) const { return estimates_us_[i]; }

  /// Those that differ from number `i` in one tunable by one step, in the order of the tunables.
  std::vector<std::size_t> neighbours(std::size_t i) const;

  std::span<const Axis> axes() const { return axes_; }

  /// The places of number i's values among the searched values of each axis.
  std::span<const std::uint8_t> places(std::size_t i) const {
    return std::span(places_).subspan(i * axes_.size(), axes_.size());
  }

 private:
  std::optional<std::size_t> code_of(const Config& params) const;

  Workload workload_;
  DeviceRecord device_;
  Space space_;
  std::vector<Axis> axes_;
  std::vector<Config> all_;
  std::vector<std::uint8_t> places_;
  std::vector<double> estimates_us_;
  std::vector<std::int32_t> by_code_;  ///< -1: none
  std::optional<std::size_t> fallback_;
};

}  // namespace foldtune
