#include "tuner/commands/stored_rows.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

#include "cache/record_check.h"
#include "tuner/commands/options.h"
#include "tuner/commands/stored_problem.h"
#include "tuner/format.h"

namespace foldtune {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string credible_time(const StoredResult& row) {
  static const std::string now = utc_now();
  return row.measured_at <= now ? row.measured_at : std::string();
}

}  // namespace

void add_row_filter(CLI::App& app, RowFilter& filter) {
  app.add_option("--op", filter.operators, "Operators by comma, or all [all]")->type_name("LIST");
  app.add_option("--type", filter.types, "Element types by comma, or all [all]")->type_name("LIST");
  add_device_filter(app, filter.device);
}

void add_device_filter(CLI::App& app, std::string& device) {
  app.add_option("--device", device, "Part of a device's name, such as h200")->type_name("TEXT");
}

std::function<bool(const StoredResult&)> row_test(const RowFilter& filter) {
  const auto ops = parse_operators(filter.operators);
  const auto types = parse_element_types(filter.types);
  return [=](const StoredResult& row) {
    const ProblemKey& problem = row.measurement.problem;
    return (filter.operators == "all" || has_operator_of(problem, ops)) &&
           (filter.types == "all" || has_type_of(problem, types)) &&
           has_name_with(row.run.device, filter.device);
  };
}

std::vector<StoredResult> select(std::vector<StoredResult> rows, const RowFilter& filter) {
  std::erase_if(rows, std::not_fn(row_test(filter)));
  return rows;
}

bool has_name_with(const DeviceRecord& device, const std::string& part) {
  return lower(device.name).find(lower(part)) != std::string::npos;
}

bool is_same_device(const DeviceRecord& a, const DeviceRecord& b) {
  return a.kind == b.kind && a.name == b.name;
}

double gbps(const MeasurementRecord& measurement) {
  return static_cast<double>(measurement.bytes) / measurement.median_us / 1e3;
}

std::string describe_origin(const DeviceRecord& device, const std::string& compiler) {
  return fmt::format("{} ({}, {}, driver {}), {}", device.name, device.kind, device.architecture,
                     device.driver, compiler);
}

std::string describe_source(const StoredResult& row) {
  if (row.imported_from.empty()) return "here";
  return row.imported_from.substr(row.imported_from.rfind('/') + 1);
}

std::string describe_import(const StoredResult& row) {
  if (row.imported_from.empty()) return {};
  return fmt::format(" (imported from {})", describe_source(row));
}

std::string minutes_of(const std::string& time) {
  std::string text = time.substr(0, 16);
  std::ranges::replace(text, 'T', ' ');
  return text;
}

std::string config_legends(const std::vector<StoredResult>& rows) {
  std::string text;
  for (const Family family : {Family::reduce, Family::histogram}) {
    const bool is_shown = std::ranges::any_of(rows, [&](const StoredResult& row) {
      return row.measurement.problem.family == name(family);
    });
    if (is_shown) text += fmt::format("config: {}\n", config_legend(family));
  }
  return text;
}

bool is_newer(const StoredResult& a, const StoredResult& b) {
  return credible_time(a) > credible_time(b);
}

}  // namespace foldtune
