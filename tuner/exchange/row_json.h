/// The rows of an exported file, as JSON and back. docs/exchange.md describes them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>

#include "cache/config_store.h"

namespace foldtune {

inline constexpr const char* kExchangeFormat = "foldtune-tuning";

/// Changes with every change of the rows' fields.
inline constexpr int kExchangeVersion = 1;

struct DeviceRow {
  std::string fingerprint;
  DeviceRecord record;
  bool operator==(const DeviceRow&) const = default;
};

struct RunRow {
  std::int64_t id = 0;  ///< in this file
  std::string device_fingerprint;
  RunRecord record;  ///< without its device
  std::string started_at;
  bool operator==(const RunRow&) const = default;
};

struct MeasurementRow {
  std::int64_t run_id = 0;
  std::string measured_at;
  MeasurementRecord record;
  bool operator==(const MeasurementRow&) const = default;
};

/// A row lacks a field, or has one of another form. In words that end a sentence.
class RowFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A text that is not UTF-8 is the list of its bytes, a time that was not measured is null.
nlohmann::ordered_json to_json(const DeviceRow& row);
nlohmann::ordered_json to_json(const RunRow& row);
nlohmann::ordered_json to_json(const MeasurementRow& row);

// The inverse, which throws RowFault. Whether the values can be is left to row_rules.h.
DeviceRow read_device_row(const nlohmann::json& json);
RunRow read_run_row(const nlohmann::json& json);
MeasurementRow read_measurement_row(const nlohmann::json& json);

}  // namespace foldtune
