// foldtune history: everything that was ever chosen for a problem.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "runtime/lookup.h"
#include "templates/embedded.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/commands/problem_selection.h"
#include "tuner/commands/row_fields.h"
#include "tuner/commands/stored_problem.h"
#include "tuner/commands/stored_rows.h"
#include "tuner/format.h"
#include "tuner/problem_history.h"
#include "tuner/table.h"
#include "tuner/terminal.h"

namespace foldtune {
namespace {

/// A choice, and its time over that of the one before of the same device and count.
struct Step {
  StoredResult row;
  std::optional<double> ratio{};  ///< empty for the first
};

constexpr const char* kLegend =
    "us: per call. change: against the choice before it of the same device and n, whatever the "
    "driver, compiler and kernels. kernels: these of this Foldtune, or how the fingerprint of "
    "others begins.";

/// In the order of the rows.
std::vector<Step> make_steps(const std::vector<StoredResult>& choices) {
  std::vector<Step> steps;
  for (const StoredResult& row : choices) {
    Step step{.row = row};
    for (const Step& before : steps) {
      if (is_same_device(before.row.run.device, row.run.device) &&
          before.row.measurement.count == row.measurement.count) {
        step.ratio = row.measurement.median_us / before.row.measurement.median_us;
      }
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

/// "these", or how another version's fingerprint begins.
std::string describe_kernels(const RunRecord& run) {
  constexpr std::size_t kShown = 11;  // with the dots
  return run.template_fingerprint == template_fingerprint() ? "these"
                                                            : cut(run.template_fingerprint, kShown);
}

void print_table(const std::vector<Step>& steps) {
  Table table({{"chosen (UTC)"},
               {"device"},
               {"n", Align::right},
               {"us", Align::right},
               {"change", Align::right},
               {"driver"},
               {"compiler"},
               {"kernels"},
               {"config"}});
  for (const Step& step : steps) {
    const MeasurementRecord& m = step.row.measurement;
    const RunRecord& run = step.row.run;
    table.add_row({minutes_of(step.row.measured_at), run.device.name, fmt::to_string(m.count),
                   format_number(m.median_us), step.ratio ? format_change(*step.ratio) : "-",
                   run.device.driver, run.compiler, describe_kernels(run),
                   format_config(m.params)});
  }
  fmt::print("{}\n", table.to_string(terminal_width(stdout)));
}

void print_json(const std::vector<Step>& steps) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const Step& step : steps) {
    nlohmann::ordered_json json = to_json(step.row);
    json["time_over_previous"] =
        step.ratio ? nlohmann::ordered_json(*step.ratio) : nlohmann::ordered_json();
    array.push_back(std::move(json));
  }
  print_indented(array);
}

ExitCode run_history(const ProblemSelection& selection) {
  const Problem problem = selected_problem(selection);
  const std::string path = database_path(selection.database);
  const std::unique_ptr<const ConfigStore> store = open_sqlite_store(path, OpenMode::read_only);
  std::vector<StoredResult> chosen = select_device(store->best(), selection);
  const ProblemKey key = make_problem_key(problem);
  std::vector<StoredResult> of_problem = store->choices_of(key);
  std::erase_if(of_problem, [&](const StoredResult& row) {
    return !has_name_with(row.run.device, selection.device);
  });
  if (selection.json) {
    print_json(make_steps(of_problem));
  } else if (chosen.empty()) {
    fmt::print("{} holds no choices yet; `foldtune tune` makes some\n", path);
  } else if (of_problem.empty()) {
    fmt::print("nothing was ever chosen for {}; there is {}\n",
               describe_problem(key, problem.count), describe_others(chosen, problem));
  } else {
    fmt::print("{}\n", describe_problem(key, problem.count));
    print_table(make_steps(of_problem));
    fmt::print("{}\nconfig: {}\ndatabase: {}\n", wrap(kLegend, terminal_width(stdout), 0),
               config_legend(family_of(problem.op)), path);
  }
  return ExitCode::ok;
}

}  // namespace

Action prepare_history(CLI::App& app, const std::string&) {
  auto selection = std::make_shared<ProblemSelection>();
  add_problem_selection(app, *selection);
  app.add_flag("--json", selection->json, "Print JSON: an array with every field");
  app.footer(
      "Lists every configuration that was ever chosen for a problem, and all counts of its size "
      "class,\nby all runs, on all devices, drivers, compilers and kernels; the oldest first.\n\n"
      "Example:\n"
      "  foldtune history --op sum --type f32 --n 2^20 --device h200");
  return [selection] { return run_history(*selection); };
}

}  // namespace foldtune
