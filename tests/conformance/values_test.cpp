// NaN, infinities, signed zeros, denormals, extremes, and sums that wrap around or cancel.

#include <map>

#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/conformance/fold_all.h"

namespace foldtune::test {
namespace {

/// Every way to combine values, with small tiles. What is combined does not depend on the rest.
std::vector<Variant> every_combination(const Problem& problem) {
  std::vector<Variant> result;
  for (const ReduceParams& params : ReduceSpace(problem).enumerate()) {
    if (params.block_size == 64 && params.unroll == 2 && params.waves == 0) {
      result.push_back({.problem = problem, .params = params});
    }
  }
  return result;
}

TEST_CASE("Special values are folded as the semantics say", "[values]") {
  for (Problem problem : all_problems()) {
    problem.alignment = Alignment::element;
    DYNAMIC_SECTION(describe(problem)) {
      std::map<std::uint64_t, std::vector<Input>> inputs_by_count;
      const auto make_cases = [&](const Plan& plan) {
        // Two full tiles, a rest and a tail.
        const ReduceParams& params = plan.variant().params;
        const std::uint64_t count =
            2 * tile_elements(params) + static_cast<std::uint64_t>(params.block_size) + 5;
        std::vector<Input>& inputs = inputs_by_count[count];
        if (inputs.empty()) {
          inputs = make_special_inputs(Environment::get().device(), problem, count);
        }
        std::vector<Case> cases;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
          // The inputs without their first element are not aligned.
          for (const std::uint64_t start : {0, 1}) {
            cases.push_back({.first = &inputs[i],
                             .second = &inputs[(i + 1) % inputs.size()],
                             .window = {start, count - start}});
          }
        }
        return cases;
      };
      fold_all(problem, every_combination(problem), make_cases);
    }
  }
}

}  // namespace
}  // namespace foldtune::test
