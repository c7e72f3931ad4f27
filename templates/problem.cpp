#include "foldtune/problem.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace foldtune {

int size_class(std::uint64_t count) {
  return count == 0 ? 0 : static_cast<int>(std::lround(std::log2(static_cast<double>(count))));
}

std::string to_string(const Problem& problem) {
  std::string text = fmt::format("{} {}", name(problem.op), name(problem.type));
  if (problem.accumulator_type() != default_accumulator(problem.op, problem.type)) {
    text += fmt::format(" in {}", name(problem.accumulator_type()));
  }
  if (std::has_single_bit(problem.count) && problem.count >= 1024) {
    return text + fmt::format(" 2^{}", std::countr_zero(problem.count));
  }
  return text + fmt::format(" {}", problem.count);
}

std::string find_fault(const Problem& problem) {
  if (problem.type == ElementType::i64) {
    return "i64 is an accumulator; as an element type it is not in the catalogue";
  }
  if (!accumulates_in(problem.op, problem.type, problem.accumulator_type())) {
    return fmt::format("{} of {} cannot accumulate in {}", name(problem.op), name(problem.type),
                       name(problem.accumulator_type()));
  }
  if (problem.count > kMaxCount) {
    return fmt::format("{} elements are more than the most, 2^40", problem.count);
  }
  if (problem.determinism == Determinism::config_independent &&
      depends_on_order(problem.op, problem.accumulator_type())) {
    return fmt::format(
        "no configuration of {} over {} keeps the promise config_independent: floating-point sums "
        "depend on their order",
        name(problem.op), name(problem.type));
  }
  return {};
}

}  // namespace foldtune
