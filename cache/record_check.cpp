#include "cache/record_check.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <nlohmann/json.hpp>

#include "cache/store_error.h"

namespace foldtune {
namespace {

// SQLite's integers are signed.
constexpr std::uint64_t kLargestInteger = std::numeric_limits<std::int64_t>::max();

void require(bool holds, std::string_view what, std::string_view rule) {
  if (!holds) {
    throw StoreError(fmt::format("cannot store a {}: {}; correct the record", what, rule));
  }
}

bool is_amount(double value) { return std::isfinite(value) && value >= 0; }

std::string canonical_params(const std::string& params) {
  const auto json = nlohmann::json::parse(params, nullptr, /*allow_exceptions=*/false);
  require(json.is_object(), "measurement",
          fmt::format("its params are not a JSON object: \"{}\"", params));
  return json.dump();  // nlohmann::json keeps the keys of an object sorted.
}

}  // namespace

RunRecord checked(RunRecord run) {
  const DeviceRecord& device = run.device;
  require(device.multiprocessor_count >= 0 && device.memory_clock_khz >= 0 &&
              device.memory_bus_bits >= 0 && device.l2_bytes >= 0,
          "run", "a number of its device is negative");
  require(is_amount(run.read_bandwidth_gbps), "run",
          "its read bandwidth is negative or not a finite number");
  return run;
}

MeasurementRecord checked(MeasurementRecord measurement) {
  const MeasurementRecord& m = measurement;
  const auto check = [](bool holds, std::string_view rule) { require(holds, "measurement", rule); };
  check(m.count <= kLargestInteger && m.bytes <= kLargestInteger,
        "its count or bytes are above 2^63 - 1");
  check(std::all_of(m.samples_us.begin(), m.samples_us.end(), is_amount),
        "one of its samples is negative or not a finite number");
  check(is_amount(m.median_us) && is_amount(m.mad_us) && is_amount(m.compile_ms),
        "its median, deviation or compile time is negative or not a finite number");
  check(is_amount(m.hot_us) && is_amount(m.stream_us) && is_amount(m.latency_us),
        "its hot, stream or latency time is negative or not a finite number");
  check(m.occupancy >= 0 && m.occupancy <= 1, "its occupancy is not between 0 and 1");
  check(m.round >= 0 && m.discarded_samples >= 0 && m.registers >= 0 && m.shared_bytes >= 0 &&
            m.local_bytes >= 0 && m.sm_clock_mhz >= 0 && m.memory_clock_mhz >= 0,
        "its round, discarded samples, a resource or a clock is negative");
  if (m.outcome == Outcome::ok) {
    check(m.median_us > 0, "it succeeded, but its median is not above 0");
    check(m.failure.empty(), fmt::format("it succeeded, but gives a failure: \"{}\"", m.failure));
  }
  measurement.params = canonical_params(m.params);
  return measurement;
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace foldtune
