#include "runtime/device/throttle.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace foldtune {
namespace {

// An idle device has low clocks until work comes, application clocks are what somebody chose: both
// are there for every sample alike.
constexpr std::uint64_t kSlowdowns =
    kHardwareSlowdown | kSoftwareThermalSlowdown | kHardwareThermalSlowdown | kPowerBrake;

// Under full load a GPU is often at its power cap and loses a few percent of its SM clock, which
// hardly shows in what memory limits. That is its normal state, not a disturbance. Only a drop
// beyond this part of the highest clock is one.
constexpr double kRealDrop = 0.9;

}  // namespace

bool is_throttled(const DeviceState& state, int highest_sm_mhz) {
  if ((state.clock_reasons & kSlowdowns) != 0) return true;
  return (state.clock_reasons & kSoftwarePowerCap) != 0 && state.clocks.sm_mhz > 0 &&
         state.clocks.sm_mhz < kRealDrop * highest_sm_mhz;
}

Samples ThrottleGuard::take(const std::function<Reading()>& take_once) {
  Samples samples;
  for (int retries = 0;; ++retries) {
    Reading reading = take_once();
    highest_sm_mhz_ = std::max(highest_sm_mhz_, reading.state.clocks.sm_mhz);
    const bool throttled = is_throttled(reading.state, highest_sm_mhz_);
    if (!throttled || lasts_ || retries == kMostRetries) {
      lasts_ = throttled;
      samples.us = std::move(reading.us);
      samples.clocks = reading.state.clocks;
      return samples;
    }
    samples.discarded += static_cast<int>(reading.us.size());
    std::this_thread::sleep_for(wait_);
  }
}

}  // namespace foldtune
