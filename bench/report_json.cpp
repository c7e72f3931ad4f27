#include "bench/report_json.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "foldtune/error.h"
#include "templates/json_fields.h"
#include "tuner/files/file_error.h"
#include "tuner/files/input_file.h"

namespace foldtune::bench {
namespace {

using Json = nlohmann::ordered_json;

// The fields of each struct, for both directions.

template <FieldsOf<Cell> T, class Visit>
void visit_fields(T& cell, const Visit& visit) {
  visit("case", cell.case_name);
  visit("family", cell.family);
  visit("problem", cell.problem);
  visit("inputs", cell.inputs);
  visit("layout", cell.layout);
  visit("shape", cell.shape);
  visit("n", cell.count);
  visit("bytes", cell.bytes);
  visit("manner", cell.manner);
}

template <FieldsOf<Figure> T, class Visit>
void visit_fields(T& figure, const Visit& visit) {
  visit_fields(figure.cell, visit);
  visit("contender", figure.contender);
  visit("median_us", figure.median_us);
  visit("mad_us", figure.mad_us);
  visit("samples_us", figure.samples_us);
  visit("run", figure.run);
}

template <FieldsOf<Fault> T, class Visit>
void visit_fields(T& fault, const Visit& visit) {
  visit_fields(fault.cell, visit);
  visit("contender", fault.contender);
  visit("wrong", fault.is_wrong);
  visit("reason", fault.reason);
  visit("run", fault.run);
}

template <FieldsOf<Run> T, class Visit>
void visit_fields(T& run, const Visit& visit) {
  visit("date", run.date);
  visit("command", run.command);
  visit("device", run.device);
  visit("architecture", run.architecture);
  visit("driver", run.driver);
  visit("versions", run.versions);
  visit("read_bandwidth_gbps", run.read_bandwidth_gbps);
  visit("launch_us", run.launch_us);
  visit("rounds", run.rounds);
  visit("seed", run.seed);
}

template <class T>
Json to_object(const T& item) {
  Json json;
  visit_fields(item, [&](const char* key, const auto& field) { json[key] = field; });
  return json;
}

template <class T>
T from_object(const Json& json) {
  T item;
  visit_fields(item, [&](const char* key, auto& field) { json.at(key).get_to(field); });
  return item;
}

/// To the digits that a timing has.
double shortened(double value) { return std::stod(fmt::format("{:.6g}", value)); }

std::vector<double> shortened(std::vector<double> values) {
  for (double& value : values) value = shortened(value);
  return values;
}

Json figure_json(const Figure& exact) {
  Figure figure = exact;
  figure.median_us = shortened(figure.median_us);
  figure.mad_us = shortened(figure.mad_us);
  figure.samples_us = shortened(std::move(figure.samples_us));
  Json json = to_object(figure);
  json["gbps"] = shortened(figure.gbps());
  if (!figure.config.empty()) {
    json["config"] = Json::parse(figure.config);
    json["source"] = figure.source;
  }
  if (figure.compile_s > 0) json["compile_s"] = shortened(figure.compile_s);
  return json;
}

Figure parse_figure(const Json& json) {
  auto figure = from_object<Figure>(json);
  if (json.contains("config")) {
    figure.config = json.at("config").dump();
    figure.source = json.at("source");
  }
  figure.compile_s = json.value("compile_s", 0.0);
  return figure;
}

template <class T>
Json list_json(const std::vector<T>& items, Json (*to)(const T&)) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(to(item));
  return list;
}

template <class T>
std::vector<T> parse_list(const Json& list, T (*from)(const Json&)) {
  std::vector<T> items;
  for (const Json& item : list) items.push_back(from(item));
  return items;
}

FileError unreadable(const std::string& name, std::string_view why) {
  return FileError(fmt::format(
      "reading the bench's report {}: {}; give what foldtune_bench or bench/peers.py wrote", name,
      why));
}

/// What would be found out later, and lead astray.
void check_numbers(const Report& report, const std::string& name) {
  const auto check = [&](std::size_t run) {
    if (run >= report.runs.size()) throw unreadable(name, "a figure is of a run that is not there");
  };
  for (const Figure& figure : report.figures) {
    check(figure.run);
    if (!(figure.median_us > 0)) throw unreadable(name, "a time is not positive");
  }
  for (const Fault& fault : report.faults) check(fault.run);
}

template <class T>
void append(std::vector<T>& all, std::vector<T>& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void require_same_device(const Report& report) {
  for (const Run& run : report.runs) {
    const Run& first = report.runs.front();
    if (run.device == first.device) continue;
    throw InvalidArgument(
        fmt::format("joining reports: one is of {}, one of {}; figures of different devices are no "
                    "comparison",
                    first.device, run.device));
  }
}

void require_distinct(const Report& report) {
  for (const Row& row : rows_of(report)) {
    std::set<std::string_view> seen;
    for (const Figure* figure : row.figures) {
      if (seen.insert(figure->contender).second) continue;
      throw InvalidArgument(fmt::format(
          "joining reports: two have {} for {} ({}); give one file for each measurement",
          figure->contender, describe(*row.cell), row.cell->manner));
    }
  }
}

}  // namespace

std::string to_json(const Report& report) {
  return Json{{"schema_version", kSchemaVersion},
              {"runs", list_json(report.runs, to_object<Run>)},
              {"figures", list_json(report.figures, figure_json)},
              {"faults", list_json(report.faults, to_object<Fault>)},
              {"not_run", list_json(report.not_run, to_object<Cell>)}}
             .dump(-1, ' ', false, Json::error_handler_t::replace) +
         '\n';
}

Report parse_report(std::string_view text, const std::string& name) {
  try {
    const Json json = Json::parse(text);
    if (json.at("schema_version") != kSchemaVersion) {
      throw unreadable(name, fmt::format("it is of version {}, and this one reads version {}",
                                         json.at("schema_version").dump(), kSchemaVersion));
    }
    Report report{.runs = parse_list(json.at("runs"), from_object<Run>),
                  .figures = parse_list(json.at("figures"), parse_figure),
                  .faults = parse_list(json.at("faults"), from_object<Fault>),
                  .not_run = parse_list(json.at("not_run"), from_object<Cell>)};
    check_numbers(report, name);
    return report;
  } catch (const Json::exception& error) {
    throw unreadable(name, error.what());
  }
}

Report read_report(const std::string& path) {
  return parse_report(InputFile(path).read_all(), path);
}

Report join(std::vector<Report> reports) {
  Report all;
  for (Report& report : reports) {
    const std::size_t first_run = all.runs.size();
    for (Figure& figure : report.figures) figure.run += first_run;
    for (Fault& fault : report.faults) fault.run += first_run;
    append(all.runs, report.runs);
    append(all.figures, report.figures);
    append(all.faults, report.faults);
    append(all.not_run, report.not_run);
  }
  require_same_device(all);
  require_distinct(all);
  return all;
}

}  // namespace foldtune::bench
