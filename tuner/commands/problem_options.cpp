#include "tuner/commands/problem_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <utility>

#include "foldtune/error.h"
#include "templates/family.h"
#include "tuner/problem/count_list.h"
#include "tuner/text/format.h"

namespace foldtune {
namespace {

/// A value for each field that was given, by its option.
using Given = std::vector<std::pair<std::string, std::string>>;

/// Several of them.
using Lists = std::vector<std::pair<std::string, std::vector<std::string>>>;

const Field* find_field(const Family& family, std::string_view name) {
  const auto fields = family.fields();
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

/// Those of which the problem may be: with axes, those that have them.
std::vector<const Family*> possible_families(const ProblemOptions& options) {
  std::vector<const Family*> possible = require_families(options.family);
  if (!options.axes) return possible;
  std::erase_if(possible, [](const Family* family) { return !family->has_axes(); });
  if (possible.empty()) {
    throw InvalidArgument(
        fmt::format("--axis: arrays of the family {} have no axes", options.family));
  }
  return possible;
}

/// What the family does not take; empty if it takes all.
std::string find_misfit(const Family& family, const Given& given) {
  Problem problem(family);
  for (const auto& [name, value] : given) {
    const Field* const field = find_field(family, name);
    if (field == nullptr) return fmt::format("{} has no --{}", family.name(), name);
    if (!family.parse(problem, *field, value)) {
      return fmt::format("{} has no --{} {}", family.name(), name, value);
    }
  }
  return {};
}

/// Null if no family takes all.
const Family* find_fitting(const std::vector<const Family*>& families, const Given& given) {
  const auto found = std::ranges::find_if(
      families, [&](const Family* family) { return find_misfit(*family, given).empty(); });
  return found == families.end() ? nullptr : *found;
}

std::string describe_misfits(const std::vector<const Family*>& families, const Given& given) {
  std::string text = "no family of kernels takes";
  for (const auto& [name, value] : given) text += fmt::format(" --{} {}", name, value);
  std::string_view separator = ": ";
  for (const Family* const family : families) {
    text += fmt::format("{}{}", separator, find_misfit(*family, given));
    separator = ", ";
  }
  return text;
}

Problem problem_of(const Family& family, const Given& given) {
  Problem problem(family);
  for (const auto& [name, value] : given) family.parse(problem, *find_field(family, name), value);
  family.complete(problem);
  return problem;
}

/// Every choice of one value of each list, the last list's changing fastest.
std::vector<Given> combinations(const Lists& lists) {
  std::vector<Given> all(1);
  for (const auto& [name, values] : lists) {
    std::vector<Given> longer;
    for (const Given& given : all) {
      for (const std::string& value : values) {
        longer.push_back(given);
        longer.back().emplace_back(name, value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// The values that tell a combination from the others.
std::string values_of_lists(const Given& given, const Lists& lists) {
  const auto has_several = [](const auto& list) { return list.second.size() > 1; };
  const bool has_list = std::ranges::any_of(lists, has_several);
  std::string values;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (has_list && !has_several(lists[i])) continue;
    values += (values.empty() ? "" : " ") + given[i].second;
  }
  return values;
}

// Operators of the user's.

/// The option that a custom operator is asked for with, if that is so.
const FieldOption* find_custom(const std::vector<FieldOption>& fields,
                               const ProblemOptions& options) {
  for (const FieldOption& option : fields) {
    if (std::ranges::none_of(option.places, takes_custom)) continue;
    const auto text = options.fields.find(option.name);
    if (text == options.fields.end()) return options.custom.file ? &option : nullptr;
    const std::vector<std::string_view> items = split_list(text->second);
    if (std::ranges::count(items, kCustom) == 0) return nullptr;
    if (items.size() > 1) {
      throw InvalidArgument(fmt::format(
          "a custom operator has options of its own: name it alone in --{}", option.name));
    }
    return &option;
  }
  return nullptr;
}

std::optional<std::string> text_of(const ProblemOptions& options, std::string_view name) {
  const auto found = options.fields.find(name);
  return found == options.fields.end() ? std::nullopt : std::optional(found->second);
}

/// The fields of which a custom operator has its own are parts of it.
Problem make_custom_problem(const ProblemOptions& options, const FieldOption& of_custom) {
  const auto families = possible_families(options);
  const Given custom{{std::string(of_custom.name), std::string(kCustom)}};
  const Family* const family = find_fitting(families, custom);
  if (family == nullptr) throw InvalidArgument(describe_misfits(families, custom));
  Problem problem = problem_of(*family, custom);
  problem.set_custom(std::make_shared<const CustomOperator>(
      make_custom(options.custom, text_of(options, "accumulator"), text_of(options, "result"))));
  for (const FieldOption& option : field_options()) {
    const std::optional<std::string> text = text_of(options, option.name);
    if (!text || option.name == of_custom.name || is_part_of_custom(option.name)) continue;
    const std::string value = require_value(option, *text);
    const Field* const field = find_field(*family, option.name);
    Problem changed = problem;
    const bool is_taken = field != nullptr && family->parse(changed, *field, value);
    if (!is_taken || changed.custom() != problem.custom()) {
      throw InvalidArgument(
          fmt::format("--{} is for operators that have a name: a custom operator has its types in "
                      "--inputs, and says the rest itself",
                      option.name));
    }
    problem = changed;
  }
  family->complete(problem);
  return problem;
}

}  // namespace

void add_problem_options(CLI::App& app, ProblemOptions& options, Values values) {
  add_field_options(app, options.fields, options.family, values);
  add_custom_options(app, options.custom);
  app.add_option("--axis", options.axes,
                 "Reduce arrays along these axes, each for itself: 1, or 0,2; -1 is the last")
      ->type_name("AXES");
}

AskedProblems make_problems(const ProblemOptions& options) {
  const std::vector<FieldOption> fields = field_options();
  if (const FieldOption* const custom = find_custom(fields, options)) {
    AskedProblems asked{.problems = {make_custom_problem(options, *custom)}};
    if (std::string fault = find_fault(asked.problems.front()); !fault.empty()) {
      asked.left_out.push_back({std::string(kCustom), std::move(fault)});
      asked.problems.clear();
    }
    return asked;
  }
  if (const std::string flag = first_given(options.custom); !flag.empty()) {
    throw InvalidArgument(fmt::format("{} is for --op {}", flag, kCustom));
  }
  Lists lists;
  for (const FieldOption& option : fields) {
    if (const auto text = text_of(options, option.name)) {
      lists.emplace_back(option.name, require_values(option, *text));
    }
  }
  const auto families = possible_families(options);
  AskedProblems asked;
  for (const Given& given : combinations(lists)) {
    const Family* const family = find_fitting(families, given);
    std::string fault;
    if (family == nullptr) {
      fault = describe_misfits(families, given);
    } else {
      const Problem problem = problem_of(*family, given);
      fault = find_fault(problem);
      if (fault.empty()) asked.problems.push_back(problem);
    }
    if (fault.empty()) continue;
    asked.left_out.push_back({values_of_lists(given, lists), std::move(fault)});
  }
  return asked;
}

Problem make_problem(const ProblemOptions& options) {
  const std::vector<FieldOption> fields = field_options();
  if (const FieldOption* const custom = find_custom(fields, options)) {
    return make_custom_problem(options, *custom);
  }
  if (const std::string flag = first_given(options.custom); !flag.empty()) {
    throw InvalidArgument(fmt::format("{} is for --op {}", flag, kCustom));
  }
  Given given;
  for (const FieldOption& option : fields) {  // one value each, and no list
    if (const auto text = text_of(options, option.name)) {
      given.emplace_back(option.name, require_value(option, *text));
    }
  }
  const auto families = possible_families(options);
  const Family* const family = find_fitting(families, given);
  if (family == nullptr) throw InvalidArgument(describe_misfits(families, given));
  return problem_of(*family, given);
}

void add_shape_options(CLI::App& app, ShapeOptions& options, Values values,
                       const std::string& usual) {
  const bool is_list = values == Values::list;
  CLI::Option* const count =
      app.add_option("--n", options.shape,
                     is_list ? fmt::format("Element counts, see below{}", usual)
                             : fmt::format("The element count, such as 1e6 or 2^20{}", usual))
          ->type_name(is_list ? "COUNTS" : "COUNT");
  app.add_option("--shape", options.shape,
                 is_list ? "The same of several extents: 4096x100,2^10..2^14:4x64"
                         : "The same of several extents: 4096x100")
      ->type_name(is_list ? "SHAPES" : "SHAPE")
      ->excludes(count);
  std::vector<std::string_view> layouts;
  for (const Family* const family : families()) {
    for (const std::string_view layout : family->layouts()) {
      if (std::ranges::find(layouts, layout) == layouts.end()) layouts.push_back(layout);
    }
  }
  app.add_option("--layout", options.layout,
                 fmt::format("The class of the addresses: {} [that of a new array]",
                             fmt::join(layouts, ", ")))
      ->type_name("NAME");
  app.add_option("--conditions", options.conditions,
                 fmt::format("Where inputs are and how calls are launched: {} [{}]",
                             fmt::join(conditions_names(), ", "), name(Conditions{})))
      ->type_name("NAME");
}

int require_layout(const Problem& problem, const Shape& shape, const std::string& name) {
  if (name.empty()) return usual_layout(problem, shape);
  const auto layouts = problem.family().layouts();
  const auto found = std::ranges::find(layouts, name);
  if (found != layouts.end()) return static_cast<int>(found - layouts.begin());
  throw InvalidArgument(
      fmt::format("--layout: there is no '{}'; there is {}", name, fmt::join(layouts, ", ")));
}

Conditions require_conditions(const std::string& name) {
  if (name.empty()) return {};
  if (const auto conditions = parse_conditions(name)) return *conditions;
  throw InvalidArgument(fmt::format("--conditions: there are no '{}'; there are {}", name,
                                    fmt::join(conditions_names(), ", ")));
}

std::vector<Shape> make_shapes(const Problem& problem, const std::optional<std::string>& axes,
                               const std::string& text) {
  const Family& family = problem.family();
  if (!axes) return parse_shapes(family, text);
  const std::vector<int> numbers = parse_axes(*axes);
  std::vector<Shape> shapes;
  for (const auto& extents : parse_extents("--shape", text)) {
    std::string fault;
    shapes.push_back(family.merged_shape(problem, extents, numbers, fault));
    if (fault.empty()) continue;
    throw InvalidArgument(
        fmt::format("--shape {} --axis {}: {}", fmt::join(extents, "x"), *axes, fault));
  }
  return shapes;
}

Shape require_shape(const Problem& problem, const std::optional<std::string>& axes,
                    const std::string& text) {
  const std::vector<Shape> shapes = make_shapes(problem, axes, text);
  if (shapes.size() == 1) return shapes.front();
  throw InvalidArgument(fmt::format("'{}' are {} shapes: give one", text, shapes.size()));
}

namespace {

/// Those that have to be said for the problem, and those that people look for: a field that has no
/// usual value and sets problems apart, such as the operator, and one that names the family.
std::vector<Field> said_fields(const Problem& problem) {
  const auto fields = problem.family().fields();
  std::vector<Field> said;
  Problem shorter = problem;
  for (auto field = fields.rbegin(); field != fields.rend(); ++field) {
    Problem without = shorter;
    field->fallback ? without.set(*field, *field->fallback) : without.clear(*field);
    Problem completed = without;
    problem.family().complete(completed);
    const bool names_family = field->labels.size() == 1;
    const bool is_looked_for = names_family || (!field->fallback && field->apart > 0);
    if (completed == problem && !is_looked_for) {
      shorter = without;
    } else {
      said.push_back(*field);
    }
  }
  std::ranges::reverse(said);
  return said;
}

/// " --family NAME", or its file, which no other process knows; empty if the values alone lead to
/// the family.
std::string family_argument(const Family& family, const Given& given) {
  if (!family.path().empty()) return fmt::format(" --family {}", shell_quoted(family.path()));
  const std::vector<const Family*> all(families().begin(), families().end());
  if (find_fitting(all, given) == &family) return {};
  return fmt::format(" --family {}", shell_quoted(family.name()));
}

}  // namespace

std::string tune_command(const ProblemOptions& options, const Workload& workload,
                         const std::string& device, const std::optional<std::string>& database) {
  const Problem& problem = workload.problem;
  const Family& family = problem.family();
  std::string text = fmt::format("foldtune tune --device {}", device);
  if (database) text += fmt::format(" --db {}", shell_quoted(*database));
  Given given;
  if (problem.custom() != nullptr) {  // as it was typed
    given.assign(options.fields.begin(), options.fields.end());
    if (!options.family.empty()) text += fmt::format(" --family {}", shell_quoted(options.family));
  } else {
    for (const Field& field : said_fields(problem)) {
      given.emplace_back(field.name, family.text(problem, field));
    }
    text += family_argument(family, given);
  }
  for (const auto& [name, value] : given) {
    text += fmt::format(" --{} {}", name, shell_quoted(value));
  }
  if (problem.custom() != nullptr) text += to_arguments(options.custom);
  Shape shape = workload.shape;
  const std::size_t extents = family.extents().size();
  for (std::size_t i = 0; i < extents; ++i) shape[i] = std::max<std::uint64_t>(shape[i], 1);
  text += fmt::format(" {}", shape_option(family, shape));
  if (workload.layout != usual_layout(problem, shape)) {
    text +=
        fmt::format(" --layout {}", family.layouts()[static_cast<std::size_t>(workload.layout)]);
  }
  if (workload.conditions != Conditions{}) {
    text += fmt::format(" --conditions {}", name(workload.conditions));
  }
  return text;
}

}  // namespace foldtune
