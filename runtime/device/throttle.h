/// Which samples are worth nothing, because the device was slowed down while they were taken.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/device/device.h"

namespace foldtune {

/// What keeps a GPU's clocks down, as bits that NVML defines ("clocks event reasons", "throttle
/// reasons" in old drivers).
inline constexpr std::uint64_t kIdle = 0x1;
inline constexpr std::uint64_t kApplicationClocks = 0x2;
inline constexpr std::uint64_t kSoftwarePowerCap = 0x4;
inline constexpr std::uint64_t kHardwareSlowdown = 0x8;
inline constexpr std::uint64_t kSoftwareThermalSlowdown = 0x20;
inline constexpr std::uint64_t kHardwareThermalSlowdown = 0x40;
inline constexpr std::uint64_t kPowerBrake = 0x80;

struct DeviceState {
  Clocks clocks;
  std::uint64_t clock_reasons = 0;  ///< 0: none, or unknown
};

/// Whether the device was slowed down: by heat, by a power brake, or by its hardware for another
/// reason; by its power cap only if the SM clock is far below `highest_sm_mhz`, the highest that
/// was seen.
bool is_throttled(const DeviceState& state, int highest_sm_mhz);

/// Takes samples again that a throttled device gave. Not thread-safe.
class ThrottleGuard {
 public:
  struct Reading {
    std::vector<double> us;
    DeviceState state;  ///< while they were taken
  };

  /// How often samples are taken again before they are kept as they are.
  static constexpr int kMostRetries = 3;

  /// `wait` is what the device is given to recover before samples are taken again.
  explicit ThrottleGuard(std::chrono::milliseconds wait = std::chrono::milliseconds(10))
      : wait_(wait) {}

  /// Calls `take_once` until the device is not throttled, or too often. A throttle that outlasts
  /// all retries is the device's lasting state: samples are then kept at once, until one comes
  /// without it.
  Samples take(const std::function<Reading()>& take_once);

 private:
  std::chrono::milliseconds wait_;
  int highest_sm_mhz_ = 0;
  bool lasts_ = false;
};

}  // namespace foldtune
