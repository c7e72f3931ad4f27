#include "tests/conformance/fold_all.h"

#include <chrono>

#include "foldtune/error.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/support/batch_compiler.h"

namespace foldtune::test {

void fold_all(const Problem& problem, const std::vector<Variant>& variants,
              const std::function<std::vector<Case>(const Plan& plan)>& make_cases) {
  const auto begin = std::chrono::steady_clock::now();
  Environment& environment = Environment::get();
  Device& device = environment.device();
  Tally& tally = environment.tally(problem);
  const Tally before = tally;

  const BatchCompiler compiler(device.compiler(), group_by_program(variants));
  Checker checker(device, tally);
  for (std::size_t i = 0; i < compiler.groups().size(); ++i) {
    const CompiledKernel compiled = compiler.get(i);
    ++tally.programs;
    for (const Variant& variant : compiler.groups()[i].variants) {
      INFO(to_json(variant.params) << ", or one enqueued before it");
      auto plan = std::make_unique<Plan>(device, variant, compiled);
      const std::vector<Case> cases = make_cases(*plan);
      checker.run(std::move(plan), cases);
    }
  }
  const std::string faults = checker.finish();
  tally.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  INFO(faults);
  CHECK(faults.empty());
  CHECK(tally.programs > before.programs);
  CHECK(tally.variants - before.variants == variants.size());
  CHECK(tally.calls - before.calls == 3 * (tally.cases - before.cases));
  CHECK(tally.cases - before.cases >= variants.size());
}

}  // namespace foldtune::test
