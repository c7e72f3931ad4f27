#include "tuner/commands/problem_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "foldtune/error.h"
#include "tuner/commands/options.h"
#include "tuner/text/format.h"

namespace foldtune {
namespace {

int parse_ddof(const std::string& text) {
  if (text == "0") return 0;
  if (text == "1") return 1;
  throw InvalidArgument(
      fmt::format("--ddof is 0 (divide by n) or 1 (divide by n - 1), not '{}'", text));
}

/// The options that were given, as a shell takes them, each after a space.
std::string given(const ProblemOptions& options) {
  std::string text;
  for (const auto& [flag, value] : {std::pair{"--acc", &options.accumulator},
                                    {"--result", &options.result},
                                    {"--nan", &options.nan_policy},
                                    {"--ddof", &options.ddof},
                                    {"--determinism", &options.determinism}}) {
    if (*value) text += fmt::format(" {} {}", flag, shell_quoted(**value));
  }
  return text;
}

void check_custom(const std::vector<Operator>& ops, const ProblemOptions& options, bool has_type) {
  if (ops.size() > 1) {
    throw InvalidArgument("a custom operator has options of its own: name it alone in --op");
  }
  if (has_type) throw InvalidArgument("a custom operator has its types in --inputs, not in --type");
  if (options.nan_policy || options.ddof) {
    throw InvalidArgument("--nan and --ddof are for operators that have a name");
  }
}

Operator default_operator(const ProblemOptions& options) {
  return options.custom.file ? Operator::custom : Operator::sum;
}

/// Throws InvalidArgument for options that the operators do not have.
void check_options(const std::vector<Operator>& ops, const ProblemOptions& options, bool has_type) {
  const bool has_custom = std::ranges::find(ops, Operator::custom) != ops.end();
  if (has_custom) {
    check_custom(ops, options, has_type);
  } else if (const std::string flag = first_given(options.custom); !flag.empty()) {
    throw InvalidArgument(fmt::format("{} is for --op custom", flag));
  }
  const bool has_histogram = std::ranges::find(ops, Operator::histogram) != ops.end();
  if (const std::string flag = first_given(options.bins); !has_histogram && !flag.empty()) {
    throw InvalidArgument(fmt::format("{} is for --op histogram", flag));
  }
}

}  // namespace

void add_problem_options(CLI::App& app, ProblemOptions& options) {
  app.add_option("--acc", options.accumulator,
                 "Type of partial results [the operator's own]; custom: also value:f32,index:u32")
      ->type_name("TYPE");
  app.add_option("--result", options.result, "Type of the result [that of partial results]")
      ->type_name("TYPE");
  app.add_option("--nan", options.nan_policy,
                 "What comparisons do with NaN: propagate or ignore [propagate]")
      ->type_name("NAME");
  app.add_option("--ddof", options.ddof,
                 "Variance and stddev divide by n - N: 0 (population) or 1 (sample) [0]")
      ->type_name("N");
  app.add_option("--determinism", options.determinism,
                 "any, run_to_run or config_independent, see below [run_to_run]")
      ->type_name("NAME");
  add_custom_options(app, options.custom);
}

std::vector<Operator> choose_operators(const std::optional<std::string>& list,
                                       const ProblemOptions& options, bool has_type) {
  std::vector<Operator> ops =
      list ? parse_operators(*list) : std::vector{default_operator(options)};
  check_options(ops, options, has_type);
  return ops;
}

Operator choose_operator(const std::optional<std::string>& name, const ProblemOptions& options,
                         bool has_type) {
  const Operator op = name ? require_operator(*name) : default_operator(options);
  check_options({op}, options, has_type);
  return op;
}

Problem make_problem(const ProblemOptions& options, Operator op, ElementType type) {
  Problem problem{.op = op, .type = type};
  if (op == Operator::custom) {
    problem = make_problem(make_custom(options.custom, options.accumulator, options.result));
    if (options.determinism) problem.determinism = require_determinism(*options.determinism);
    return problem;
  }
  if (options.accumulator) problem.accumulator = require_accumulator(*options.accumulator);
  if (options.result) problem.result = require_result(*options.result);
  if (options.nan_policy) problem.nan_policy = require_nan_policy(*options.nan_policy);
  if (options.ddof) problem.ddof = parse_ddof(*options.ddof);
  if (options.determinism) problem.determinism = require_determinism(*options.determinism);
  if (op == Operator::histogram) {
    problem.determinism = Determinism::run_to_run;
    set_bins(problem, options.bins);
  }
  return problem;
}

std::string tune_command(const ProblemOptions& options, const Problem& problem,
                         const std::string& device) {
  std::string text = fmt::format("foldtune tune --device {}", device);
  if (problem.op != Operator::custom) {
    // Alone, "all" is every operator.
    const std::string_view op = problem.op == Operator::all ? "all,all" : name(problem.op);
    text += fmt::format(" --op {} --type {}", op, name(problem.type));
  } else if (!options.custom.file) {
    text += " --op custom";
  }
  text += fmt::format(" --n {}", std::max<std::uint64_t>(problem.count, 1));
  if (problem.op == Operator::histogram) text += to_tune_arguments(problem);
  return text + given(options) + to_arguments(options.custom);
}

}  // namespace foldtune
