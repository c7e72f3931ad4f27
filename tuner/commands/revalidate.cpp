// foldtune revalidate: times again what was tuned with another driver or compiler.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "foldtune/error.h"
#include "runtime/lookup.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/device_listing.h"
#include "tuner/commands/options.h"
#include "tuner/commands/stored_problem.h"
#include "tuner/commands/stored_rows.h"
#include "tuner/commands/tune_devices.h"
#include "tuner/commands/tuning.h"
#include "tuner/count_list.h"
#include "tuner/format.h"
#include "tuner/interrupt.h"
#include "tuner/marked.h"
#include "tuner/progress.h"
#include "tuner/table.h"
#include "tuner/terminal.h"
#include "tuner/tuner.h"

namespace foldtune {
namespace {

struct RevalidateArguments {
  std::optional<std::string> device;
  RowFilter filter;
  std::optional<std::string> budget;
  std::optional<std::string> database;
  std::uint64_t seed = 1;
  int threads = 0;
  bool dry_run = false;
};

constexpr int kMaxThreads = 1024;

/// Throws Unavailable if the device has no compiler.
PresentDevice present_device(const std::string& id) {
  const DeviceListing listing = list_devices();
  for (const ListedDevice& device : listing.devices) {
    if (device.info.id != id) continue;
    if (!device.fault.empty()) throw Unavailable(device.fault);
    return {.record = device.info.record, .compiler = device.compiler};
  }
  const std::string& fault = is_cpu(id) ? listing.cpu_fault : listing.cuda_fault;
  throw Unavailable(
      fault.empty()
          ? fmt::format("there is no device {}; `foldtune devices` lists those there are", id)
          : fault);
}

void print_note_on(const std::vector<ProblemKey>& unreadable) {
  if (unreadable.empty()) return;
  std::vector<std::string> names;
  names.reserve(unreadable.size());
  for (const ProblemKey& key : unreadable) names.push_back(describe_operation(key));
  names.erase(std::unique(names.begin(), names.end()), names.end());
  fmt::print(stderr,
             "foldtune: note: left out: {}, since a database does not hold what custom operators "
             "and those of other versions do; tune them again\n",
             fmt::join(names, ", "));
}

/// What a dry run prints.
void print_marked(const std::vector<MarkedProblem>& problems) {
  Table table({{"problem"},
               {"us", Align::right},
               {"measured (UTC)"},
               {"driver"},
               {"compiler"},
               {"config"}});
  for (const MarkedProblem& marked : problems) {
    for (const StoredResult& row : marked.marked) {
      const MeasurementRecord& m = row.measurement;
      table.add_row({describe_problem(m.problem, m.count), format_number(m.median_us),
                     minutes_of(row.measured_at), row.run.device.driver, row.run.compiler,
                     format_config(m.params)});
    }
  }
  fmt::print("{}", table.to_string(terminal_width(stdout)));
}

const MarkedProblem& marked_of(const std::vector<MarkedProblem>& problems, const Problem& problem) {
  const ProblemKey key = make_problem_key(problem);
  return *std::ranges::find_if(problems, [&](const MarkedProblem& marked) {
    return make_problem_key(marked.problem) == key;
  });
}

/// The newest result that was marked, beside the new one.
void print_changes(const std::vector<MarkedProblem>& problems,
                   const std::vector<ProblemResult>& results) {
  Table table({{"problem"},
               {"was us", Align::right},
               {"is us", Align::right},
               {"change", Align::right},
               {"config"},
               {"was"}});
  for (const ProblemResult& result : results) {
    const MeasurementRecord& was = marked_of(problems, result.problem).marked.front().measurement;
    const std::string before = format_config(was.params);
    const std::string now = format_config(result.best);
    table.add_row({to_string(result.problem), format_number(was.median_us),
                   format_number(result.best_us), format_change(result.best_us / was.median_us),
                   now, before == now ? "the same" : before});
  }
  fmt::print("\n{}\n", table.to_string(terminal_width(stdout)));
  print_config_legends(results);
}

/// A tuning that tries what is marked, and nothing else.
TuneOptions make_options(const RevalidateArguments& arguments,
                         const std::vector<MarkedProblem>& problems, const DeviceRecord& device,
                         const std::string& command_line) {
  TuneOptions options;
  for (const MarkedProblem& marked : problems) options.problems.push_back(marked.problem);
  group_by_inputs(options.problems);
  options.search = "random";  // known configurations first, the first of them the default
  options.max_evaluations = 2;
  options.evaluations_of = [&problems, device](const Problem& problem) {
    return count_candidates(marked_of(problems, problem), device);
  };
  if (arguments.budget) options.budget_s = parse_duration(*arguments.budget);
  options.seed = arguments.seed;
  options.compile_threads = arguments.threads;
  options.command = command_line;
  return options;
}

ExitCode revalidate_on(const DeviceGroup& devices, const std::vector<MarkedProblem>& problems,
                       TuneOptions options, const std::string& path) {
  std::vector<std::unique_ptr<Evaluator>> evaluators;
  std::vector<Evaluator*> pointers;
  for (const std::string& device : devices) {
    evaluators.push_back(open_evaluator(device, options.seed));
    pointers.push_back(evaluators.back().get());
  }
  evaluators.front()->compiler();  // a missing one is an error now, not after the inputs are made
  const std::unique_ptr<ConfigStore> store = open_sqlite_store(path, OpenMode::read_write);
  const auto relations = with_marked_relations(*store, problems);
  fmt::print(stderr, "revalidating {} on {} ({})\n", format_count(problems.size(), "problem"),
             fmt::join(devices, ", "), evaluators.front()->info().record.name);
  const InterruptGuard interrupt;
  options.stop_requested = [&] { return interrupt.is_interrupted(); };
  TuneSummary summary;
  {
    ProgressPrinter progress(stderr, terminal_width(stderr));
    summary = tune(pointers, *relations, options, progress);
  }
  if (!interrupt.is_interrupted()) {
    Evaluator& first = *evaluators.front();
    keep_kernels_of(summary.results, *store, first.info().record, first.compiler(),
                    options.compile_threads);
  }
  return conclude(
      {.problems = options.problems,
       .summary = summary,
       .is_interrupted = interrupt.is_interrupted(),
       .device = devices.front(),
       .database = path},
      [&](const std::vector<ProblemResult>& results) { print_changes(problems, results); });
}

ExitCode run_group(const RevalidateArguments& arguments, const DeviceGroup& group,
                   const std::string& path, const std::string& command_line) {
  const PresentDevice device = present_device(group.front());
  const MarkedProblems found = find_marked(
      select(open_sqlite_store(path, OpenMode::read_only)->best(), arguments.filter), device);
  print_note_on(found.unreadable);
  if (found.problems.empty() || arguments.dry_run) {
    if (!found.problems.empty()) print_marked(found.problems);
    fmt::print("{} of {} marked for revalidation in {}\n",
               format_count(found.problems.size(), "problem"),
               describe_origin(device.record, device.compiler), path);
    return ExitCode::ok;
  }
  return revalidate_on(group, found.problems,
                       make_options(arguments, found.problems, device.record, command_line), path);
}

ExitCode run_revalidate(const RevalidateArguments& arguments, const std::string& command_line) {
  select({}, arguments.filter);  // what is wrong with the command line is said first
  if (arguments.budget) parse_duration(*arguments.budget);
  const std::string path = database_path(arguments.database);
  ExitCode code = ExitCode::ok;
  for (const DeviceGroup& group : choose_devices(arguments.device)) {
    const ExitCode of_group = run_group(arguments, group, path, command_line);
    if (of_group == ExitCode::interrupted) return of_group;
    if (of_group != ExitCode::ok) code = of_group;
  }
  return code;
}

}  // namespace

Action prepare_revalidate(CLI::App& app, const std::string& command_line) {
  auto arguments = std::make_shared<RevalidateArguments>();
  app.add_option("--device", arguments->device,
                 "cuda:N, cpu or all (GPUs) [cuda:0 where there is one, else cpu]")
      ->type_name("NAME");
  app.add_option("--op", arguments->filter.operators, "Operators by comma, or all [all]")
      ->type_name("LIST");
  app.add_option("--type", arguments->filter.types, "Element types by comma, or all [all]")
      ->type_name("LIST");
  app.add_option("--budget", arguments->budget,
                 "Time for everything together: 20s, 2m, 90 (seconds) [no limit]")
      ->type_name("TIME");
  app.add_option("--db", arguments->database, "The tuning database [see foldtune --help]")
      ->type_name("FILE");
  app.add_option("--seed", arguments->seed, "Of the inputs and the order of the comparison [1]")
      ->type_name("N")
      // CLI11 would take -1 for the largest number.
      ->check(CLI::Validator(CLI::NonNegativeNumber).description(""));
  app.add_option("--threads", arguments->threads, "Threads that compile [one per core]")
      ->type_name("N")
      ->check(CLI::Range(0, kMaxThreads).description(""));
  app.add_flag("--dry-run", arguments->dry_run, "List what is marked, and run nothing");
  app.footer(
      "After an update of the driver or of NVRTC, the results of before are marked. This compiles, "
      "checks\nand times the best configurations of every marked problem again, beside the untuned "
      "default, and\nkeeps the fastest, as `foldtune tune` does it. What is done is not done "
      "again: "
      "the same command\ngoes on where it was stopped (Ctrl-C).\n\n"
      "Examples:\n"
      "  foldtune revalidate --dry-run\n"
      "  foldtune revalidate --device all --budget 10m\n"
      "  foldtune revalidate --device cpu --op sum");
  return [arguments, command_line] { return run_revalidate(*arguments, command_line); };
}

}  // namespace foldtune
