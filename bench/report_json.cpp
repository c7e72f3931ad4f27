#include "bench/report_json.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "foldtune/error.h"
#include "tuner/file_error.h"

namespace foldtune::bench {
namespace {

using Json = nlohmann::ordered_json;

Json cell_json(const Cell& cell) {
  return {{"case", cell.case_name},      {"op", cell.op},
          {"type", cell.type},           {"accumulator", cell.accumulator},
          {"options", cell.options},     {"inputs", cell.inputs},
          {"alignment", cell.alignment}, {"n", cell.count},
          {"bytes", cell.bytes},         {"manner", cell.manner}};
}

Cell parse_cell(const Json& json) {
  return {.case_name = json.at("case"),
          .op = json.at("op"),
          .type = json.at("type"),
          .accumulator = json.at("accumulator"),
          .options = json.at("options"),
          .inputs = json.at("inputs"),
          .alignment = json.at("alignment"),
          .count = json.at("n"),
          .bytes = json.at("bytes"),
          .manner = json.at("manner")};
}

/// To the digits that a timing has.
double shortened(double value) { return std::stod(fmt::format("{:.6g}", value)); }

std::vector<double> shortened(std::vector<double> values) {
  for (double& value : values) value = shortened(value);
  return values;
}

Json figure_json(const Figure& figure) {
  Json json = cell_json(figure.cell);
  json["contender"] = figure.contender;
  json["median_us"] = shortened(figure.median_us);
  json["mad_us"] = shortened(figure.mad_us);
  json["samples_us"] = shortened(figure.samples_us);
  json["gbps"] = shortened(figure.gbps());
  if (!figure.config.empty()) {
    json["config"] = Json::parse(figure.config);
    json["source"] = figure.source;
  }
  json["run"] = figure.run;
  return json;
}

Figure parse_figure(const Json& json) {
  Figure figure{.cell = parse_cell(json),
                .contender = json.at("contender"),
                .samples_us = json.at("samples_us"),
                .median_us = json.at("median_us"),
                .mad_us = json.at("mad_us"),
                .run = json.at("run")};
  if (json.contains("config")) {
    figure.config = json.at("config").dump();
    figure.source = json.at("source");
  }
  return figure;
}

Json fault_json(const Fault& fault) {
  Json json = cell_json(fault.cell);
  json["contender"] = fault.contender;
  json["wrong"] = fault.is_wrong;
  json["reason"] = fault.reason;
  json["run"] = fault.run;
  return json;
}

Fault parse_fault(const Json& json) {
  return {.cell = parse_cell(json),
          .contender = json.at("contender"),
          .is_wrong = json.at("wrong"),
          .reason = json.at("reason"),
          .run = json.at("run")};
}

Json run_json(const Run& run) {
  return {{"date", run.date},
          {"command", run.command},
          {"device", run.device},
          {"architecture", run.architecture},
          {"driver", run.driver},
          {"versions", run.versions},
          {"read_bandwidth_gbps", run.read_bandwidth_gbps},
          {"launch_us", run.launch_us},
          {"rounds", run.rounds},
          {"seed", run.seed}};
}

Run parse_run(const Json& json) {
  return {.date = json.at("date"),
          .command = json.at("command"),
          .device = json.at("device"),
          .architecture = json.at("architecture"),
          .driver = json.at("driver"),
          .versions = json.at("versions"),
          .read_bandwidth_gbps = json.at("read_bandwidth_gbps"),
          .launch_us = json.at("launch_us"),
          .rounds = json.at("rounds"),
          .seed = json.at("seed")};
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
              {"runs", list_json(report.runs, run_json)},
              {"figures", list_json(report.figures, figure_json)},
              {"faults", list_json(report.faults, fault_json)},
              {"not_run", list_json(report.not_run, cell_json)}}
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
    Report report{.runs = parse_list(json.at("runs"), parse_run),
                  .figures = parse_list(json.at("figures"), parse_figure),
                  .faults = parse_list(json.at("faults"), parse_fault),
                  .not_run = parse_list(json.at("not_run"), parse_cell)};
    check_numbers(report, name);
    return report;
  } catch (const Json::exception& error) {
    throw unreadable(name, error.what());
  }
}

Report read_report(const std::string& path) {
  errno = 0;
  const std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream.is_open() || errno != 0) {
    throw unreadable(path, std::generic_category().message(errno != 0 ? errno : EIO));
  }
  return parse_report(text.str(), path);
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
