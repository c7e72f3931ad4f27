// foldtune tune: finds the fastest configurations and keeps them in the database.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "foldtune/error.h"
#include "runtime/device/device.h"
#include "runtime/lookup/lookup.h"
#include "templates/family.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/dry_run.h"
#include "tuner/commands/options.h"
#include "tuner/commands/problem_options.h"
#include "tuner/commands/tuning.h"
#include "tuner/files/input_file.h"
#include "tuner/problem/count_list.h"
#include "tuner/search/search.h"
#include "tuner/session/tuner.h"
#include "tuner/text/format.h"
#include "tuner/text/print.h"

namespace foldtune {
namespace {

// All sizes of inputs that fit an L2; beyond it one for an octave is enough.
constexpr const char* kCudaCounts = "2^12..2^24,2^25..2^28:2";
// A larger one takes seconds per call there.
constexpr const char* kCpuCounts = "64K";

constexpr std::uint64_t kMaxEvaluations = 1'000'000;

constexpr const char* kTuneFooter = R"(
Counts:
  4096, 64K, 1M (K, M, G, T are powers of 1024), 2^20, 1e6, and lists and ranges of them:
  2^12,2^14     these
  2^12..2^20    all sizes between: the last count of each size class, four to an octave
  2^12..2^28:4  from 2^12 by factors of 4, up to 2^28 at most
Shapes of several extents have an x between them: 4096x100, 2^10..2^14:4x64. With --axis they are
those of the arrays that are reduced: --shape 65536x1024 --axis 1.

A result serves all counts of its size class, a quarter of an octave, and, where nothing nearer is
known and it is expected to be better than the untuned default, those within a factor of 2. Inputs
beyond the L2 cache need a result for each octave: 2^25..2^28:2.

Determinism:
  any                 nothing: the order of floating-point additions may change
  run_to_run          the same device and configuration give the same bits
  config_independent  the same bits whatever the configuration

Effort, for each problem:
  quick               8 configurations: mostly what is known to be good elsewhere
  normal              64, the best of them compared in turns
  exhaustive          all of them: some minutes per problem

Every variant is checked before it is timed, in a process of its own, so that one that crashes or
hangs costs nothing but itself. Every measurement is kept as it is made: the same command goes on
where it was stopped (Ctrl-C), and does not tune again what is done (--no-resume does).

Examples:
  foldtune tune --op sum --type f32 --n 2^12..2^24
  foldtune tune --op every --type every --effort quick --device all --budget 10m
  foldtune tune --op dot --type f32 --dry-run
  foldtune tune --op every --type f32,f64 --n 1e6 --db tuning.db
  foldtune tune --op min,argmin --nan ignore --type f16 --n 2^20
  foldtune tune --custom distance.json --n 2^24
  foldtune tune --op histogram --type u8 --distribution zipf --n 2^24
  foldtune tune --op sum,argmax --type bf16 --axis 1 --shape 4096x1024,1..64x151936
  FOLDTUNE_RECORD=calls.txt program && foldtune tune --recorded calls.txt --effort quick
  foldtune tune --device cpu --n 64K --budget 20s)";

struct TuneArguments {
  std::optional<std::string> device;
  ProblemOptions problem;
  ShapeOptions shape;
  std::optional<std::string> recorded;  ///< a file that names problems and shapes in their place
  std::string effort{name(Effort::normal)};
  std::optional<std::string> search;
  std::optional<std::string> budget;
  std::optional<int> max_evaluations;
  bool no_resume = false;
  bool dry_run = false;
  bool json = false;
  std::optional<std::string> database;
  std::uint64_t seed = 1;
  int threads = 0;
};

struct Problems {
  std::vector<Problem> problems{};      ///< without their shapes
  std::vector<std::string> left_out{};  ///< a line for each that cannot be, and why
};

/// Throws InvalidArgument if no problem can be. What of several cannot be is left out with a note.
Problems choose_problems(const TuneArguments& arguments) {
  AskedProblems asked = make_problems(arguments.problem);
  const std::vector<LeftOut>& others = asked.left_out;
  if (asked.problems.empty()) throw InvalidArgument(others.front().fault);
  Problems chosen{.problems = std::move(asked.problems)};
  std::vector<std::string> names;
  for (const LeftOut& other : others) {
    names.push_back(other.values);
    chosen.left_out.push_back(fmt::format("{}: {}", other.values, other.fault));
  }
  if (!names.empty()) {
    print_to(stderr, "foldtune: note: left out: {} ({}{})\n", fmt::join(names, ", "),
             others.front().fault, names.size() == 1 ? "" : ", and the like");
  }
  group_by_inputs(chosen.problems);
  return chosen;
}

/// Every problem with every shape that is asked for.
std::vector<Workload> with_shapes(const std::vector<Problem>& problems,
                                  const std::optional<std::string>& axes, const ShapeOptions& asked,
                                  const char* usual) {
  const Conditions conditions = require_conditions(asked.conditions);
  std::vector<Workload> workloads;
  for (const Problem& problem : problems) {
    const Family& family = problem.family();
    if (!asked.shape && (axes || !takes_count(family))) {
      throw InvalidArgument(fmt::format(
          "--shape is required for the family {}: for which {}?", family.name(),
          family.has_axes() && axes ? "arrays"
                                    : fmt::format("{}", fmt::join(family.extents(), " and "))));
    }
    for (const Shape& shape : make_shapes(problem, axes, asked.shape.value_or(usual))) {
      const int layout = require_layout(problem, shape, asked.layout);
      workloads.push_back({problem, shape, layout, conditions});
      if (const std::string fault = find_fault(workloads.back()); !fault.empty()) {
        throw InvalidArgument(fault);
      }
    }
  }
  return workloads;
}

/// The workloads of a line of options, as FOLDTUNE_RECORD writes it. Throws InvalidArgument.
std::vector<Workload> read_recorded_line(const std::string& line) {
  CLI::App app;
  app.set_help_flag();
  ProblemOptions problem;
  ShapeOptions shape;
  add_problem_options(app, problem, Values::list);
  add_shape_options(app, shape, Values::list, "");
  try {
    app.parse(line);
  } catch (const CLI::ParseError& error) {
    throw InvalidArgument(error.what());
  }
  if (!shape.shape) throw InvalidArgument("it has no --n or --shape");
  const AskedProblems asked = make_problems(problem);
  if (!asked.left_out.empty()) throw InvalidArgument(asked.left_out.front().fault);
  return with_shapes(asked.problems, problem.axes, shape, "");
}

std::string trimmed(const std::string& line) {
  constexpr const char* kBlanks = " \t\r";
  const std::size_t begin = line.find_first_not_of(kBlanks);
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_last_not_of(kBlanks) + 1 - begin);
}

