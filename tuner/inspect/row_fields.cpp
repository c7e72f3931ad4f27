#include "tuner/inspect/row_fields.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "runtime/lookup/lookup.h"
#include "templates/json_fields.h"
#include "tuner/exchange/row_json.h"
#include "tuner/inspect/stored_rows.h"
#include "tuner/text/print.h"

namespace foldtune {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// What JSON has no text for is replaced, and what may act on a terminal is escaped.
std::string dump(const OrderedJson& json, int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/true, OrderedJson::error_handler_t::replace);
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

OrderedJson origin_json(const DeviceRecord& device, const std::string& compiler) {
  return {{"device_name", device.name},
          {"device_kind", device.kind},
          {"device_architecture", device.architecture},
          {"device_driver", device.driver},
          {"compiler", compiler}};
}

OrderedJson to_json(const StoredResult& row) {
  const MeasurementRecord& m = row.measurement;
  const bool is_ok = m.outcome == Outcome::ok;
  const bool has_bandwidth = is_ok && row.run.read_bandwidth_gbps > 0;
  OrderedJson json{{"measurement_id", row.measurement_id},
                   {"run_id", row.run_id},
                   {"started_at", row.started_at}};
  json.update(run_to_json(row));
  json.update(measurement_to_json(row));
  json["imported_from"] = row.imported_from.empty()
                              ? OrderedJson()
                              : OrderedJson(json_fields::write(row.imported_from));
  json["is_pinned"] = row.is_pinned;
  json["has_these_kernels"] = has_these_kernels(row);
  json["bandwidth_gbps"] = is_ok ? OrderedJson(gbps(m)) : OrderedJson();
  json["percent_of_read_bandwidth"] =
      has_bandwidth ? OrderedJson(100 * gbps(m) / row.run.read_bandwidth_gbps) : OrderedJson();
  return json;
}

OrderedJson workload_json(const Workload& workload) {
  OrderedJson json{{"workload", to_string(workload)}};
  json.update(key_to_json(make_problem_key(workload)));
  json["shape"] = to_text(workload.problem.family(), workload.shape);
  return json;
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

OrderedJson or_null(OrderedJson value, bool is_known) {
  return is_known ? std::move(value) : OrderedJson();
}

void print_indented(const OrderedJson& json) { print_to(stdout, "{}\n", Lines{dump(json, 2)}); }

}  // namespace foldtune
