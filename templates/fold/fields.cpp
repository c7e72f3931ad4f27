#include "templates/fold/fields.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "templates/catalog.h"
#include "templates/family.h"
#include "templates/fold/operators.h"

namespace foldtune {
namespace {

using namespace fold_field;

std::string names(const std::vector<ElementType>& types) {
  std::string text;
  for (const ElementType type : types) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", name(type));
  }
  return text;
}

std::vector<ElementType> accumulator_types(const CustomOperator& op) {
  std::vector<ElementType> types;
  for (const AccumulatorField& field : op.accumulator) types.push_back(field.type);
  return types;
}

/// The inverse of `names`; empty for an unknown one.
std::vector<ElementType> parse_types(std::string_view text) {
  std::vector<ElementType> types;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::optional<ElementType> parsed = parse_element_type(text.substr(0, comma));
    if (!parsed) return {};
    types.push_back(*parsed);
    if (comma == std::string_view::npos) return types;
    text.remove_prefix(comma + 1);
  }
}

/// Sets the types of a custom operator's field; false if the text names none.
bool parse_custom_types(CustomOperator& op, std::size_t place, std::string_view text) {
  std::vector<ElementType> types = parse_types(text);
  if (types.empty()) return false;
  if (place == result) {
    op.result = types.front();
    return types.size() == 1;
  }
  if (types.size() > (place == type ? kMaxInputs : kMaxAccumulatorFields)) return false;
  if (place == type) {
    op.inputs = std::move(types);
  } else {
    op.accumulator.clear();
    for (const ElementType one : types) {
      // Several have names, which the text does not tell: any do, since the hash is not theirs.
      op.accumulator.push_back(
          {.name = types.size() > 1 ? fmt::format("field{}", op.accumulator.size() + 1) : "",
           .type = one});
    }
  }
  return true;
}

bool is_custom(const Problem& problem) {
  return problem.get(fold_fields()[op]) == static_cast<int>(Operator::custom);
}

template <class Value>
Value get(const Problem& problem, Place place) {
  return static_cast<Value>(problem.get(fold_fields()[place]));
}

template <class Value>
void set(Problem& problem, Place place, Value value) {
  problem.set(fold_fields()[place], static_cast<int>(value));
}

bool has_types(std::size_t place) {
  return place == type || place == accumulator || place == result;
}

}  // namespace

std::span<const Field> fold_fields() {
  static const std::array<Field, 7> fields{
      Field{.name = "op",
            .meaning = "What is computed [sum]",
            .labels = operator_names(),
            .apart = 1.5,
            .place = op},
      Field{.name = "type",
            .meaning = "Type of the elements [f32]",
            .labels = element_type_names(),
            .place = type},
      Field{.name = "accumulator",
            .meaning = "Type of partial results [the operator's own]",
            .labels = element_type_names(),
            .apart = 0,
            .place = accumulator},
      Field{.name = "result",
            .meaning = "Type of the result [the accumulator's]",
            .labels = element_type_names(),
            .apart = 0,
            .place = result},
      Field{.name = "determinism",
            .meaning = "What the result may depend on besides the input",
            .labels = determinism_names(),
            .fallback = static_cast<int>(Determinism::run_to_run),
            .apart = 4,
            .place = determinism},
      Field{.name = "nan",
            .meaning = "What operators that compare do with NaN",
            .labels = nan_policy_names(),
            .fallback = static_cast<int>(NanPolicy::propagate),
            .apart = 3,
            .place = nan},
      Field{.name = "ddof",
            .meaning = "What variance and stddev subtract from the count to divide by it",
            .least = 0,
            .most = 1,
            .fallback = 0,
            .apart = 3,
            .place = ddof}};
  return fields;
}

Reduction fold_of(const Problem& problem) {
  return {.op = get<Operator>(problem, op),
          .type = get<ElementType>(problem, type),
          .accumulator = get<ElementType>(problem, accumulator),
          .result = get<ElementType>(problem, result),
          .determinism = get<Determinism>(problem, determinism),
          .nan_policy = get<NanPolicy>(problem, nan),
          .ddof = get<int>(problem, ddof),
          .custom = problem.custom()};
}

