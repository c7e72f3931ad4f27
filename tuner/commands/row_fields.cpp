#include "tuner/commands/row_fields.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tuner/commands/stored_rows.h"

namespace foldtune {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// Null for a time that was not measured.
OrderedJson optional_time(double us) { return us > 0 ? OrderedJson(us) : OrderedJson(); }

/// What JSON has no text for is replaced.
std::string dump(const OrderedJson& json, int indent) {
  return json.dump(indent, ' ', false, OrderedJson::error_handler_t::replace);
}

/// Quoted where a comma, a quote or an end of line is in it.
std::string csv_field(std::string text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_field(const OrderedJson& value) {
  if (value.is_null()) return {};
  return csv_field(value.is_string() ? value.get<std::string>() : dump(value, -1));
}

/// A row of which only the names of the fields are of use.
StoredResult blank_row() {
  StoredResult row;
  row.measurement.params = "{}";
  return row;
}

}  // namespace

OrderedJson to_json(const StoredResult& row) {
  const MeasurementRecord& m = row.measurement;
  const DeviceRecord& device = row.run.device;
  const bool is_ok = m.outcome == Outcome::ok;
  const bool has_bandwidth = is_ok && row.run.read_bandwidth_gbps > 0;
  // The names are those of the database's view `result`.
  return {
      {"measured_at", row.measured_at},
      {"device_fingerprint", device.fingerprint()},
      {"device_kind", device.kind},
      {"device_name", device.name},
      {"device_architecture", device.architecture},
      {"device_multiprocessor_count", device.multiprocessor_count},
      {"device_memory_clock_khz", device.memory_clock_khz},
      {"device_memory_bus_bits", device.memory_bus_bits},
      {"device_l2_bytes", device.l2_bytes},
      {"device_driver", device.driver},
      {"template_fingerprint", row.run.template_fingerprint},
      {"compiler", row.run.compiler},
      {"foldtune_version", row.run.foldtune_version},
      {"command", row.run.command},
      {"seed", row.run.seed},
      {"read_bandwidth_gbps", row.run.read_bandwidth_gbps},
      {"family", m.problem.family},
      {"op", m.problem.op},
      {"element_type", m.problem.element_type},
      {"accumulator_type", m.problem.accumulator_type},
      {"alignment", m.problem.alignment},
      {"determinism", m.problem.determinism},
      {"options", m.problem.options},
      {"size_class", m.problem.size_class},
      {"element_count", m.count},
      {"input_bytes", m.bytes},
      {"params", OrderedJson::parse(m.params)},
      {"is_default", m.is_default},
      {"round", m.round},
      {"outcome", to_string(m.outcome)},
      {"failure", m.failure},
      {"median_us", m.median_us},
      {"mad_us", m.mad_us},
      {"discarded_samples", m.discarded_samples},
      {"hot_us", optional_time(m.hot_us)},
      {"stream_us", optional_time(m.stream_us)},
      {"latency_us", optional_time(m.latency_us)},
      {"bandwidth_gbps", is_ok ? OrderedJson(gbps(m)) : OrderedJson()},
      {"percent_of_read_bandwidth",
       has_bandwidth ? OrderedJson(100 * gbps(m) / row.run.read_bandwidth_gbps) : OrderedJson()},
      {"registers", m.registers},
      {"shared_bytes", m.shared_bytes},
      {"local_bytes", m.local_bytes},
      {"occupancy", m.occupancy},
      {"compile_ms", m.compile_ms},
      {"sm_clock_mhz", m.sm_clock_mhz},
      {"memory_clock_mhz", m.memory_clock_mhz},
      {"samples_us", m.samples_us},
  };
}

OrderedJson to_json(const std::vector<StoredResult>& rows) {
  OrderedJson array = OrderedJson::array();
  for (const StoredResult& row : rows) array.push_back(to_json(row));
  return array;
}

std::string to_csv(const std::vector<StoredResult>& rows) {
  std::string text;
  const auto add_line = [&](const OrderedJson& object, const auto& field_of) {
    std::string line;
    for (const auto& item : object.items()) {
      line += fmt::format("{}{}", line.empty() ? "" : ",", field_of(item));
    }
    text += line + '\n';
  };
  add_line(to_json(blank_row()), [](const auto& item) { return csv_field(item.key()); });
  for (const StoredResult& row : rows) {
    add_line(to_json(row), [](const auto& item) { return csv_field(item.value()); });
  }
  return text;
}

void print_indented(const OrderedJson& json) { fmt::print("{}\n", dump(json, 2)); }

}  // namespace foldtune
