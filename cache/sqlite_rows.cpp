#include "cache/sqlite_rows.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "cache/record_check.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

template <typename... Values>
void bind_all(SQLite::Statement& statement, const Values&... values) {
  int index = 0;
  (statement.bind(++index, values), ...);
}

// Inserts the values, unless there is such a row, and returns its id. `columns` is the table's
// unique key, "a, b"; `marks` is as many of "?, ?".
template <typename... Values>
std::int64_t insert_unique(SQLite::Database& database, std::string_view table,
                           std::string_view columns, std::string_view marks,
                           const Values&... values) {
  SQLite::Statement insert(
      database,
      fmt::format("INSERT INTO {} ({}) VALUES ({}) ON CONFLICT DO NOTHING", table, columns, marks));
  bind_all(insert, values...);
  insert.exec();
  SQLite::Statement select(
      database, fmt::format("SELECT id FROM {} WHERE ({}) = ({})", table, columns, marks));
  bind_all(select, values...);
  select.executeStep();
  return select.getColumn(0).getInt64();
}

std::int64_t insert_problem(SQLite::Database& database, const ProblemKey& problem) {
  return insert_unique(
      database, "problem",
      "family, op, element_type, accumulator_type, alignment, determinism, options, size_class",
      "?, ?, ?, ?, ?, ?, ?, ?", problem.family, problem.op, problem.element_type,
      problem.accumulator_type, problem.alignment, problem.determinism, problem.options,
      problem.size_class);
}

// Reads columns by their names: a migration may add some.
class Row {
 public:
  explicit Row(const SQLite::Statement& statement) : statement_(statement) {}

  std::string text(const char* column) const { return statement_.getColumn(column).getString(); }
  int integer(const char* column) const { return statement_.getColumn(column).getInt(); }
  std::int64_t integer64(const char* column) const {
    return statement_.getColumn(column).getInt64();
  }
  double real(const char* column) const { return statement_.getColumn(column).getDouble(); }

 private:
  const SQLite::Statement& statement_;
};

DeviceRecord device_of(const Row& row) {
  return {.kind = row.text("device_kind"),
          .name = row.text("device_name"),
          .architecture = row.text("device_architecture"),
          .multiprocessor_count = row.integer("device_multiprocessor_count"),
          .memory_clock_khz = row.integer64("device_memory_clock_khz"),
          .memory_bus_bits = row.integer("device_memory_bus_bits"),
          .l2_bytes = row.integer64("device_l2_bytes"),
          .driver = row.text("device_driver")};
}

ProblemKey problem_of(const Row& row) {
  return {.family = row.text("family"),
          .op = row.text("op"),
          .element_type = row.text("element_type"),
          .accumulator_type = row.text("accumulator_type"),
          .alignment = row.text("alignment"),
          .determinism = row.text("determinism"),
          .options = row.text("options"),
          .size_class = row.integer("size_class")};
}

std::uint64_t seed_of(const Row& row) {
  const std::string text = row.text("seed");
  std::uint64_t seed = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, seed);
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    throw StoreError(fmt::format(
        "cannot read run {} of the tuning database: its seed \"{}\" is not a number; correct it",
        row.integer64("run_id"), text));
  }
  return seed;
}

std::vector<double> samples_of(const Row& row) {
  const std::string text = row.text("samples_us");
  try {
    return nlohmann::json::parse(text).get<std::vector<double>>();
  } catch (const nlohmann::json::exception& error) {
    throw StoreError(
        fmt::format("cannot read measurement {} of the tuning database: its samples are not a list "
                    "of numbers ({}); delete the row",
                    row.integer64("measurement_id"), error.what()));
  }
}

