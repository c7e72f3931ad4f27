// What cannot be reduced, and why.
#include <fmt/format.h>

#include <algorithm>

#include "templates/fold/fields.h"

namespace foldtune {
namespace {

std::string find_custom_fault(const Reduction& reduction) {
  if (reduction.custom == nullptr) return "a custom operator needs its expressions";
  const CustomOperator& custom = *reduction.custom;
  if (std::string fault = custom.find_fault(); !fault.empty()) return fault;
  if (reduction.accumulator_type() != custom.accumulator.front().type ||
      reduction.result.value_or(custom.result) != custom.result) {
    return "a custom operator brings its own accumulator and result types";
  }
  if (reduction.nan_policy != NanPolicy::propagate) return "a custom operator has no NaN policy";
  if (reduction.ddof != 0) return "a custom operator has no degrees of freedom";
  return {};
}

/// What is wrong with the types.
std::string find_type_fault(const Reduction& reduction) {
  const std::vector<ElementType> legal = accumulators(reduction.op, reduction.type);
  if (legal.empty()) {
    return fmt::format("{} takes integers, not {}", name(reduction.op), name(reduction.type));
  }
  const ElementType accumulator = reduction.accumulator_type();
  if (std::ranges::find(legal, accumulator) == legal.end()) {
    std::string names;
    for (const ElementType type : legal) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", name(type));
    }
    return fmt::format("{} of {} cannot accumulate in {}; it can in {}", name(reduction.op),
                       name(reduction.type), name(accumulator), names);
  }
  if (!reduction.result || *reduction.result == accumulator) return {};
  if (result_shape(reduction.op) != ResultShape::value) {
    return fmt::format("the result of {} is of the accumulator's type, {}", name(reduction.op),
                       name(accumulator));
  }
  if (is_floating(accumulator) && !is_floating(*reduction.result)) {
    return fmt::format("{} of {} in {} is no {}: ask for a floating-point result",
                       name(reduction.op), name(reduction.type), name(accumulator),
                       name(*reduction.result));
  }
  return {};
}

}  // namespace

std::string find_fold_fault(const Reduction& reduction) {
  if (reduction.op == Operator::custom) return find_custom_fault(reduction);
  if (reduction.custom != nullptr) {
    return fmt::format("it has the operator {} and one of its own: leave one of them out",
                       name(reduction.op));
  }
  if (std::string fault = find_type_fault(reduction); !fault.empty()) return fault;
  if (reduction.nan_policy != NanPolicy::propagate && !has_nan_policy(reduction.op)) {
    return fmt::format("{} does not compare: it has no NaN policy", name(reduction.op));
  }
  if (reduction.ddof != 0 && !has_ddof(reduction.op)) {
    return fmt::format("{} has no degrees of freedom: ddof is for variance and stddev",
                       name(reduction.op));
  }
  if (reduction.ddof != 0 && reduction.ddof != 1) {
    return fmt::format("ddof is 0 (population) or 1 (sample), not {}", reduction.ddof);
  }
  return {};
}

}  // namespace foldtune
