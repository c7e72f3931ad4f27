#include "tests/conformance/fold_all.h"

#include <chrono>
#include <iterator>
#include <span>

#include "foldtune/error.h"
#include "templates/space.h"
#include "tests/catch.h"
#include "tests/support/batch_compiler.h"

namespace foldtune::test {
namespace {

/// Runs the groups [first, first + count) of the compiler, which are those of the job.
void fold(const FoldJob& job, const BatchCompiler& compiler, std::size_t first, std::size_t count) {
  const auto begin = std::chrono::steady_clock::now();
  Environment& environment = Environment::get();
  Device& device = environment.device();
  Tally& tally = environment.tally(describe(job.reduction));
  const Tally before = tally;

  const std::vector<Input> inputs = job.make_inputs();
  Checker checker(device, tally);
  for (std::size_t i = first; i < first + count; ++i) {
    const CompiledKernel compiled = compiler.get(i);
    ++tally.programs;
    for (const Variant& variant : compiler.groups()[i].variants) {
      INFO(to_json(variant.params) << ", or one enqueued before it");
      auto plan = std::make_unique<Plan>(device, variant, compiled);
      const std::vector<Case> cases = job.make_cases(*plan, inputs);
      checker.run(std::move(plan), cases);
    }
  }
  const std::string faults = checker.finish();
  tally.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  INFO(faults);
  CHECK(faults.empty());
  CHECK(tally.programs > before.programs);
  CHECK(tally.variants - before.variants == job.variants.size());
  CHECK(tally.calls - before.calls == 3 * (tally.cases - before.cases));
  CHECK(tally.cases - before.cases >= job.variants.size());
}

}  // namespace

void fold_all(const std::vector<FoldJob>& jobs) {
  std::vector<ProgramGroup> groups;
  std::vector<std::size_t> counts;
  for (const FoldJob& job : jobs) {
    std::vector<ProgramGroup> own = group_by_program(job.variants);
    counts.push_back(own.size());
    std::ranges::move(own, std::back_inserter(groups));
  }
  Environment& environment = Environment::get();
  const BatchCompiler compiler(environment.device().compiler(), std::move(groups), 0,
                               &environment.programs());
  std::size_t first = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    INFO(describe(jobs[i].reduction));
    fold(jobs[i], compiler, first, counts[i]);
    first += counts[i];
  }
}

}  // namespace foldtune::test
