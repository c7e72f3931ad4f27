#include "templates/problem_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "templates/json_fields.h"

namespace foldtune {

// In the namespace itself, where the look-up by argument finds them.
constexpr Operator last_of(Operator) { return Operator::histogram; }
constexpr ElementType last_of(ElementType) { return ElementType::f64; }
constexpr Alignment last_of(Alignment) { return Alignment::element; }
constexpr Determinism last_of(Determinism) { return Determinism::config_independent; }
constexpr NanPolicy last_of(NanPolicy) { return NanPolicy::ignore; }
constexpr Binning last_of(Binning) { return Binning::key; }
constexpr Distribution last_of(Distribution) { return Distribution::constant; }

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

template <FieldsOf<HistogramShape> T, class Visit>
void visit_fields(T& shape, const Visit& visit) {
  visit("bins", shape.bins);
  visit("binning", shape.binning);
  visit("distribution", shape.distribution);
}

template <FieldsOf<Problem> T, class Visit>
void visit_fields(T& problem, const Visit& visit) {
  visit("op", problem.op);
  visit("type", problem.type);
  visit("accumulator", problem.accumulator);
  visit("result", problem.result);
  visit("count", problem.count);
  visit("alignment", problem.alignment);
  visit("determinism", problem.determinism);
  visit("nan_policy", problem.nan_policy);
  visit("ddof", problem.ddof);
  visit("custom", problem.custom);
  visit("histogram", problem.histogram);
}

nlohmann::json problem_to_json(const Problem& problem) { return write_json(problem); }

Problem problem_from_json(const nlohmann::json& json) {
  try {
    return read_json<Problem>(json);
  } catch (const std::exception& error) {
    throw std::invalid_argument(fmt::format("reading a problem from JSON: {}", error.what()));
  }
}

}  // namespace foldtune
