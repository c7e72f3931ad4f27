#include "templates/fold/many_folds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "templates/catalog.h"
#include "templates/family.h"
#include "templates/fold/fields.h"
#include "templates/fold/operators.h"

namespace foldtune {
namespace {

constexpr std::string_view kInputNames[] = {"input", "input 2", "input 3", "input 4"};

const Field& result_field() { return fold_fields()[fold_field::result]; }

bool finds_element(Operator op) { return result_shape(op) == ResultShape::indexed_value; }

Operator op_of(const Problem& problem) {
  return static_cast<Operator>(problem.get(fold_fields()[fold_field::op]));
}

}  // namespace

void complete_folds(Problem& problem) {
  Problem completed = problem;
  complete_fold(completed);
  if (problem.get(result_field()) == Problem::kUnsaid && has_known_labels(completed) &&
      finds_element(op_of(completed))) {
    completed.set(result_field(), static_cast<int>(ElementType::i64));
  }
  problem = completed;
}

std::string find_folds_fault(const Reduction& part, std::string_view parts) {
  if (finds_element(part.op) && part.result != ElementType::i64 &&
      part.result != ElementType::i32) {
    return fmt::format("the result of {} {} is an index, i64 or i32, not {}", name(part.op), parts,
                       name(part.result_type()));
  }
  const Reduction one = one_fold(part);
  if (std::string fault = find_fold_fault(one); !fault.empty()) return fault;
  if (one.determinism == Determinism::config_independent && depends_on_order(one)) {
    return fmt::format(
        "a result {} that does not depend on the configuration is there only where the order of "
        "elements does not matter: ask for run_to_run",
        parts);
  }
  return {};
}

std::string find_number_fault(const Problem& problem, std::uint64_t elements) {
  const bool is_narrow = finds_element(op_of(problem)) &&
                         problem.get(result_field()) == static_cast<int>(ElementType::i32);
  if (!is_narrow || elements <= INT32_MAX) return {};
  return fmt::format("i32 does not hold the indices of {} elements: ask for i64", elements);
}

std::string describe_folds(const Reduction& part, std::string_view parts) {
  const bool gives_i32 = finds_element(part.op) && part.result == ElementType::i32;
  return fmt::format("{}{} {}", describe_fold(one_fold(part)), gives_i32 ? " to i32" : "", parts);
}

Reduction one_fold(const Reduction& part) {
  Reduction one = part;
  if (finds_element(one.op)) one.result.reset();
  return one;
}

std::size_t output_bytes_of_one(const Reduction& part) {
  if (result_shape(part.op) == ResultShape::min_max) return part.result_bytes();
  return size_of(part.result_type());
}

std::vector<Argument> folds_arguments(const Reduction& part) {
  std::vector<Argument> arguments{{.name = "output",
                                   .access = Access::output,
                                   .type = part.result_type(),
                                   .element_bytes = output_bytes_of_one(part),
                                   .alignment = size_of(part.result_type())}};
  for (const ElementType type : part.input_types()) {
    arguments.push_back({.name = kInputNames[arguments.size() - 1],
                         .type = type,
                         .element_bytes = size_of(type),
                         .alignment = size_of(type)});
  }
  return arguments;
}

std::string device_output(const Reduction& part, std::string_view op) {
  if (result_shape(part.op) == ResultShape::min_max) return fmt::format("{}::Result", op);
  return std::string(device_name(part.result_type()));
}

std::size_t element_bytes(const Reduction& part) {
  std::size_t bytes = 0;
  for (const ElementType type : part.input_types()) bytes += size_of(type);
  return bytes;
}

std::size_t widest_element_bytes(const Reduction& part) {
  std::size_t widest = 1;
  for (const ElementType type : part.input_types()) widest = std::max(widest, size_of(type));
  return widest;
}

}  // namespace foldtune
