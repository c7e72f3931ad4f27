#include "tuner/commands/problem_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "foldtune/error.h"
#include "tuner/commands/options.h"
#include "tuner/format.h"

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

}  // namespace

void add_problem_options(CLI::App& app, ProblemOptions& options) {
  app.add_option("--acc", options.accumulator,
                 "Type of partial results [32 bits or more, 64 for sums of integers]")
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
                 "Promise for the result's bits: any, run_to_run or config_independent "
                 "[run_to_run]")
      ->type_name("NAME");
}

Problem make_problem(const ProblemOptions& options, Operator op, ElementType type) {
  Problem problem{.op = op, .type = type};
  if (options.accumulator) problem.accumulator = require_accumulator(*options.accumulator);
  if (options.result) problem.result = require_result(*options.result);
  if (options.nan_policy) problem.nan_policy = require_nan_policy(*options.nan_policy);
  if (options.ddof) problem.ddof = parse_ddof(*options.ddof);
  if (options.determinism) problem.determinism = require_determinism(*options.determinism);
  return problem;
}

std::string tune_command(const ProblemOptions& options, const Problem& problem,
                         const std::string& device) {
  return fmt::format("foldtune tune --device {} --op {} --type {} --n {}{}", device,
                     name(problem.op), name(problem.type),
                     std::max<std::uint64_t>(problem.count, 1), given(options));
}

}  // namespace foldtune