/// Those of all lines, of each class of calls the first. Throws InvalidArgument, FileError.
std::vector<Workload> read_recorded(const std::string& path) {
  std::istringstream text(InputFile(path).read_all());
  std::set<std::string> known;
  std::vector<Workload> workloads;
  std::string untrimmed;
  for (int number = 1; std::getline(text, untrimmed); ++number) {
    const std::string line = trimmed(untrimmed);
    if (line.empty() || line.starts_with('#') || !known.insert(line).second) continue;
    try {
      for (const Workload& workload : read_recorded_line(line)) {
        const ProblemKey key = make_problem_key(workload);
        const bool is_new = known
                                .insert(fmt::format("{} {} {} {} {}", key.family, key.problem,
                                                    key.layout, key.bucket, key.conditions))
                                .second;
        if (is_new) workloads.push_back(workload);
      }
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(fmt::format("{}, line {}: {}", path, number, error.what()));
    }
  }
  if (workloads.empty()) {
    throw InvalidArgument(fmt::format(
        "{} has no line of options; a program writes them if FOLDTUNE_RECORD names the file, but "
        "not for its own operators: tune these with --custom",
        path));
  }
  return workloads;
}

/// Throws InvalidArgument if anything else than the file names what is tuned.
void refuse_beside_recorded(const ProblemOptions& problem, const ShapeOptions& shape) {
  if (!problem.family.empty() || !problem.fields.empty() || problem.axes || shape.shape ||
      !first_given(problem.custom).empty() || !shape.layout.empty() || !shape.conditions.empty()) {
    throw InvalidArgument(
        "--recorded names problems, shapes, layouts and conditions: leave out what else does");
  }
}

