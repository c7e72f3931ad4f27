// foldtune tune: finds the fastest configurations and keeps them in the database.
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
#include "runtime/device.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/commands/problem_options.h"
#include "tuner/count_list.h"
#include "tuner/format.h"
#include "tuner/interrupt.h"
#include "tuner/progress.h"
#include "tuner/table.h"
#include "tuner/terminal.h"
#include "tuner/tuner.h"

namespace foldtune {
namespace {

constexpr const char* kCudaCounts = "2^12..2^28";
// A larger one takes seconds per call there.
constexpr const char* kCpuCounts = "64K";

constexpr int kMaxThreads = 1024;

constexpr const char* kFooter = R"(Counts:
  4096, 64K, 1M (K, M, G, T are powers of 1024), 2^20, 1e6, and lists and ranges of them:
  2^12,2^14     these
  2^12..2^28    from 2^12 by factors of 4, up to 2^28 at most
  2^12..2^28:2  the same by factors of 2

A result serves all counts that are nearest to the same power of two, and, where nothing else
is known, those within a factor of 4.

Determinism:
  any                 nothing: the order of floating-point additions may change
  run_to_run          the same device and configuration give the same bits
  config_independent  the same bits whatever the configuration

Every variant is checked before it is timed, and every measurement is kept as it is made: to
stop early (Ctrl-C) loses nothing, and to tune again adds to what is there.

Examples:
  foldtune tune --op sum --type f32 --n 2^12..2^28 --budget 60s
  foldtune tune --op all --type f32,f64 --n 1e6 --db tuning.db
  foldtune tune --op min,argmin --nan ignore --type f16 --n 2^20
  foldtune tune --custom distance.json --n 2^24
  foldtune tune --op histogram --type u8 --distribution zipf --n 2^24
  foldtune tune --device cpu --n 64K --budget 20s)";

struct Arguments {
  std::optional<std::string> device;
  std::optional<std::string> operators;
  std::optional<std::string> types;
  ProblemOptions problem;
  std::optional<std::string> counts;
  std::string alignment{name(Alignment::vector)};
  std::string budget = "60s";
  std::optional<std::string> database;
  std::uint64_t seed = 1;
  int threads = 0;
};

bool is_cpu(const std::string& device) { return device.starts_with("cpu"); }

/// Throws InvalidArgument if no problem can be. What of several cannot be is left out with a note.
std::vector<Problem> make_problems(const Arguments& arguments) {
  const Alignment alignment = require_alignment(arguments.alignment);
  std::vector<Problem> problems;
  std::vector<std::string> left_out;
  std::string first_fault;
  const bool has_type = arguments.types.has_value();
  for (const Operator op : choose_operators(arguments.operators, arguments.problem, has_type)) {
    for (const ElementType type : parse_element_types(arguments.types.value_or("f32"))) {
      Problem problem = make_problem(arguments.problem, op, type);
      problem.alignment = alignment;
      if (const std::string fault = find_fault(problem); !fault.empty()) {
        left_out.push_back(fmt::format("{} {}", name(op), name(type)));
        if (first_fault.empty()) first_fault = fault;
      } else {
        problems.push_back(problem);
      }
    }
  }
  if (problems.empty()) throw InvalidArgument(first_fault);
  if (!left_out.empty()) {
    fmt::print(stderr, "foldtune: note: left out: {} ({}{})\n", fmt::join(left_out, ", "),
               first_fault, left_out.size() == 1 ? "" : ", and the like");
  }
  return problems;
}

/// Every problem with every count.
std::vector<Problem> with_counts(const std::vector<Problem>& problems, const std::string& counts) {
  std::vector<Problem> result;
  for (const Problem& problem : problems) {
    for (const std::uint64_t count : parse_counts(counts)) {
      result.push_back(problem);
      result.back().count = count;
    }
  }
  return result;
}

void print_config_legends(const std::vector<ProblemResult>& results) {
  for (const Family family : {Family::reduce, Family::histogram}) {
    const bool is_shown = std::ranges::any_of(
        results, [&](const ProblemResult& result) { return family_of(result.best) == family; });
    if (is_shown) fmt::print("config: {}\n", config_legend(family));
  }
}

void print_results(const std::vector<ProblemResult>& results) {
  Table table({{"problem"},
               {"best us", Align::right},
               {"GB/s", Align::right},
               {"%read", Align::right},
               {"gain", Align::right},
               {"tried", Align::right},
               {"failed", Align::right},
               {"config"}});
  for (const ProblemResult& result : results) {
    const bool has_gain = result.default_us > 0 && result.best_us > 0;
    table.add_row({to_string(result.problem), format_number(result.best_us),
                   format_number(result.gbps), format_percent(result.read_bandwidth_fraction),
                   has_gain ? fmt::format("{:.2f}x", result.default_us / result.best_us) : "-",
                   fmt::to_string(result.measured + result.failed), fmt::to_string(result.failed),
                   format_config(result.best)});
  }
  fmt::print("\n{}\n", table.to_string(terminal_width(stdout)));
  fmt::print("%read: of the measured read bandwidth. gain: over the untuned default.\n");
  print_config_legends(results);
}

/// The problems for which nothing could be measured.
std::vector<Problem> missing_problems(const std::vector<Problem>& problems,
                                      const std::vector<ProblemResult>& results) {
  std::vector<Problem> missing;
  for (const Problem& problem : problems) {
    const bool is_done = std::ranges::any_of(results, [&](const ProblemResult& result) {
      return to_string(result.problem) == to_string(problem);
    });
    if (!is_done) missing.push_back(problem);
  }
  return missing;
}

ExitCode conclude(const std::vector<Problem>& problems, const std::vector<ProblemResult>& results,
                  bool is_interrupted, const std::string& device, const std::string& path) {
  if (!results.empty()) print_results(results);
  if (!results.empty() && is_cpu(device)) fmt::print("The CPU device: {}.\n", kCpuTimes);
  fmt::print("database: {}\n", path);
  std::fflush(stdout);
  if (is_interrupted) {
    fmt::print(stderr, "foldtune: interrupted: everything measured is kept in {}\n", path);
    return ExitCode::interrupted;
  }
  for (const Problem& problem : missing_problems(problems, results)) {
    fmt::print(stderr,
               "foldtune: warning: nothing could be measured for {}; `foldtune show --all` says "
               "what failed, and a larger --budget may help\n",
               to_string(problem));
  }
  if (results.empty()) throw DeviceError("tuning: no configuration of any problem could be timed");
  return ExitCode::ok;
}

ExitCode run_tune(const Arguments& arguments, const std::string& command_line) {
  // What is wrong with the command line is said before anything is looked for.
  TuneOptions options;
  options.budget_s = parse_duration(arguments.budget);
  options.seed = arguments.seed;
  options.compile_threads = arguments.threads;
  options.command = command_line;
  if (arguments.counts) parse_counts(*arguments.counts);
  const std::vector<Problem> problems = make_problems(arguments);

  const std::string device_id = choose_device(arguments.device);
  options.problems = with_counts(
      problems, arguments.counts.value_or(is_cpu(device_id) ? kCpuCounts : kCudaCounts));
  const std::unique_ptr<Device> device = open_device(device_id);
  device->compiler();  // a missing one is an error now, not after the first inputs are made
  const std::string path = database_path(arguments.database);
  const std::unique_ptr<ConfigStore> store = open_sqlite_store(path, OpenMode::read_write);

  fmt::print(stderr, "tuning {} problem{} on {} ({}) for {} at most\n", options.problems.size(),
             options.problems.size() == 1 ? "" : "s", device_id, device->info().record.name,
             format_seconds(options.budget_s));
  const InterruptGuard interrupt;
  options.stop_requested = [&] { return interrupt.is_interrupted(); };
  std::vector<ProblemResult> results;
  {
    ProgressPrinter progress(stderr, terminal_width(stderr));
    results = tune(*device, *store, options, progress);
  }
  return conclude(options.problems, results, interrupt.is_interrupted(), device_id, path);
}

}  // namespace

