#include "tuner/commands/problem_selection.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "foldtune/error.h"
#include "tuner/commands/options.h"
#include "tuner/commands/row_filter.h"
#include "tuner/inspect/stored_rows.h"
#include "tuner/problem/count_list.h"

namespace foldtune {
void add_problem_selection(CLI::App& app, ProblemSelection& selection) {
  app.add_option("--op", selection.op, "The operator [sum]")->type_name("NAME");
  app.add_option("--type", selection.type, "The element type [f32]")->type_name("TYPE");
  add_problem_options(app, selection.problem);
  add_tune_bin_options(app, selection.problem.bins);
  app.add_option("--n", selection.count, "The element count, such as 1e6 or 2^20")
      ->type_name("COUNT")
      ->required();
  app.add_option("--alignment", selection.alignment,
                 "Of the input's address: vector (16 bytes) or element [vector]")
      ->type_name("NAME");
  add_device_filter(app, selection.device);
  add_database_option(app, selection.database);
}

Problem selected_problem(const ProblemSelection& selection) {
  const Operator op = choose_operator(selection.op, selection.problem, selection.type.has_value());
  Problem problem =
      make_problem(selection.problem, op, require_element_type(selection.type.value_or("f32")));
  problem.alignment = require_alignment(selection.alignment);
  problem.count = parse_count(selection.count);
  if (const std::string fault = find_fault(problem); !fault.empty()) throw InvalidArgument(fault);
  return problem;
}

std::vector<StoredResult> select_device(std::vector<StoredResult> rows,
                                        const ProblemSelection& selection) {
  const bool has_rows = !rows.empty();
  std::erase_if(rows, [&](const StoredResult& row) {
    return !has_name_with(row.run.device, selection.device);
  });
  if (has_rows && rows.empty()) {
    throw InvalidArgument(
        fmt::format("no device in {} has '{}' in its name; `foldtune show` lists what there is",
                    database_path(selection.database), selection.device));
  }
  return rows;
}

}  // namespace foldtune
