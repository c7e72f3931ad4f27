#include "templates/workload_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "templates/family.h"
#include "templates/json_fields.h"

namespace foldtune {

// In the namespace itself, where the look-up by argument finds it.
constexpr ElementType last_of(ElementType) { return ElementType::f64; }

template <FieldsOf<AccumulatorField> T, class Visit>
void visit_fields(T& field, const Visit& visit) {
  visit("name", field.name);
  visit("type", field.type);
}

template <FieldsOf<CustomOperator> T, class Visit>
void visit_fields(T& op, const Visit& visit) {
  visit("name", op.name);
  visit("inputs", op.inputs);
  visit("accumulator", op.accumulator);
  visit("identity", op.identity);
  visit("map", op.map);
  visit("combine", op.combine);
  visit("finish", op.finish);
  visit("result", op.result);
  visit("tolerance", op.tolerance);
}

namespace {

/// What was parsed, if it is anything.
template <class T>
T known(std::optional<T> parsed, std::string_view what, std::string_view text) {
  if (!parsed) throw std::invalid_argument(fmt::format("there is no {} '{}'", what, text));
  return *std::move(parsed);
}

const Family& read_family(const nlohmann::json& json) {
  const auto name = json.at("family").get<std::string>();
  const Family* const family = find_family(name);
  if (family == nullptr) throw std::invalid_argument(fmt::format("there is no family '{}'", name));
  return *family;
}

Problem read_problem(const Family& family, const nlohmann::json& json) {
  const auto text = json.at("problem").get<std::string>();
  Problem problem = known(problem_of(family, text), "problem", text);
  problem.set_custom(read_json<std::shared_ptr<const CustomOperator>>(json.at("custom")));
  if (field_text(problem) != text) {
    throw std::invalid_argument(fmt::format("the problem '{}' is '{}'", text, field_text(problem)));
  }
  return problem;
}

int read_layout(const Family& family, const nlohmann::json& json) {
  const auto name = json.at("layout").get<std::string>();
  const auto layouts = family.layouts();
  const auto layout = std::ranges::find(layouts, name);
  if (layout == layouts.end()) {
    throw std::invalid_argument(fmt::format("there is no layout '{}'", name));
  }
  return static_cast<int>(layout - layouts.begin());
}

}  // namespace

nlohmann::json workload_to_json(const Workload& workload) {
  const Family& family = workload.problem.family();
  return {{"family", family.name()},
          {"problem", field_text(workload.problem)},
          {"custom", write_json(workload.problem.custom())},
          {"shape", to_text(family, workload.shape)},
          {"layout", family.layouts()[static_cast<std::size_t>(workload.layout)]},
          {"conditions", name(workload.conditions)}};
}

Workload workload_from_json(const nlohmann::json& json) {
  try {
    const Family& family = read_family(json);
    const auto shape = json.at("shape").get<std::string>();
    const auto conditions = json.at("conditions").get<std::string>();
    return {.problem = read_problem(family, json),
            .shape = known(parse_shape(family, shape), "shape", shape),
            .layout = read_layout(family, json),
            .conditions = known(parse_conditions(conditions), "conditions", conditions)};
  } catch (const std::exception& error) {
    throw std::invalid_argument(fmt::format("reading a workload from JSON: {}", error.what()));
  }
}

}  // namespace foldtune
