#include "cache/record_check.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <ctime>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>

#include "cache/store_error.h"

namespace foldtune {
namespace {

// SQLite's integers are signed.
constexpr std::uint64_t kLargestInteger = std::numeric_limits<std::int64_t>::max();

bool is_amount(double value) { return std::isfinite(value) && value >= 0; }

struct Rule {
  bool holds;
  std::string words;
};

std::string first_broken(std::initializer_list<Rule> rules) {
  const auto* const broken = std::ranges::find(rules, false, &Rule::holds);
  return broken == rules.end() ? std::string() : broken->words;
}

void require_none(const std::string& fault, std::string_view what) {
  if (!fault.empty()) {
    throw StoreError(fmt::format("cannot store a {}: {}; correct the record", what, fault));
  }
}

nlohmann::json parsed(const std::string& params) {
  return nlohmann::json::parse(params, nullptr, /*allow_exceptions=*/false);
}

}  // namespace

std::string fault_of(const RunRecord& run) {
  const DeviceRecord& device = run.device;
  return first_broken({
      {device.multiprocessor_count >= 0 && device.memory_clock_khz >= 0 &&
           device.memory_bus_bits >= 0 && device.l2_bytes >= 0,
       "a number of its device is negative"},
      {is_amount(run.read_bandwidth_gbps), "its read bandwidth is negative or not a finite number"},
  });
}

std::string fault_of(const MeasurementRecord& m) {
  const bool is_ok = m.outcome == Outcome::ok;
  return first_broken({
      {m.count <= kLargestInteger && m.bytes <= kLargestInteger,
       "its count or bytes are above 2^63 - 1"},
      {std::ranges::all_of(m.samples_us, is_amount),
       "one of its samples is negative or not a finite number"},
      {is_amount(m.median_us) && is_amount(m.mad_us) && is_amount(m.compile_ms),
       "its median, deviation or compile time is negative or not a finite number"},
      {is_amount(m.hot_us) && is_amount(m.stream_us) && is_amount(m.latency_us),
       "its hot, stream or latency time is negative or not a finite number"},
      {m.occupancy >= 0 && m.occupancy <= 1, "its occupancy is not between 0 and 1"},
      {m.round >= 0 && m.discarded_samples >= 0 && m.registers >= 0 && m.shared_bytes >= 0 &&
           m.local_bytes >= 0 && m.sm_clock_mhz >= 0 && m.memory_clock_mhz >= 0,
       "its round, discarded samples, a resource or a clock is negative"},
      {!is_ok || m.median_us > 0, "it succeeded, but its median is not above 0"},
      {!is_ok || m.failure.empty(),
       fmt::format("it succeeded, but gives a failure: \"{}\"", m.failure)},
      {parsed(m.params).is_object(),
       fmt::format("its params are not a JSON object: \"{}\"", m.params)},
  });
}

RunRecord checked(RunRecord run) {
  require_none(fault_of(run), "run");
  return run;
}

MeasurementRecord checked(MeasurementRecord measurement) {
  require_none(fault_of(measurement), "measurement");
  // nlohmann::json keeps the keys of an object sorted.
  measurement.params = parsed(measurement.params).dump();
  return measurement;
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

bool is_time(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:ddZ";
  return std::ranges::equal(text, kForm, [](char c, char form) {
    return form == 'd' ? std::isdigit(static_cast<unsigned char>(c)) != 0 : c == form;
  });
}

}  // namespace foldtune
