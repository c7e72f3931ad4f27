#include "cache/row_adder.h"

#include "cache/record_check.h"

namespace foldtune {

std::string reason_to_refuse(const ResultRow& row) {
  if (!row.fault.empty()) return row.fault;
  const StoredResult& result = row.result;
  if (result.run.device.fingerprint() != row.device_fingerprint) {
    return "its device's fingerprint is not the hash of the device's columns";
  }
  const std::string fault = fault_of(result.run);
  return fault.empty() ? fault_of(result.measurement) : "of its run, " + fault;
}

bool RowAdder::add(const ResultRow& row) {
  const StoredResult& result = row.result;
  const MeasurementRecord measurement = checked(result.measurement);
  const ConfigStore::RunId run = run_of(row);
  if (writer_.find_measurement(run, measurement, result.measured_at)) return false;
  writer_.insert_measurement(run, measurement, result.measured_at);
  return true;
}

ConfigStore::RunId RowAdder::run_of(const ResultRow& row) {
  const auto [place, is_new] = runs_.emplace(row.run_id, 0);
  if (is_new) {
    const RunRecord& run = row.result.run;
    const auto found = writer_.find_run(run, row.started_at);
    place->second = found ? *found : writer_.insert_run(run, row.started_at);
  }
  return place->second;
}

}  // namespace foldtune
