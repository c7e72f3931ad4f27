#include "tuner/inspect/stored_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "templates/family.h"
#include "tuner/problem/count_list.h"
#include "tuner/problem/problem_key.h"

namespace foldtune {
namespace {

/// The layout, unless it is the family's first.
std::string describe_layout(const ProblemKey& key) {
  const Family* const family = find_family(key.family);
  const bool is_usual = family != nullptr && family->layouts().front() == key.layout;
  return is_usual ? "" : ", " + key.layout;
}

/// The conditions, unless they are the usual ones.
std::string describe_conditions(const ProblemKey& key) {
  return key.conditions == name(Conditions{}) ? "" : " " + key.conditions;
}

/// A field's value as it is stored; empty if it is the usual one, which is not.
std::string stored_word(const std::string& problem, std::string_view field) {
  const std::string text = ' ' + problem;
  const std::string start = fmt::format(" {}=", field);
  const std::size_t found = text.find(start);
  if (found == std::string::npos) return {};
  const std::size_t first = found + start.size();
  return text.substr(first, text.find(' ', first) - first);
}

/// All that a field's value is called: "f32,u32" is also "f32" and "u32". The hash of a user's
/// operator is only in `stored`: its expressions are not, so that it cannot be made again.
std::vector<std::string> names_of(const std::string& stored, const Problem& problem,
                                  const Field& field) {
  std::string text = stored_word(stored, field.name);
  if (text.empty()) text = problem.family().text(problem, field);
  std::vector<std::string> names{text};
  for (const std::string_view item : split_list(text)) names.emplace_back(item);
  const int value = problem.get(field);
  if (value >= 0 && static_cast<std::size_t>(value) < field.labels.size()) {
    names.emplace_back(field.labels[static_cast<std::size_t>(value)]);
  }
  return names;
}

}  // namespace

std::string describe_problem(const ProblemKey& key, std::string_view shape) {
  if (const std::optional<Workload> workload = read_workload(key, shape)) {
    return to_string(*workload) + describe_layout(key);
  }
  return fmt::format("{} {} {}{}{}", key.family, key.problem, shape, describe_conditions(key),
                     describe_layout(key));
}

std::string describe_operation(const ProblemKey& key) {
  if (const std::optional<Problem> problem = read_problem(key)) {
    return to_string(*problem) + describe_conditions(key) + describe_layout(key);
  }
  return fmt::format("{} {}{}{}", key.family, key.problem, describe_conditions(key),
                     describe_layout(key));
}

bool has_value(const ProblemKey& key, std::string_view field, std::span<const std::string> values) {
  const std::optional<Problem> problem = read_problem(key);
  if (!problem) return false;
  const auto fields = problem->family().fields();
  const auto found = std::ranges::find(fields, field, &Field::name);
  if (found == fields.end()) return false;
  return std::ranges::any_of(names_of(key.problem, *problem, *found), [&](const std::string& name) {
    return std::ranges::find(values, name) != values.end();
  });
}

}  // namespace foldtune