Action prepare_tune(CLI::App& app, const std::string& command_line) {
  auto arguments = std::make_shared<Arguments>();
  app.add_option("--device", arguments->device,
                 "cuda:N or cpu [cuda:0 where there is one, else cpu]")
      ->type_name("NAME");
  app.add_option("--op", arguments->operators, "Operators by comma, or all [sum]")
      ->type_name("LIST");
  app.add_option("--type", arguments->types, "Element types by comma, or all [f32]")
      ->type_name("LIST");
  add_problem_options(app, arguments->problem);
  add_tune_bin_options(app, arguments->problem.bins);
  app.add_option("--n", arguments->counts,
                 fmt::format("Element counts, see below [{}; on the CPU device {}]", kCudaCounts,
                             kCpuCounts))
      ->type_name("COUNTS");
  app.add_option("--alignment", arguments->alignment,
                 "Of the input's address: vector (16 bytes) or element [vector]")
      ->type_name("NAME");
  app.add_option("--budget", arguments->budget,
                 "Time for everything together: 20s, 2m, 90 (seconds) [60s]")
      ->type_name("TIME");
  app.add_option("--db", arguments->database, "The tuning database [see foldtune --help]")
      ->type_name("FILE");
  app.add_option("--seed", arguments->seed, "Of the search's random choices [1]")
      ->type_name("N")
      // CLI11 would take -1 for the largest number.
      ->check(CLI::Validator(CLI::NonNegativeNumber).description(""));
  app.add_option("--threads", arguments->threads, "Threads that compile [one per core]")
      ->type_name("N")
      ->check(CLI::Range(0, kMaxThreads).description(""));
  app.footer(kFooter);
  return [arguments, command_line] { return run_tune(*arguments, command_line); };
}

}  // namespace foldtune
