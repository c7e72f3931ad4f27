#include "tuner/inspect/stored_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "foldtune/problem.h"
#include "tuner/problem/problem_key.h"

namespace foldtune {
namespace {

template <class T>
bool is_named(const std::vector<T>& values, std::string_view text) {
  return std::ranges::any_of(values, [&](T value) { return name(value) == text; });
}

/// By the names of the store.
std::string describe_unknown(const ProblemKey& key) {
  return fmt::format("{} {} {} in {}", key.family, key.op, key.element_type, key.accumulator_type);
}

/// What differs from the defaults.
std::string describe_promises(const ProblemKey& key) {
  std::string text;
  if (key.alignment != name(Alignment::vector)) text += ", " + key.alignment;
  if (key.determinism != name(Determinism::run_to_run)) text += ", " + key.determinism;
  return text;
}

}  // namespace

std::string describe_problem(const ProblemKey& key, std::uint64_t count) {
  const std::optional<Problem> problem = read_problem(key, count);
  std::string text;
  if (problem) {
    text = to_string(*problem);
  } else {
    text = describe_unknown(key) + fmt::format(" {}", count);
    if (!key.options.empty()) text += fmt::format(", {}", key.options);
  }
  return text + describe_promises(key);
}

std::string describe_operation(const ProblemKey& key) {
  const std::optional<Problem> problem = read_problem(key, 0);
  std::string text;
  if (problem) {
    text = to_string(*problem);
    text.erase(text.rfind(' '));  // the count is the last word
  } else {
    text = describe_unknown(key);
    if (!key.options.empty()) text += fmt::format(", {}", key.options);
  }
  return text + describe_promises(key);
}

bool has_operator_of(const ProblemKey& key, const std::vector<Operator>& ops) {
  return is_named(ops, is_custom(key) ? name(Operator::custom) : std::string_view(key.op));
}

bool has_type_of(const ProblemKey& key, const std::vector<ElementType>& types) {
  return std::ranges::any_of(split_list(key.element_type),
                             [&](std::string_view type) { return is_named(types, type); });
}

}  // namespace foldtune
