#include "tuner/commands/row_filter.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

#include "foldtune/error.h"
#include "runtime/device/device.h"
#include "templates/family.h"
#include "tuner/inspect/stored_problem.h"
#include "tuner/inspect/stored_rows.h"

namespace foldtune {

void add_problem_filter(CLI::App& app, RowFilter& filter) {
  add_field_options(app, filter.fields, filter.family, Values::filter);
}

void add_row_filter(CLI::App& app, RowFilter& filter) {
  add_problem_filter(app, filter);
  add_device_filter(app, filter.device);
}

void add_device_filter(CLI::App& app, std::string& device) {
  app.add_option("--device", device, kDeviceFilterHelp)->type_name("TEXT");
}

DeviceFilter device_filter(const std::string& text) {
  constexpr std::string_view kCuda = "cuda:";
  if (text == "cpu") return {.kind = text};
  if (!text.starts_with(kCuda)) return {.name_part = text};
  if (text == kCuda || text.find_first_not_of("0123456789", kCuda.size()) != std::string::npos) {
    throw InvalidArgument(fmt::format(
        "--device: there is no '{}'; use cuda:N (N from 0), cpu, or part of a device's name",
        text));
  }
  for (const DeviceInfo& info : list_cuda_devices()) {
    if (info.id == text) return {.kind = info.record.kind, .name = info.record.name};
  }
  throw Unavailable(
      fmt::format("--device {}: this machine has no such device; `foldtune devices` lists what it "
                  "has, and `foldtune show` those of the database, which part of a name chooses",
                  text));
}

std::function<bool(const StoredResult&)> row_test(const RowFilter& filter) {
  std::vector<std::pair<std::string, std::vector<std::string>>> wanted;
  for (const FieldOption& option : field_options()) {
    const auto text = filter.fields.find(option.name);
    if (text == filter.fields.end() || text->second == kEvery) continue;
    wanted.emplace_back(option.name, require_values(option, text->second, Values::filter));
  }
  const std::string family =
      filter.family.empty() ? "" : std::string(require_families(filter.family).front()->name());
  return [wanted, family, device = device_filter(filter.device)](const StoredResult& row) {
    const ProblemKey& problem = row.measurement.problem;
    return (family.empty() || problem.family == family) &&
           std::ranges::all_of(
               wanted,
               [&](const auto& item) { return has_value(problem, item.first, item.second); }) &&
           is_among(device, row.run.device);
  };
}

std::vector<StoredResult> select(std::vector<StoredResult> rows, const RowFilter& filter) {
  std::erase_if(rows, std::not_fn(row_test(filter)));
  return rows;
}

}  // namespace foldtune
