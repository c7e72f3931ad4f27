// NaN, infinities, signed zeros, denormals, extremes, and sums that wrap around or cancel.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/conformance/fold_all.h"

namespace foldtune::test {
namespace {

/// Two full tiles, a rest and a tail.
std::uint64_t count_for(const ReduceParams& params) {
  return 2 * tile_elements(params) + static_cast<std::uint64_t>(params.block_size) + 5;
}

/// Ways to combine values, with small tiles and the widest vectors. What is combined does not
/// depend on the rest. Each is for the count that it is called with, since not every one can hold
/// every total.
std::vector<Variant> some_combinations(Problem problem, std::size_t turn) {
  constexpr std::size_t kOnGpu = 8;
  constexpr std::size_t kOnCpu = 1;
  std::vector<Variant> all;
  int widest = 1;
  for (const Params& any : all_params(problem, Toolkit::absent)) {
    const auto& params = std::get<ReduceParams>(any);
    if (params.block_size != 64 || params.unroll != 2 || params.waves != 0) continue;
    problem.count = count_for(params);
    if (!Space(problem, Extent::all).contains(any)) continue;
    if (params.vector_width > widest) all.clear();
    widest = std::max(widest, params.vector_width);
    if (params.vector_width == widest) all.push_back({.problem = problem, .params = any});
  }
  return some_of(all, Environment::get().is_cuda() ? kOnGpu : kOnCpu, turn);
}

/// Whether no order of operations leaves the accumulator's range on the way to a finite result.
bool stays_in_range(const Problem& problem, const Reference& reference) {
  constexpr long double kRoom = 8;
  const long double largest = problem.accumulator_type() == ElementType::f32
                                  ? std::numeric_limits<float>::max()
                                  : std::numeric_limits<double>::max();
  const long double reached = std::max(reference.sum_of_magnitudes, reference.second_moment);
  return !is_floating(problem.accumulator_type()) || !std::isfinite(reached) ||
         reached < largest / kRoom;
}

std::vector<Case> make_cases(const Problem& problem, const std::vector<Input>& inputs) {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Input& next = inputs[(i + 1) % inputs.size()];
    // The inputs without their first element are not aligned.
    for (const std::uint64_t start : {0, 1}) {
      const Window window{start, inputs[i].size() - start};
      if (stays_in_range(problem, inputs[i].reference(window)) &&
          stays_in_range(problem, next.reference(window))) {
        cases.push_back({.first = &inputs[i], .second = &next, .window = window});
      }
    }
  }
  return cases;
}

/// Products of integers in f64: those of the special inputs leave the range, and what then meets a
/// 0 depends on the order.
bool overflows(const Problem& problem) {
  return problem.op == Operator::product && !is_floating(problem.type) &&
         is_floating(problem.accumulator_type());
}

TEST_CASE("Special values are folded as the semantics say", "[values]") {
  std::vector<FoldJob> jobs;
  for (Problem problem : chosen_problems()) {
    if (overflows(problem)) continue;
    problem.alignment = Alignment::element;
    const std::vector<Variant> variants = some_combinations(problem, jobs.size());
    const std::uint64_t count = variants.front().problem.count;
    jobs.push_back(
        {.problem = problem,
         .variants = variants,
         .make_inputs =
             [=] { return make_special_inputs(Environment::get().device(), problem, count); },
         .make_cases =
             [=](const Plan&, const std::vector<Input>& inputs) {
               return make_cases(problem, inputs);
             }});
  }
  fold_all(jobs);
}

}  // namespace
}  // namespace foldtune::test
