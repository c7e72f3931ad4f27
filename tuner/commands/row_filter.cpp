#include "tuner/commands/row_filter.h"

#include <CLI/CLI.hpp>

#include "tuner/commands/options.h"
#include "tuner/inspect/stored_problem.h"
#include "tuner/inspect/stored_rows.h"

namespace foldtune {

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

}  // namespace foldtune
