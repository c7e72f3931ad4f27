#include "foldtune/reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "templates/fold/fields.h"
#include "templates/reduce/space.h"

namespace foldtune {
ElementType Reduction::result_type() const {
  if (op == Operator::custom) return custom->result;
  return result.value_or(accumulator_type());
}

std::vector<ElementType> Reduction::input_types() const {
  if (op == Operator::custom) return custom->inputs;
  return std::vector<ElementType>(static_cast<std::size_t>(input_count(op)), type);
}

std::uint64_t Reduction::input_bytes() const {
  std::uint64_t bytes = 0;
  for (const ElementType input : input_types()) bytes += count * size_of(input);
  return bytes;
}

std::size_t Reduction::result_bytes() const {
  switch (result_shape(op)) {
    case ResultShape::indexed_value:
      return 16;
    case ResultShape::min_max:
      return 2 * size_of(result_type());
    case ResultShape::value:
      break;
  }
  return size_of(result_type());
}

std::size_t Reduction::output_alignment() const {
  return result_shape(op) == ResultShape::indexed_value ? 8 : size_of(result_type());
}

Reduction::operator Problem() const {
  Problem problem(reduce_family());
  set_fold(problem, *this);
  reduce_family().complete(problem);
  return problem;
}

Reduction::operator Workload() const {
  return {.problem = *this, .shape = {{count}}, .layout = static_cast<int>(alignment)};
}

Reduction reduction_of(const Problem& problem) {
  if (&problem.family() != &reduce_family()) {
    throw std::logic_error("a problem of another family where one of `reduce` belongs");
  }
  return fold_of(problem);
}

Reduction reduction_of(const Workload& workload) {
  Reduction reduction = reduction_of(workload.problem);
  reduction.count = workload.shape[0];
  reduction.alignment = static_cast<Alignment>(workload.layout);
  return reduction;
}

Reduction make_reduction(CustomOperator op) {
  Reduction reduction{.op = Operator::custom};
  if (!op.inputs.empty()) reduction.type = op.inputs.front();
  reduction.custom = std::make_shared<const CustomOperator>(std::move(op));
  return reduction;
}

std::string to_string(const Reduction& reduction) { return to_string(Workload(reduction)); }

std::string find_fault(const Reduction& reduction) { return find_fault(Workload(reduction)); }

bool depends_on_order(const Reduction& reduction) {
  if (reduction.op == Operator::custom) {
    return std::ranges::any_of(reduction.custom->accumulator, [](const AccumulatorField& field) {
      return is_floating(field.type);
    });
  }
  return depends_on_order(reduction.op, reduction.accumulator_type());
}

}  // namespace foldtune
