#include "cache/row_reader.h"

#include <SQLiteCpp/Column.h>
#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "cache/store_error.h"

namespace foldtune {
namespace {

// The columns that are read, and their names in the same order.
enum class Column : std::size_t {
  measurement_id,
  run_id,
  started_at,
  device_fingerprint,
  device_kind,
  device_name,
  device_architecture,
  device_multiprocessor_count,
  device_memory_clock_khz,
  device_memory_bus_bits,
  device_l2_bytes,
  device_driver,
  template_fingerprint,
  compiler,
  foldtune_version,
  command,
  seed,
  read_bandwidth_gbps,
  family,
  op,
  element_type,
  accumulator_type,
  alignment,
  determinism,
  options,
  size_class,
  measured_at,
  element_count,
  input_bytes,
  params,
  is_default,
  round,
  outcome,
  failure,
  samples_us,
  median_us,
  mad_us,
  discarded_samples,
  hot_us,
  stream_us,
  latency_us,
  registers,
  shared_bytes,
  local_bytes,
  occupancy,
  compile_ms,
  sm_clock_mhz,
  memory_clock_mhz,
};

constexpr std::array kNames{
    "measurement_id",
    "run_id",
    "started_at",
    "device_fingerprint",
    "device_kind",
    "device_name",
    "device_architecture",
    "device_multiprocessor_count",
    "device_memory_clock_khz",
    "device_memory_bus_bits",
    "device_l2_bytes",
    "device_driver",
    "template_fingerprint",
    "compiler",
    "foldtune_version",
    "command",
    "seed",
    "read_bandwidth_gbps",
    "family",
    "op",
    "element_type",
    "accumulator_type",
    "alignment",
    "determinism",
    "options",
    "size_class",
    "measured_at",
    "element_count",
    "input_bytes",
    "params",
    "is_default",
    "round",
    "outcome",
    "failure",
    "samples_us",
    "median_us",
    "mad_us",
    "discarded_samples",
    "hot_us",
    "stream_us",
    "latency_us",
    "registers",
    "shared_bytes",
    "local_bytes",
    "occupancy",
    "compile_ms",
    "sm_clock_mhz",
    "memory_clock_mhz",
};

class Row {
 public:
  Row(const SQLite::Statement& statement, const std::array<int, kNames.size()>& places)
      : statement_(statement), places_(places) {}

  std::string text(Column column) const { return value(column).getString(); }
  int integer(Column column) const { return value(column).getInt(); }
  std::int64_t integer64(Column column) const { return value(column).getInt64(); }
  double real(Column column) const { return value(column).getDouble(); }

 private:
  SQLite::Column value(Column column) const {
    return statement_.getColumn(places_[static_cast<std::size_t>(column)]);
  }

  const SQLite::Statement& statement_;
  const std::array<int, kNames.size()>& places_;
};

DeviceRecord device_of(const Row& row) {
  return {.kind = row.text(Column::device_kind),
          .name = row.text(Column::device_name),
          .architecture = row.text(Column::device_architecture),
          .multiprocessor_count = row.integer(Column::device_multiprocessor_count),
          .memory_clock_khz = row.integer64(Column::device_memory_clock_khz),
          .memory_bus_bits = row.integer(Column::device_memory_bus_bits),
          .l2_bytes = row.integer64(Column::device_l2_bytes),
          .driver = row.text(Column::device_driver)};
}

ProblemKey problem_of(const Row& row) {
  return {.family = row.text(Column::family),
          .op = row.text(Column::op),
          .element_type = row.text(Column::element_type),
          .accumulator_type = row.text(Column::accumulator_type),
          .alignment = row.text(Column::alignment),
          .determinism = row.text(Column::determinism),
          .options = row.text(Column::options),
          .size_class = row.integer(Column::size_class)};
}

std::uint64_t seed_of(const Row& row) {
  const std::string text = row.text(Column::seed);
  std::uint64_t seed = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, seed);
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    throw StoreError(fmt::format("the seed \"{}\" of its run {} is not a number; correct it", text,
                                 row.integer64(Column::run_id)));
  }
  return seed;
}

std::vector<double> samples_of(const Row& row) {
  const std::string text = row.text(Column::samples_us);
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
                        .count = static_cast<std::uint64_t>(row.integer64(Column::element_count)),
                        .bytes = static_cast<std::uint64_t>(row.integer64(Column::input_bytes)),
                        .params = row.text(Column::params),
                        .is_default = row.integer(Column::is_default) != 0,
                        .round = row.integer(Column::round),
                        .outcome = parse_outcome(row.text(Column::outcome)),
                        .failure = row.text(Column::failure),
                        .samples_us = samples_of(row),
                        .median_us = row.real(Column::median_us),
                        .mad_us = row.real(Column::mad_us),
                        .discarded_samples = row.integer(Column::discarded_samples),
                        .hot_us = row.real(Column::hot_us),
                        .stream_us = row.real(Column::stream_us),
                        .latency_us = row.real(Column::latency_us),
                        .registers = row.integer(Column::registers),
                        .shared_bytes = row.integer(Column::shared_bytes),
                        .local_bytes = row.integer(Column::local_bytes),
                        .occupancy = row.real(Column::occupancy),
                        .compile_ms = row.real(Column::compile_ms),
                        .sm_clock_mhz = row.integer(Column::sm_clock_mhz),
                        .memory_clock_mhz = row.integer(Column::memory_clock_mhz)};
  result.run = {.device = device_of(row),
                .template_fingerprint = row.text(Column::template_fingerprint),
                .compiler = row.text(Column::compiler),
                .foldtune_version = row.text(Column::foldtune_version),
                .command = row.text(Column::command),
                .seed = seed_of(row),
                .read_bandwidth_gbps = row.real(Column::read_bandwidth_gbps)};
  result.measured_at = row.text(Column::measured_at);
  return result;
}

}  // namespace

RowReader::RowReader(SQLite::Statement& statement) : statement_(statement) {
  static_assert(kNames.size() == kColumns);
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    places_[i] = statement.getColumnIndex(kNames[i]);
  }
}

ResultRow RowReader::read() const {
  const Row columns(statement_, places_);
  ResultRow row{.measurement_id = columns.integer64(Column::measurement_id),
                .run_id = columns.integer64(Column::run_id),
                .device_fingerprint = columns.text(Column::device_fingerprint),
                .started_at = columns.text(Column::started_at),
                .fault = {},
                .result = {}};
  try {
    row.result = result_of(columns);
  } catch (const StoreError& error) {
    row.fault = error.what();
  }
  return row;
}

std::vector<StoredResult> fetch_results(SQLite::Statement& statement,
                                        const std::function<bool(const StoredResult&)>& is_wanted) {
  const RowReader reader(statement);
  std::vector<StoredResult> results;
  while (statement.executeStep()) {
    ResultRow row = reader.read();
    if (!row.fault.empty()) {
      throw StoreError(fmt::format("cannot read measurement {} of the tuning database: {}",
                                   row.measurement_id, row.fault));
    }
    if (!is_wanted || is_wanted(row.result)) results.push_back(std::move(row.result));
  }
  return results;
}

}  // namespace foldtune
