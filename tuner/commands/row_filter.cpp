#include "tuner/commands/row_filter.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

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
  app.add_option("--device", device, "Part of a device's name, such as h200")->type_name("TEXT");
}

std::function<bool(const StoredResult&)> row_test(const RowFilter& filter) {
  std::vector<std::pair<std::string, std::vector<std::string>>> wanted;
  for (const FieldOption& option : field_options()) {
    const auto text = filter.fields.find(option.name);
    if (text == filter.fields.end() || text->second == kEvery) continue;
    wanted.emplace_back(option.name, require_values(option, text->second));
  }
  const std::string family =
      filter.family.empty() ? "" : std::string(require_families(filter.family).front()->name());
  return [wanted, family, device = filter.device](const StoredResult& row) {
    const ProblemKey& problem = row.measurement.problem;
    return (family.empty() || problem.family == family) &&
           std::ranges::all_of(
               wanted,
               [&](const auto& item) { return has_value(problem, item.first, item.second); }) &&
           has_name_with(row.run.device, device);
  };
}

std::vector<StoredResult> select(std::vector<StoredResult> rows, const RowFilter& filter) {
  std::erase_if(rows, std::not_fn(row_test(filter)));
  return rows;
}

}  // namespace foldtune
