/// What can be asked of problems: their fields, an operator of the user's own, shapes, a layout,
/// conditions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foldtune/workload.h"
#include "tuner/commands/custom_options.h"
#include "tuner/commands/field_options.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace foldtune {

/// As they were typed; empty where they were not.
struct ProblemOptions {
  std::string family;
  FieldTexts fields;
  CustomOptions custom;
  std::optional<std::string> axes;  ///< of --axis: the problem is of a family that has them
};

/// Adds --family, --axis, the fields' options and those of custom operators.
void add_problem_options(CLI::App& app, ProblemOptions& options, Values values);

/// The problem that is asked for, of the first family that takes all values. Throws InvalidArgument
/// for values that there are not, or that no family has together, FileError for the file of a
/// custom operator; whether the problem can be is left to find_fault.
Problem make_problem(const ProblemOptions& options);

/// What cannot be.
struct LeftOut {
  std::string values;
  std::string fault;
};

/// The same of lists of values.
struct AskedProblems {
  std::vector<Problem> problems{};
  std::vector<LeftOut> left_out{};
};
AskedProblems make_problems(const ProblemOptions& options);

/// What there is of each problem to choose: shapes, a layout and conditions.
struct ShapeOptions {
  std::optional<std::string> shape;  ///< of --n or --shape
  std::string layout;                ///< empty: the usual one of the shape
  std::string conditions;            ///< empty: the usual ones
};

/// Adds --n, --shape, --layout and --conditions. `usual` is the help's text of where neither is
/// given.
void add_shape_options(CLI::App& app, ShapeOptions& options, Values values,
                       const std::string& usual);

/// The place of the layout that is asked for; empty: the usual one of the shape. Throws
/// InvalidArgument if the family has it not.
int require_layout(const Problem& problem, const Shape& shape, const std::string& name);

/// The conditions that are asked for. Throws InvalidArgument if there are none of that name.
Conditions require_conditions(const std::string& name);

/// The shapes that a text names; with axes, as extents of arrays. Throws InvalidArgument.
std::vector<Shape> make_shapes(const Problem& problem, const std::optional<std::string>& axes,
                               const std::string& text);

/// The one shape that is asked for. Throws InvalidArgument for none or several.
Shape require_shape(const Problem& problem, const std::optional<std::string>& axes,
                    const std::string& text);

/// `foldtune tune` for the workload on this device, as a shell takes it, into this database.
std::string tune_command(const ProblemOptions& options, const Workload& workload,
                         const std::string& device,
                         const std::optional<std::string>& database = {});

}  // namespace foldtune
