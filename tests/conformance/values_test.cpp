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

/// Above all counts of this test.
constexpr std::uint64_t kLargestCount = 10'007;

/// At least two full tiles, or chunks of a fixed order, a rest and a tail.
std::uint64_t count_for(const Reduction& reduction, const ReduceParams& params) {
  const std::uint64_t part = has_fixed_order(reduction) ? chunk_elements(0) : tile_elements(params);
  return 2 * part + static_cast<std::uint64_t>(params.block_size) + 5;
}

std::vector<Case> make_cases(const Reduction& reduction, const std::vector<Input>& inputs) {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Input& next = inputs[(i + 1) % inputs.size()];
    // The inputs without their first element are not aligned.
    for (const std::uint64_t start : {0, 1}) {
      const Window window{start, inputs[i].size() - start};
      if (stays_in_range(reduction, inputs[i].reference(window)) &&
          stays_in_range(reduction, next.reference(window))) {
        cases.push_back({.first = &inputs[i], .second = &next, .window = window});
      }
    }
  }
  return cases;
}

/// Folds the special inputs of each reduction by some kernels.
void fold_special_values(const std::vector<Reduction>& reductions) {
  std::vector<FoldJob> jobs;
  for (Reduction reduction : reductions) {
    reduction.count = kLargestCount;
    const std::vector<Variant> variants = some_combinations(reduction);
    std::uint64_t count = 0;
    for (const Variant& variant : variants) {
      count = std::max(count, count_for(reduction, reduce_params(variant.params)));
    }
    jobs.push_back(
        {.reduction = reduction,
         .variants = variants,
         .make_inputs =
             [=] { return make_special_inputs(Environment::get().device(), reduction, count); },
         .make_cases =
             [=](const Plan&, const std::vector<Input>& inputs) {
               return make_cases(reduction, inputs);
             }});
  }
  fold_all(jobs);
}

TEST_CASE("Special values are folded as the semantics say", "[values]") {
  std::vector<Reduction> reductions = chosen_reductions();
  std::erase_if(reductions, overflows);
  fold_special_values(reductions);
}

TEST_CASE("In a fixed order special values stay in range and keep their digits, too", "[values]") {
  std::vector<Reduction> reductions;
  for (Reduction reduction : chosen_reductions()) {
    reduction.determinism = Determinism::config_independent;
    const bool is_kept_in_range =
        reduction.op == Operator::mean || reduction.op == Operator::nrm2 || has_ddof(reduction.op);
    if (is_kept_in_range && has_fixed_order(reduction)) reductions.push_back(reduction);
  }
  fold_special_values(reductions);
}

}  // namespace
}  // namespace foldtune::test
