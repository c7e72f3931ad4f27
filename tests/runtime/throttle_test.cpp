#include "runtime/device/throttle.h"

#include "tests/catch.h"

namespace foldtune {
namespace {

using Reading = ThrottleGuard::Reading;

DeviceState state_with(std::uint64_t reasons, int sm_mhz = 1980) {
  return {.clocks = {.sm_mhz = sm_mhz, .memory_mhz = 3201}, .clock_reasons = reasons};
}

/// A device that is in one state after the other, and stays in the last. Its samples are numbered.
class Script {
 public:
  explicit Script(std::vector<DeviceState> states) : states_(std::move(states)) {}

  Samples take(ThrottleGuard& guard, int samples = 1) {
    return guard.take([&] {
      Reading reading;
      for (int i = 0; i < samples; ++i) reading.us.push_back(static_cast<double>(taken_ + 1));
      reading.state = states_[std::min(taken_, states_.size() - 1)];
      ++taken_;
      return reading;
    });
  }
  std::size_t taken() const { return taken_; }

 private:
  std::vector<DeviceState> states_;
  std::size_t taken_ = 0;
};

constexpr std::chrono::milliseconds kNoWait{0};

TEST_CASE("Throttle: heat, a power brake and a slowdown by the hardware are one") {
  for (const std::uint64_t reason :
       {kHardwareSlowdown, kSoftwareThermalSlowdown, kHardwareThermalSlowdown, kPowerBrake}) {
    CHECK(is_throttled(state_with(reason), 1980));
    CHECK(is_throttled(state_with(reason | kIdle, 0), 0));
  }
}

TEST_CASE("Throttle: idleness and clocks that somebody chose are none") {
  CHECK_FALSE(is_throttled(state_with(0), 1980));
  CHECK_FALSE(is_throttled(state_with(kIdle, 345), 1980));
  CHECK_FALSE(is_throttled(state_with(kApplicationClocks, 1000), 1980));
}

TEST_CASE("Throttle: a power cap is one only where the clock is far below the highest") {
  CHECK_FALSE(is_throttled(state_with(kSoftwarePowerCap, 1980), 1980));
  CHECK_FALSE(is_throttled(state_with(kSoftwarePowerCap, 1800), 1980));
  CHECK(is_throttled(state_with(kSoftwarePowerCap, 1700), 1980));
  CHECK_FALSE(is_throttled(state_with(kSoftwarePowerCap, 0), 1980));  // unknown
}

TEST_CASE("Throttle: samples of an undisturbed device are kept at once") {
  ThrottleGuard guard(kNoWait);
  Script script({state_with(kIdle)});
  const Samples samples = script.take(guard, 3);
  CHECK(samples.us == std::vector<double>{1, 1, 1});
  CHECK(samples.clocks.sm_mhz == 1980);
  CHECK(samples.clocks.memory_mhz == 3201);
  CHECK(samples.discarded == 0);
  CHECK(script.taken() == 1);
}

TEST_CASE("Throttle: samples of a throttled device are discarded and taken again") {
  ThrottleGuard guard(kNoWait);
  Script script({state_with(kPowerBrake, 1000), state_with(kPowerBrake, 1000), state_with(0)});
  const Samples samples = script.take(guard, 2);
  CHECK(samples.us == std::vector<double>{3, 3});
  CHECK(samples.discarded == 4);
  CHECK(samples.clocks.sm_mhz == 1980);
}

TEST_CASE("Throttle: the highest clock that was seen is remembered") {
  ThrottleGuard guard(kNoWait);
  Script script({state_with(0, 1980), state_with(kSoftwarePowerCap, 1500), state_with(0, 1980)});
  CHECK(script.take(guard).discarded == 0);
  const Samples samples = script.take(guard);
  CHECK(samples.discarded == 1);
  CHECK(samples.us == std::vector<double>{3});
}

TEST_CASE("Throttle: one that lasts is accepted after some retries, and then at once") {
  ThrottleGuard guard(kNoWait);
  Script script({state_with(kHardwareSlowdown)});
  const Samples first = script.take(guard);
  CHECK(first.us.size() == 1);
  CHECK(first.discarded == ThrottleGuard::kMostRetries);
  CHECK(script.taken() == ThrottleGuard::kMostRetries + 1);
  CHECK(script.take(guard).discarded == 0);
  CHECK(script.taken() == ThrottleGuard::kMostRetries + 2);
}

TEST_CASE("Throttle: after the end of a lasting one, the next is taken again") {
  ThrottleGuard guard(kNoWait);
  std::vector<DeviceState> states(ThrottleGuard::kMostRetries + 1, state_with(kPowerBrake));
  states.insert(states.end(), {state_with(0), state_with(kPowerBrake), state_with(0)});
  Script script(states);
  CHECK(script.take(guard).discarded == ThrottleGuard::kMostRetries);
  CHECK(script.take(guard).discarded == 0);
  CHECK(script.take(guard).discarded == 1);
}

}  // namespace
}  // namespace foldtune