/// What does not depend on the device. Throws InvalidArgument.
TuneOptions make_options(const TuneArguments& arguments, const std::string& command_line) {
  TuneOptions options;
  const std::optional<Effort> effort = parse_effort(arguments.effort);
  if (!effort) {
    throw InvalidArgument(
        fmt::format("there is no effort '{}': use quick, normal or exhaustive", arguments.effort));
  }
  options.effort = *effort;
  if (arguments.search && !std::ranges::count(search_names(), *arguments.search)) {
    throw InvalidArgument(fmt::format("there is no search '{}': use one of {}", *arguments.search,
                                      fmt::join(search_names(), ", ")));
  }
  options.search = arguments.search;
  if (arguments.budget) options.budget_s = parse_duration(*arguments.budget);
  options.max_evaluations = arguments.max_evaluations;
  options.resume = !arguments.no_resume;
  options.seed = arguments.seed;
  options.compile_threads = arguments.threads;
  options.command = command_line;
  return options;
}

ExitCode run_tune(const TuneArguments& arguments, const std::string& command_line) {
  // What is wrong with the command line is said before anything is looked for.
  TuneOptions options = make_options(arguments, command_line);
  if (arguments.recorded) refuse_beside_recorded(arguments.problem, arguments.shape);
  const Problems asked = arguments.recorded ? Problems{} : choose_problems(arguments);
  const std::vector<Workload> recorded =
      arguments.recorded ? read_recorded(*arguments.recorded) : std::vector<Workload>{};
  const auto workloads = [&](const char* usual) {
    return arguments.recorded
               ? recorded
               : with_shapes(asked.problems, arguments.problem.axes, arguments.shape, usual);
  };
  workloads(kCudaCounts);

  const std::vector<DeviceGroup> groups = choose_devices(arguments.device);
  const std::string path = database_path(arguments.database);
  const auto tune_group = [&](const DeviceGroup& group, nlohmann::ordered_json* json) {
    options.workloads = workloads(is_cpu(group.front()) ? kCpuCounts : kCudaCounts);
    if (arguments.dry_run) {
      say_what_tuning_takes(group.front(), path, options, json);
      return ExitCode::ok;
    }
    const std::string limit =
        options.budget_s ? fmt::format(" for {} at most", format_seconds(*options.budget_s))
                         : fmt::format(" with {} effort", name(options.effort));
    return tune_on({.devices = group,
                    .database = path,
                    .doing = "tuning",
                    .limit = limit,
                    .print = print_results,
                    .to_json = [](const ProblemResult& result) { return to_json(result); },
                    .left_out = asked.left_out,
                    .json = json},
                   options);
  };
  return tune_groups(groups, arguments.json, tune_group);
}

}  // namespace

Action prepare_tune(CLI::App& app, const std::string& command_line) {
  auto arguments = std::make_shared<TuneArguments>();
  app.add_option("--device", arguments->device,
                 "cuda:N, cpu or all (GPUs) [cuda:0 where there is one, else cpu]")
      ->type_name("NAME");
  add_problem_options(app, arguments->problem, Values::list);
  add_shape_options(app, arguments->shape, Values::list,
                    fmt::format(" [{}; on the CPU device {}]", kCudaCounts, kCpuCounts));
  app.add_option("--recorded", arguments->recorded,
                 "Tune what a program called: the file that FOLDTUNE_RECORD named")
      ->type_name(kFileToRead);
  app.add_option("--effort", arguments->effort, "quick, normal or exhaustive, see below [normal]")
      ->type_name("NAME");
  app.add_option("--budget", arguments->budget,
                 "Time for everything together: 20s, 2m, 90 (seconds) [no limit]")
      ->type_name("TIME");
  add_number_option(
      app, "--max-evals", {.least = 1, .most = kMaxEvaluations},
      [arguments](std::uint64_t value) { arguments->max_evaluations = static_cast<int>(value); },
      "Configurations tried per problem [the effort's]");
  app.add_option("--search", arguments->search,
                 fmt::format("{} [the effort's own]", fmt::join(search_names(), ", ")))
      ->type_name("NAME");
  app.add_flag("--no-resume", arguments->no_resume,
               "Tune again what is done, and measure again what the database knows");
  app.add_flag(
      "--dry-run", arguments->dry_run,
      "Say how much would be tried, how long it would take and what it may gain, as far as "
      "the database knows; tune nothing");
  add_database_option(app, arguments->database);
  add_seed_option(app, arguments->seed, "Of the inputs and of random choices [1]");
  add_threads_option(app, arguments->threads);
  app.add_flag("--json", arguments->json,
               "Print JSON: an array with an object for each kind of device");
  app.footer(describe_field_values() + '\n' + kTuneFooter);
  return [arguments, command_line] { return run_tune(*arguments, command_line); };
}

}  // namespace foldtune
