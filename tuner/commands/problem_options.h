/// What `run` and `tune` can ask of a reduction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foldtune/problem.h"
#include "tuner/commands/bin_options.h"
#include "tuner/commands/custom_options.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
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
  CustomOptions custom;
  BinOptions bins;
};

/// Adds --acc, --result, --nan, --ddof, --determinism and those of custom operators. Bins
/// have functions of their own.
void add_problem_options(CLI::App& app, ProblemOptions& options);

/// The operators of --op, by comma or "all"; without it `custom` if that has a file, else `sum`.
/// Throws InvalidArgument for names that there are not, for `custom` beside others, and for options
/// that the operators do not have; --type, whose place they have for `custom`, among them.
/// `choose_operator` is for one name, which may be that of the operator `all`.
std::vector<Operator> choose_operators(const std::optional<std::string>& list,
                                       const ProblemOptions& options, bool has_type);
Operator choose_operator(const std::optional<std::string>& name, const ProblemOptions& options,
                         bool has_type);

/// The problem that is asked for, without a count. `type` is not for `custom`. Histograms are the
/// same to the bit whatever their determinism, and have the default one. Throws
/// InvalidArgument for a name or a number that there is not, FileError for the file of a custom
/// operator; whether the problem can be is left to find_fault.
Problem make_problem(const ProblemOptions& options, Operator op, ElementType type);

/// `foldtune tune` for `problem` with these options on this device, as a shell takes it.
std::string tune_command(const ProblemOptions& options, const Problem& problem,
                         const std::string& device);

}  // namespace foldtune
