/// What `run` and `tune` can ask of a reduction.
#pragma once

#include <optional>
#include <string>

#include "foldtune/problem.h"

namespace CLI {
class App;
}

namespace foldtune {

/// As they were typed; empty where they were not.
struct ProblemOptions {
  std::optional<std::string> accumulator;
  std::optional<std::string> result;
  std::optional<std::string> nan_policy;
  std::optional<std::string> ddof;
  std::optional<std::string> determinism;
};

/// Adds --acc, --result, --nan, --ddof and --determinism.
void add_problem_options(CLI::App& app, ProblemOptions& options);

/// The problem that is asked for, without a count. Throws InvalidArgument for a name or a number
/// that there is not; whether the problem can be is left to find_fault.
Problem make_problem(const ProblemOptions& options, Operator op, ElementType type);

/// `foldtune tune` for `problem` with these options on this device, as a shell takes it.
std::string tune_command(const ProblemOptions& options, const Problem& problem,
                         const std::string& device);

}  // namespace foldtune
