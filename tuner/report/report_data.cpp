#include "tuner/report/report_data.h"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "foldtune/problem.h"
#include "tuner/report/config_table.h"
#include "tuner/report/device_data.h"

namespace foldtune {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// Points of all landscapes together: about 1.5 MB of the page.
constexpr std::size_t kPoints = 150'000;

/// The database's times are those of calls in a graph.
constexpr const char* kComparableMethod = "graph";

void limit_landscapes(std::vector<DeviceView>& devices) {
  std::vector<LandscapeView*> landscapes;
  for (DeviceView& device : devices) {
    for (ProblemView& problem : device.problems) landscapes.push_back(&problem.landscape);
  }
  limit_points(landscapes, kPoints);
}

/// The bench measures problems of the catalogue's defaults.
bool is_same_operation(const BenchSeries& series, const ProblemKey& key) {
  return key.op == series.op && key.element_type == series.type &&
         key.accumulator_type == series.accumulator && key.options == series.options &&
         key.alignment == name(Alignment::vector) &&
         key.determinism == name(Determinism::run_to_run);
}

OrderedJson peer_json(const BenchReport& report, const BenchSeries& series, std::size_t operation) {
  OrderedJson counts = OrderedJson::array();
  OrderedJson times = OrderedJson::array();
  for (const BenchSeries::Point& point : series.points) {
    counts.push_back(point.count);
    times.push_back(point.median_us);
  }
  return {{"operation", operation},     {"name", series.name}, {"file", report.file},
          {"measured_at", report.date}, {"n", counts},         {"us", times}};
}

OrderedJson peers_json(const std::string& device, const std::vector<BenchReport>& bench,
                       const OperationTable& operations) {
  OrderedJson peers = OrderedJson::array();
  for (const BenchReport& report : bench) {
    if (report.device != device || report.method != kComparableMethod) continue;
    for (const BenchSeries& series : report.series) {
      for (std::size_t i = 0; i < operations.keys().size(); ++i) {
        if (is_same_operation(series, operations.keys()[i])) {
          peers.push_back(peer_json(report, series, i));
        }
      }
    }
  }
  return peers;
}

/// Empty if the report is of use.
std::string find_misfit(const BenchReport& report, const std::vector<DeviceView>& devices,
                        const OperationTable& operations) {
  if (report.method != kComparableMethod) {
    return fmt::format(
        "{} is left out: it was measured by the method {}, and the database's times are those of "
        "calls in a graph.",
        report.file, report.method);
  }
  for (const DeviceView& device : devices) {
    const std::string& name = device.rows.front()->run.device.name;
    if (!peers_json(name, {report}, operations).empty()) return {};
  }
  return fmt::format("{} is left out: nothing in it was tuned on a device like its {}.",
                     report.file, report.device);
}

std::size_t points_left_out(const std::vector<DeviceView>& devices) {
  std::size_t left_out = 0;
  for (const DeviceView& device : devices) {
    for (const ProblemView& problem : device.problems) left_out += problem.landscape.left_out;
  }
  return left_out;
}

OrderedJson left_out_json(const ReportSource& source, const std::vector<DeviceView>& devices,
                          const OperationTable& operations) {
  OrderedJson sentences = OrderedJson::array();
  for (const BenchReport& report : source.bench) {
    if (std::string misfit = find_misfit(report, devices, operations); !misfit.empty()) {
      sentences.push_back(std::move(misfit));
    }
  }
  if (const std::size_t points = points_left_out(devices); points > 0) {
    sentences.push_back(fmt::format(
        "The slowest {} configurations of the largest landscapes are left out, to keep this page "
        "small.",
        points));
  }
  return sentences;
}

}  // namespace

OrderedJson make_report_data(const ReportSource& source) {
  std::vector<DeviceView> views = view_devices(source.measurements);
  limit_landscapes(views);
  OperationTable operations;
  ConfigTable configs;
  OrderedJson devices = OrderedJson::array();
  for (const DeviceView& view : views) devices.push_back(to_json(view, operations, configs));
  for (OrderedJson& device : devices) {
    device["peers"] = peers_json(device.at("name"), source.bench, operations);
  }
  OrderedJson left_out = left_out_json(source, views, operations);
  return {{"foldtune_version", FOLDTUNE_VERSION}, {"made_at", source.made_at},
          {"database", source.database},          {"shapes", configs.shapes()},
          {"configs", configs.configs()},         {"operations", operations.to_json()},
          {"devices", std::move(devices)},        {"left_out", std::move(left_out)}};
}

}  // namespace foldtune
