#include "cache/row_writer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace foldtune {
namespace {

// One that is not reset holds its transaction's locks.
class Resetting {
 public:
  explicit Resetting(SQLite::Statement& statement) : statement_(statement) {}
  Resetting(const Resetting&) = delete;
  Resetting& operator=(const Resetting&) = delete;
  ~Resetting() { statement_.tryReset(); }

  SQLite::Statement* operator->() { return &statement_; }

  template <typename... Values>
  void bind(const Values&... values) {
    int index = 0;
    (statement_.bind(++index, values), ...);
  }

 private:
  SQLite::Statement& statement_;
};

}  // namespace

constexpr RowWriter::Target RowWriter::kRun{
    .table = "run",
    .columns =
        "device_id, template_fingerprint, compiler, foldtune_version, command, seed,"
        " read_bandwidth_gbps, started_at",
    .marks = "?, ?, ?, ?, ?, ?, ?, ?"};

constexpr RowWriter::Target RowWriter::kMeasurement{
    .table = "measurement",
    .columns =
        "run_id, problem_id, config_id, measured_at, element_count, input_bytes, is_default,"
        " round, outcome, failure, samples_us, median_us, mad_us, discarded_samples, hot_us,"
        " stream_us, latency_us, registers, shared_bytes, local_bytes, occupancy, compile_ms,"
        " sm_clock_mhz, memory_clock_mhz",
    .marks = "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"};

template <typename Use>
auto RowWriter::with_run_values(const RunRecord& run, const std::string& started_at, Use use) {
  return use(device_id(run.device), run.template_fingerprint, run.compiler, run.foldtune_version,
             run.command, std::to_string(run.seed), run.read_bandwidth_gbps, started_at);
}

template <typename Use>
auto RowWriter::with_measurement_values(ConfigStore::RunId run, const MeasurementRecord& m,
                                        const std::string& measured_at, Use use) {
  return use(run, problem_id(m.problem), config_id(m.params), measured_at,
             static_cast<std::int64_t>(m.count), static_cast<std::int64_t>(m.bytes),
             static_cast<int>(m.is_default), m.round, to_string(m.outcome), m.failure,
             nlohmann::json(m.samples_us).dump(), m.median_us, m.mad_us, m.discarded_samples,
             m.hot_us, m.stream_us, m.latency_us, m.registers, m.shared_bytes, m.local_bytes,
             m.occupancy, m.compile_ms, m.sm_clock_mhz, m.memory_clock_mhz);
}

std::int64_t RowWriter::insert_run(const RunRecord& run, const std::string& started_at) {
  return with_run_values(run, started_at,
                         [&](const auto&... values) { return insert(kRun, values...); });
}

std::int64_t RowWriter::insert_measurement(ConfigStore::RunId run,
                                           const MeasurementRecord& measurement,
                                           const std::string& measured_at) {
  return with_measurement_values(run, measurement, measured_at, [&](const auto&... values) {
    return insert(kMeasurement, values...);
  });
}

std::optional<std::int64_t> RowWriter::find_run(const RunRecord& run,
                                                const std::string& started_at) {
  return with_run_values(run, started_at,
                         [&](const auto&... values) { return find(kRun, values...); });
}

std::optional<std::int64_t> RowWriter::find_measurement(ConfigStore::RunId run,
                                                        const MeasurementRecord& measurement,
                                                        const std::string& measured_at) {
  return with_measurement_values(run, measurement, measured_at, [&](const auto&... values) {
    return find(kMeasurement, values...);
  });
}

bool RowWriter::has_run(ConfigStore::RunId run) {
  Resetting select(prepared("SELECT 1 FROM run WHERE id = ?"));
  select.bind(run);
  return select->executeStep();
}

std::int64_t RowWriter::device_id(const DeviceRecord& device) {
  const std::string fingerprint = device.fingerprint();
  {
    Resetting select(prepared("SELECT id FROM device WHERE fingerprint = ?"));
    select.bind(fingerprint);
    if (select->executeStep()) return select->getColumn(0).getInt64();
  }
  return insert({.table = "device",
                 .columns = "fingerprint, kind, name, architecture, multiprocessor_count,"
                            " memory_clock_khz, memory_bus_bits, l2_bytes, driver",
                 .marks = "?, ?, ?, ?, ?, ?, ?, ?, ?"},
                fingerprint, device.kind, device.name, device.architecture,
                device.multiprocessor_count, device.memory_clock_khz, device.memory_bus_bits,
                device.l2_bytes, device.driver);
}

std::int64_t RowWriter::problem_id(const ProblemKey& problem) {
  return find_or_insert({.table = "problem",
                         .columns = "family, op, element_type, accumulator_type, alignment,"
                                    " determinism, options, size_class",
                         .marks = "?, ?, ?, ?, ?, ?, ?, ?"},
                        problem.family, problem.op, problem.element_type, problem.accumulator_type,
                        problem.alignment, problem.determinism, problem.options,
                        problem.size_class);
}

std::int64_t RowWriter::config_id(const std::string& params) {
  return find_or_insert({.table = "config", .columns = "params", .marks = "?"}, params);
}

template <typename... Values>
std::optional<std::int64_t> RowWriter::find(const Target& target, const Values&... values) {
  Resetting select(prepared(fmt::format("SELECT id FROM {} WHERE ({}) = ({})", target.table,
                                        target.columns, target.marks)));
  select.bind(values...);
  if (!select->executeStep()) return std::nullopt;
  return select->getColumn(0).getInt64();
}

template <typename... Values>
std::int64_t RowWriter::insert(const Target& target, const Values&... values) {
  Resetting statement(prepared(
      fmt::format("INSERT INTO {} ({}) VALUES ({})", target.table, target.columns, target.marks)));
  statement.bind(values...);
  statement->exec();
  return database_.getLastInsertRowid();
}

template <typename... Values>
std::int64_t RowWriter::find_or_insert(const Target& target, const Values&... values) {
  const std::optional<std::int64_t> found = find(target, values...);
  return found ? *found : insert(target, values...);
}

SQLite::Statement& RowWriter::prepared(const std::string& sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return found->second;
  return statements_.emplace(sql, SQLite::Statement(database_, sql)).first->second;
}

}  // namespace foldtune
