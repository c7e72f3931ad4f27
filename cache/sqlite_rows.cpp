#include "cache/sqlite_rows.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "cache/store_error.h"

namespace foldtune {
namespace {

template <typename... Values>
void bind_all(SQLite::Statement& statement, const Values&... values) {
  int index = 0;
  (statement.bind(++index, values), ...);
}

// The id of a row with these values. `columns` are "a, b", `marks` as many of "?, ?".
template <typename... Values>
std::optional<std::int64_t> find_row(SQLite::Database& database, std::string_view table,
                                     std::string_view columns, std::string_view marks,
                                     const Values&... values) {
  SQLite::Statement select(
      database, fmt::format("SELECT id FROM {} WHERE ({}) = ({})", table, columns, marks));
  bind_all(select, values...);
  if (!select.executeStep()) return std::nullopt;
  return select.getColumn(0).getInt64();
}

// Inserts the values, unless there is such a row, and returns its id. `columns` is the table's
// unique key.
template <typename... Values>
std::int64_t insert_unique(SQLite::Database& database, std::string_view table,
                           std::string_view columns, std::string_view marks,
                           const Values&... values) {
  SQLite::Statement insert(
      database,
      fmt::format("INSERT INTO {} ({}) VALUES ({}) ON CONFLICT DO NOTHING", table, columns, marks));
  bind_all(insert, values...);
  insert.exec();
  return *find_row(database, table, columns, marks, values...);
}

std::int64_t insert_problem(SQLite::Database& database, const ProblemKey& problem) {
  return insert_unique(
      database, "problem",
      "family, op, element_type, accumulator_type, alignment, determinism, options, size_class",
      "?, ?, ?, ?, ?, ?, ?, ?", problem.family, problem.op, problem.element_type,
      problem.accumulator_type, problem.alignment, problem.determinism, problem.options,
      problem.size_class);
}

// Calls `use` with the columns of the table `run`, as many marks, and their values for `run`.
template <typename Use>
auto with_run_values(SQLite::Database& database, const RunRecord& run,
                     const std::string& started_at, Use use) {
  return use(
      "device_id, template_fingerprint, compiler, foldtune_version, command, seed,"
      " read_bandwidth_gbps, started_at",
      "?, ?, ?, ?, ?, ?, ?, ?", insert_device(database, run.device), run.template_fingerprint,
      run.compiler, run.foldtune_version, run.command, std::to_string(run.seed),
      run.read_bandwidth_gbps, started_at);
}

// The same of the table `measurement`.
template <typename Use>
auto with_measurement_values(SQLite::Database& database, ConfigStore::RunId run,
                             const MeasurementRecord& m, const std::string& measured_at, Use use) {
  return use(
      "run_id, problem_id, config_id, measured_at, element_count, input_bytes, is_default, round,"
      " outcome, failure, samples_us, median_us, mad_us, discarded_samples, hot_us, stream_us,"
      " latency_us, registers, shared_bytes, local_bytes, occupancy, compile_ms, sm_clock_mhz,"
      " memory_clock_mhz",
      "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?", run,
      insert_problem(database, m.problem),
      insert_unique(database, "config", "params", "?", m.params), measured_at,
      static_cast<std::int64_t>(m.count), static_cast<std::int64_t>(m.bytes),
      static_cast<int>(m.is_default), m.round, to_string(m.outcome), m.failure,
      nlohmann::json(m.samples_us).dump(), m.median_us, m.mad_us, m.discarded_samples, m.hot_us,
      m.stream_us, m.latency_us, m.registers, m.shared_bytes, m.local_bytes, m.occupancy,
      m.compile_ms, m.sm_clock_mhz, m.memory_clock_mhz);
}

// Adds a row to the table, and returns its id.
auto insertion_into(SQLite::Database& database, std::string_view table) {
  return
      [&database, table](std::string_view columns, std::string_view marks, const auto&... values) {
        SQLite::Statement insert(
            database, fmt::format("INSERT INTO {} ({}) VALUES ({})", table, columns, marks));
        bind_all(insert, values...);
        insert.exec();
        return database.getLastInsertRowid();
      };
}

auto search_in(SQLite::Database& database, std::string_view table) {
  return [&database, table](const auto&... arguments) {
    return find_row(database, table, arguments...);
  };
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
    throw StoreError(fmt::format("the seed \"{}\" of its run {} is not a number; correct it", text,
                                 row.integer64("run_id")));
  }
  return seed;
}

std::vector<double> samples_of(const Row& row) {
  const std::string text = row.text("samples_us");
  try {
    return nlohmann::json::parse(text).get<std::vector<double>>();
  } catch (const nlohmann::json::exception& error) {
    throw StoreError(
        fmt::format("its samples are not a list of numbers ({}); delete the row", error.what()));
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

std::int64_t insert_run(SQLite::Database& database, const RunRecord& run,
                        const std::string& started_at) {
  return with_run_values(database, run, started_at, insertion_into(database, "run"));
}

std::int64_t insert_measurement(SQLite::Database& database, ConfigStore::RunId run,
                                const MeasurementRecord& measurement,
                                const std::string& measured_at) {
  return with_measurement_values(database, run, measurement, measured_at,
                                 insertion_into(database, "measurement"));
}

std::optional<std::int64_t> find_run(SQLite::Database& database, const RunRecord& run,
                                     const std::string& started_at) {
  return with_run_values(database, run, started_at, search_in(database, "run"));
}

std::optional<std::int64_t> find_measurement(SQLite::Database& database, ConfigStore::RunId run,
                                             const MeasurementRecord& measurement,
                                             const std::string& measured_at) {
  return with_measurement_values(database, run, measurement, measured_at,
                                 search_in(database, "measurement"));
}

std::vector<StoredResult> fetch_results(SQLite::Statement& statement) {
  std::vector<StoredResult> results;
  while (statement.executeStep()) {
    ResultRow row = read_row(statement);
    if (!row.fault.empty()) {
      throw StoreError(fmt::format("cannot read measurement {} of the tuning database: {}",
                                   row.measurement_id, row.fault));
    }
    results.push_back(std::move(row.result));
  }
  return results;
}

ResultRow read_row(const SQLite::Statement& statement) {
  const Row columns(statement);
  ResultRow row{.measurement_id = columns.integer64("measurement_id"),
                .run_id = columns.integer64("run_id"),
                .device_fingerprint = columns.text("device_fingerprint"),
                .started_at = columns.text("started_at"),
                .fault = {},
                .result = {}};
  try {
    row.result = result_of(columns);
  } catch (const StoreError& error) {
    row.fault = error.what();
  }
  return row;
}

}  // namespace foldtune
