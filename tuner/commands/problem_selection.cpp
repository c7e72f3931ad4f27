#include "tuner/commands/problem_selection.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "foldtune/error.h"
#include "templates/family.h"
#include "tuner/commands/options.h"
#include "tuner/commands/row_filter.h"
#include "tuner/inspect/stored_rows.h"

namespace foldtune {

void add_problem_selection(CLI::App& app, ProblemSelection& selection) {
  add_problem_options(app, selection.problem, Values::one);
  add_shape_options(app, selection.shape, Values::one, "");
  add_device_filter(app, selection.device);
  add_database_option(app, selection.database);
}

Workload selected_workload(const ProblemSelection& selection) {
  const Problem problem = make_problem(selection.problem);
  const Family& family = problem.family();
  if (!selection.shape.shape) {
    throw InvalidArgument(takes_count(family) ? "--n is required: for how many elements?"
                                              : "--shape is required: for which extents?");
  }
  const Shape shape = require_shape(problem, selection.problem.axes, *selection.shape.shape);
  Workload workload{problem, shape, require_layout(problem, shape, selection.shape.layout),
                    require_conditions(selection.shape.conditions)};
  if (const std::string fault = find_fault(workload); !fault.empty()) throw InvalidArgument(fault);
  return workload;
}

std::vector<StoredResult> select_device(std::vector<StoredResult> rows,
                                        const ProblemSelection& selection) {
  const bool has_rows = !rows.empty();
  std::erase_if(rows, [wanted = device_filter(selection.device)](const StoredResult& row) {
    return !is_among(wanted, row.run.device);
  });
  if (has_rows && rows.empty()) {
    throw InvalidArgument(
        fmt::format("nothing in {} is of a device '{}'; `foldtune show` lists what there is",
                    database_path(selection.database), selection.device));
  }
  return rows;
}

}  // namespace foldtune