StoredResult result_of(const Row& row) {
  StoredResult result;
  result.measurement = {.problem = problem_of(row),
                        .count = static_cast<std::uint64_t>(row.integer64("element_count")),
                        .bytes = static_cast<std::uint64_t>(row.integer64("input_bytes")),
                        .params = row.text("params"),
                        .is_default = row.integer("is_default") != 0,
                        .round = row.integer("round"),
                        .outcome = parse_outcome(row.text("outcome")),
                        .failure = row.text("failure"),
                        .samples_us = samples_of(row),
                        .median_us = row.real("median_us"),
                        .mad_us = row.real("mad_us"),
                        .discarded_samples = row.integer("discarded_samples"),
                        .hot_us = row.real("hot_us"),
                        .stream_us = row.real("stream_us"),
                        .latency_us = row.real("latency_us"),
                        .registers = row.integer("registers"),
                        .shared_bytes = row.integer("shared_bytes"),
                        .local_bytes = row.integer("local_bytes"),
                        .occupancy = row.real("occupancy"),
                        .compile_ms = row.real("compile_ms"),
                        .sm_clock_mhz = row.integer("sm_clock_mhz"),
                        .memory_clock_mhz = row.integer("memory_clock_mhz")};
  result.run = {.device = device_of(row),
                .template_fingerprint = row.text("template_fingerprint"),
                .compiler = row.text("compiler"),
                .foldtune_version = row.text("foldtune_version"),
                .command = row.text("command"),
                .seed = seed_of(row),
                .read_bandwidth_gbps = row.real("read_bandwidth_gbps")};
  result.measured_at = row.text("measured_at");
  return result;
}

}  // namespace

std::int64_t insert_device(SQLite::Database& database, const DeviceRecord& device) {
  SQLite::Statement insert(
      database,
      "INSERT INTO device (fingerprint, kind, name, architecture, multiprocessor_count,"
      "  memory_clock_khz, memory_bus_bits, l2_bytes, driver)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (fingerprint) DO NOTHING");
  const std::string fingerprint = device.fingerprint();
  bind_all(insert, fingerprint, device.kind, device.name, device.architecture,
           device.multiprocessor_count, device.memory_clock_khz, device.memory_bus_bits,
           device.l2_bytes, device.driver);
  insert.exec();
  SQLite::Statement select(database, "SELECT id FROM device WHERE fingerprint = ?");
  select.bind(1, fingerprint);
  select.executeStep();
  return select.getColumn(0).getInt64();
}

std::int64_t insert_run(SQLite::Database& database, const RunRecord& run) {
  SQLite::Statement insert(
      database,
      "INSERT INTO run (device_id, template_fingerprint, compiler, foldtune_version, command,"
      "  seed, read_bandwidth_gbps, started_at)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  bind_all(insert, insert_device(database, run.device), run.template_fingerprint, run.compiler,
           run.foldtune_version, run.command, std::to_string(run.seed), run.read_bandwidth_gbps,
           utc_now());
  insert.exec();
  return database.getLastInsertRowid();
}

std::int64_t insert_measurement(SQLite::Database& database, ConfigStore::RunId run,
                                const MeasurementRecord& m) {
  SQLite::Statement insert(
      database,
      "INSERT INTO measurement (run_id, problem_id, config_id, measured_at, element_count,"
      "  input_bytes, is_default, round, outcome, failure, samples_us, median_us, mad_us,"
      "  discarded_samples, hot_us, stream_us, latency_us, registers, shared_bytes, local_bytes,"
      "  occupancy, compile_ms, sm_clock_mhz, memory_clock_mhz)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  bind_all(insert, run, insert_problem(database, m.problem),
           insert_unique(database, "config", "params", "?", m.params), utc_now(),
           static_cast<std::int64_t>(m.count), static_cast<std::int64_t>(m.bytes),
           static_cast<int>(m.is_default), m.round, to_string(m.outcome), m.failure,
           nlohmann::json(m.samples_us).dump(), m.median_us, m.mad_us, m.discarded_samples,
           m.hot_us, m.stream_us, m.latency_us, m.registers, m.shared_bytes, m.local_bytes,
           m.occupancy, m.compile_ms, m.sm_clock_mhz, m.memory_clock_mhz);
  insert.exec();
  return database.getLastInsertRowid();
}

std::vector<StoredResult> fetch_results(SQLite::Statement& statement) {
  std::vector<StoredResult> results;
  while (statement.executeStep()) results.push_back(result_of(Row(statement)));
  return results;
}

}  // namespace foldtune