void set_fold(Problem& problem, const Reduction& reduction) {
  set(problem, op, reduction.op);
  set(problem, type, reduction.type);
  if (reduction.accumulator) set(problem, accumulator, *reduction.accumulator);
  if (reduction.result) set(problem, result, *reduction.result);
  set(problem, determinism, reduction.determinism);
  set(problem, nan, reduction.nan_policy);
  set(problem, ddof, reduction.ddof);
  problem.set_custom(reduction.custom);
}

void complete_fold(Problem& problem) {
  if (!has_known_labels(problem)) return;
  const auto fields = fold_fields();
  const auto set_unsaid = [&](Place place, auto value) {
    if (problem.get(fields[place]) == Problem::kUnsaid) {
      problem.set(fields[place], static_cast<int>(value));
    }
  };
  set_unsaid(op, Operator::sum);
  const auto the_op = static_cast<Operator>(problem.get(fields[op]));
  if (const auto& custom = problem.custom(); custom != nullptr) {
    if (!custom->inputs.empty()) {
      problem.set(fields[type], static_cast<int>(custom->inputs.front()));
    }
    if (!custom->accumulator.empty()) set_unsaid(accumulator, custom->accumulator.front().type);
    set_unsaid(result, custom->result);
  } else if (the_op != Operator::custom) {
    set_unsaid(type, ElementType::f32);
  }
  if (problem.get(fields[type]) == Problem::kUnsaid) return;
  set_unsaid(accumulator,
             default_accumulator(the_op, static_cast<ElementType>(problem.get(fields[type]))));
  set_unsaid(result, problem.get(fields[accumulator]));
}

std::string fold_text(const Problem& problem, const Field& field) {
  const auto& custom = problem.custom();
  switch (custom == nullptr ? fold_fields().size() : field.place) {
    case op:
      return fmt::format("{}:{}", custom->name, custom->hash());
    case type:
      return names(custom->inputs);
    case accumulator:
      return names(accumulator_types(*custom));
    case result:
      return std::string(name(custom->result));
    default:
      return problem.family().Family::text(problem, field);
  }
}

bool parse_fold(Problem& problem, const Field& field, std::string_view text) {
  const std::size_t colon = text.find(':');
  if (field.place == op && colon != std::string_view::npos) {
    problem.set(field, static_cast<int>(Operator::custom));
    problem.set_custom(std::make_shared<const CustomOperator>(
        CustomOperator{.name = std::string(text.substr(0, colon)), .inputs = {}}));
    return true;
  }
  if (!has_types(field.place) || !is_custom(problem)) {
    return problem.family().Family::parse(problem, field, text);
  }
  if (problem.custom() == nullptr) return false;  // its types are the operator's
  CustomOperator custom = *problem.custom();
  const bool is_known = parse_custom_types(custom, field.place, text);
  problem.set_custom(std::make_shared<const CustomOperator>(std::move(custom)));
  return is_known;
}

std::string describe_fold(const Reduction& reduction) {
  std::string text;
  if (reduction.op == Operator::custom && reduction.custom != nullptr) {
    text = reduction.custom->name;
    for (const ElementType one : reduction.custom->inputs) text += fmt::format(" {}", name(one));
  } else {
    const ElementType accumulated = reduction.accumulator_type();
    text = fmt::format("{} {}", name(reduction.op), name(reduction.type));
    if (accumulated != default_accumulator(reduction.op, reduction.type)) {
      text += fmt::format(" in {}", name(accumulated));
    }
    const ElementType given = reduction.result.value_or(accumulated);
    if (given != accumulated) text += fmt::format(" to {}", name(given));
  }
  if (reduction.ddof != 0) text += fmt::format(" (ddof {})", reduction.ddof);
  if (reduction.nan_policy != NanPolicy::propagate) text += " without NaN";
  if (reduction.determinism != Determinism::run_to_run) {
    text += fmt::format(", {}", name(reduction.determinism));
  }
  return text;
}

}  // namespace foldtune
