#include "tuner/report/report_data.h"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "tuner/report/config_table.h"
#include "tuner/report/device_data.h"

namespace foldtune {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// Points of all landscapes together: about 1.5 MB of the page.
constexpr std::size_t kPoints = 150'000;

void limit_landscapes(std::vector<DeviceView>& devices) {
  std::vector<LandscapeView*> landscapes;
  for (DeviceView& device : devices) {
    for (ProblemView& problem : device.problems) landscapes.push_back(&problem.landscape);
  }
  limit_points(landscapes, kPoints);
}

std::size_t points_left_out(const std::vector<DeviceView>& devices) {
  std::size_t left_out = 0;
  for (const DeviceView& device : devices) {
    for (const ProblemView& problem : device.problems) left_out += problem.landscape.left_out;
  }
  return left_out;
}

OrderedJson left_out_json(const std::vector<DeviceView>& devices) {
  OrderedJson sentences = OrderedJson::array();
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
  OrderedJson left_out = left_out_json(views);
  return {{"foldtune_version", FOLDTUNE_VERSION}, {"made_at", source.made_at},
          {"database", source.database},          {"shapes", configs.shapes()},
          {"configs", configs.configs()},         {"operations", operations.to_json()},
          {"devices", std::move(devices)},        {"left_out", std::move(left_out)}};
}

}  // namespace foldtune
