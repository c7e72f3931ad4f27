#include "tuner/problem/problem_key.h"

#include <algorithm>

#include "templates/family.h"

namespace foldtune {

std::optional<Problem> read_problem(const ProblemKey& key) {
  const Family* const family = find_family(key.family);
  return family == nullptr ? std::nullopt : problem_of(*family, key.problem);
}

std::optional<Workload> read_workload(const ProblemKey& key, std::string_view shape) {
  const std::optional<Problem> problem = read_problem(key);
  if (!problem) return std::nullopt;
  const Family& family = problem->family();
  const std::optional<Shape> extents = parse_shape(family, shape);
  const auto layouts = family.layouts();
  const auto layout = std::ranges::find(layouts, key.layout);
  const std::optional<Conditions> conditions = parse_conditions(key.conditions);
  if (!extents || layout == layouts.end() || !conditions) return std::nullopt;
  return Workload{*problem, *extents, static_cast<int>(layout - layouts.begin()), *conditions};
}

}  // namespace foldtune
