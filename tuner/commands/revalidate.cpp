// foldtune revalidate: times again what was tuned with another driver or compiler, or imported.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "runtime/device/device.h"
#include "runtime/lookup/lookup.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/commands/row_filter.h"
#include "tuner/commands/tuning.h"
#include "tuner/inspect/row_fields.h"
#include "tuner/inspect/stored_problem.h"
#include "tuner/inspect/stored_rows.h"
#include "tuner/problem/count_list.h"
#include "tuner/session/stale.h"
#include "tuner/session/tuner.h"
#include "tuner/text/format.h"
#include "tuner/text/print.h"
#include "tuner/text/table.h"

namespace foldtune {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct RevalidateArguments {
  std::optional<std::string> device;
  RowFilter filter;
  std::optional<std::string> budget;
  std::optional<std::string> database;
  int threads = 0;
  bool dry_run = false;
  bool json = false;
};

/// What is stale, but cannot be made again, and why: a line for each.
std::vector<std::string> left_out(const StaleResults& found) {
  constexpr const char* kWhyUnreadable =
      "a database does not hold what custom operators and those of other versions do; tune it "
      "again";
  std::vector<std::string> lines;
  for (const ProblemKey& key : found.unreadable) {
    lines.push_back(fmt::format("{}: {}", describe_operation(key), kWhyUnreadable));
  }
  for (const std::string& family : found.unknown_families) {
    lines.push_back(
        fmt::format("the family {}: it is not known here; name its file with --family", family));
  }
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

void print_notes_on(const std::vector<std::string>& left_out) {
  for (const std::string& line : left_out) {
    print_to(stderr, "foldtune: note: left out: {}\n", line);
  }
}

/// What a dry run prints.
void print_stale(const std::vector<StaleProblem>& problems) {
  Table table({{"problem"},
               {"us", Align::right},
               {"measured (UTC)"},
               {"driver"},
               {"compiler"},
               {"from"},
               {"config"}});
  for (const StaleProblem& stale : problems) {
    for (const StoredResult& row : stale.stale) {
      const MeasurementRecord& m = row.measurement;
      table.add_row({describe_problem(m.problem, m.shape), format_number(m.median_us),
                     minutes_of(row.measured_at), row.run.device.driver, row.run.compiler,
                     describe_source(row), format_config(m.params)});
    }
  }
  print_to(stdout, "{}", Lines{table.to_string(terminal_width(stdout))});
}

/// What a dry run says as JSON.
OrderedJson to_json(const DeviceGroup& devices, const PresentDevice& device,
                    const std::string& database, const StaleResults& found) {
  std::vector<StoredResult> rows;
  for (const StaleProblem& stale : found.problems) {
    rows.insert(rows.end(), stale.stale.begin(), stale.stale.end());
  }
  OrderedJson json{{"devices", devices}};
  json.update(origin_json(device.record, device.compiler));
  json.update({{"database", database},
               {"problems", found.problems.size()},
               {"stale", to_json(rows)},
               {"left_out", left_out(found)}});
  return json;
}

const StaleProblem& stale_of(const std::vector<StaleProblem>& problems, const Workload& workload) {
  const ProblemKey key = make_problem_key(workload);
  return *std::ranges::find_if(
      problems, [&](const StaleProblem& stale) { return make_problem_key(stale.workload) == key; });
}

/// The newest result that was stale, beside the new one.
void print_changes(const std::vector<StaleProblem>& problems,
                   const std::vector<ProblemResult>& results) {
  Table table({{"problem"},
               {"was us", Align::right},
               {"is us", Align::right},
               {"change", Align::right},
               {"config"},
               {"was"}});
  for (const ProblemResult& result : results) {
    const MeasurementRecord& was = stale_of(problems, result.workload).stale.front().measurement;
    const std::string before = format_config(was.params);
    const std::string now = format_config(result.best);
    table.add_row({to_string(result.workload), format_number(was.median_us),
                   format_number(result.best_us), format_change(result.best_us / was.median_us),
                   now, before == now ? "the same" : before});
  }
  print_to(stdout, "\n{}\n", Lines{table.to_string(terminal_width(stdout))});
  print_config_legends(results);
}

/// A row of that table.
OrderedJson change_json(const std::vector<StaleProblem>& problems, const ProblemResult& result) {
  const MeasurementRecord& was = stale_of(problems, result.workload).stale.front().measurement;
  OrderedJson json = to_json(result);
  json["was_us"] = was.median_us;
  json["was_config"] = OrderedJson::parse(was.params);
  return json;
}

/// A tuning that tries what is stale, and nothing else.
TuneOptions make_options(const RevalidateArguments& arguments,
                         const std::vector<StaleProblem>& problems,
                         const std::string& command_line) {
  TuneOptions options;
  for (const StaleProblem& stale : problems) options.workloads.push_back(stale.workload);
  group_by_inputs(options.workloads);
  options.only = [&problems](const Workload& workload) {
    return candidates_of(stale_of(problems, workload));
  };
  if (arguments.budget) options.budget_s = parse_duration(*arguments.budget);
  options.compile_threads = arguments.threads;
  options.command = command_line;
  return options;
}

ExitCode run_group(const RevalidateArguments& arguments, const DeviceGroup& group,
                   const std::string& path, const std::string& command_line, OrderedJson* json) {
  const std::unique_ptr<Device> opened = open_device(group.front());
  const PresentDevice device{opened->info().record, opened->compiler().version()};
  const StaleResults found = find_stale(
      select(open_sqlite_store(path, OpenMode::read_only)->best(), arguments.filter), device);
  print_notes_on(left_out(found));
  if (found.problems.empty() || arguments.dry_run) {
    if (json != nullptr) {
      json->push_back(to_json(group, device, path, found));
      return ExitCode::ok;
    }
    if (!found.problems.empty()) print_stale(found.problems);
    print_to(stdout, "{} of {} stale in {}\n", format_count(found.problems.size(), "problem"),
             describe_origin(device.record, device.compiler), path);
    return ExitCode::ok;
  }
  return tune_on(
      {.devices = group,
       .database = path,
       .doing = "revalidating",
       .limit = "",
       .print =
           [&](const std::vector<ProblemResult>& results) {
             print_changes(found.problems, results);
           },
       .to_json = [&](const ProblemResult& result) { return change_json(found.problems, result); },
       .left_out = left_out(found),
       .json = json},
      make_options(arguments, found.problems, command_line));
}

ExitCode run_revalidate(const RevalidateArguments& arguments, const std::string& command_line) {
  select({}, arguments.filter);  // what is wrong with the command line is said first
  if (arguments.budget) parse_duration(*arguments.budget);
  const std::string path = database_path(arguments.database);
  return tune_groups(choose_devices(arguments.device), arguments.json,
                     [&](const DeviceGroup& group, OrderedJson* json) {
                       return run_group(arguments, group, path, command_line, json);
                     });
}

}  // namespace

Action prepare_revalidate(CLI::App& app, const std::string& command_line) {
  auto arguments = std::make_shared<RevalidateArguments>();
  app.add_option("--device", arguments->device,
                 "cuda:N, cpu or all (GPUs) [cuda:0 where there is one, else cpu]")
      ->type_name("NAME");
  add_problem_filter(app, arguments->filter);
  app.add_option("--budget", arguments->budget,
                 "Time for everything together: 20s, 2m, 90 (seconds) [no limit]")
      ->type_name("TIME");
  add_database_option(app, arguments->database);
  add_threads_option(app, arguments->threads);
  app.add_flag("--dry-run", arguments->dry_run, "List what is stale, and run nothing");
  app.add_flag("--json", arguments->json,
               "Print JSON: an array with an object for each kind of device");
  app.footer(
      "After an update of the driver or of NVRTC, the results of before are stale; what was "
      "imported is\nstale from the beginning. This compiles, checks and times the best "
      "configurations of every stale\nproblem again, beside the untuned default, and keeps the "
      "fastest, as `foldtune tune` does it. What\nis done is not done again: the same command goes "
      "on where it was stopped (Ctrl-C).\n\n"
      "Examples:\n"
      "  foldtune revalidate --dry-run\n"
      "  foldtune revalidate --device all --budget 10m\n"
      "  foldtune revalidate --device cpu --op sum");
  return [arguments, command_line] { return run_revalidate(*arguments, command_line); };
}

}  // namespace foldtune
