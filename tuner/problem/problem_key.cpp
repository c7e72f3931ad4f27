#include "tuner/problem/problem_key.h"

#include <string_view>
#include <utility>
#include <vector>

#include "foldtune/catalog.h"
#include "templates/family.h"

namespace foldtune {
namespace {

/// Stores what `parsed` holds; false if it holds nothing.
template <class T, class U>
bool assign(T& place, const std::optional<U>& parsed) {
  if (parsed) place = *parsed;
  return parsed.has_value();
}

/// Reads the name and the types of "distance:0123456789abcdef". Its expressions are not stored.
bool read_custom(Problem& problem, const ProblemKey& key) {
  CustomOperator op{.name = key.op.substr(0, key.op.find(':')), .inputs = {}};
  for (const std::string_view item : split_list(key.element_type)) {
    const auto type = parse_element_type(item);
    if (!type) return false;
    op.inputs.push_back(*type);
  }
  problem = make_problem(std::move(op));
  return true;
}

}  // namespace

std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

bool is_custom(const ProblemKey& key) { return key.op.find(':') != std::string::npos; }

std::optional<Problem> read_problem(const ProblemKey& key, std::uint64_t count) {
  Problem problem;
  if (is_custom(key)) {
    if (!read_custom(problem, key)) return std::nullopt;
  } else {
    const auto op = parse_operator(key.op);
    const auto type = parse_element_type(key.element_type);
    const auto accumulator = parse_element_type(key.accumulator_type);
    if (!op || !type || !accumulator) return std::nullopt;
    problem = {.op = *op, .type = *type, .accumulator = accumulator};
  }
  const bool is_known = set_fields(problem, key.options) &&
                        assign(problem.determinism, parse_determinism(key.determinism));
  if (!is_known) return std::nullopt;
  if (key.alignment == name(Alignment::element)) problem.alignment = Alignment::element;
  problem.count = count;
  return problem;
}

}  // namespace foldtune
