// What the levels of determinism promise, bit for bit.

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <memory>

#include "runtime/launch/plan.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/conformance/environment.h"
#include "tests/conformance/input.h"
#include "tests/support/batch_compiler.h"

namespace foldtune::test {
namespace {

using Bytes = std::vector<std::byte>;

/// Calls plans one at a time.
class Caller {
 public:
  explicit Caller(Device& device) : device_(device), output_(device, kMaxResultBytes) {}

  /// The result of one call.
  Bytes call(const Plan& plan, const Input& input, const Window& window) {
    const DeviceBuffer scratch(device_, plan.scratch_bytes(window.count));
    return call(plan, input, window, scratch);
  }
  Bytes call(const Plan& plan, const Input& input, const Window& window,
             const DeviceBuffer& scratch) {
    plan.enqueue(
        {.inputs = input.at(window.start), .count = window.count, .output = output_.data()},
        scratch.data(), nullptr);
    device_.synchronize(nullptr);
    Bytes result(plan.variant().problem.result_bytes());
    device_.copy(result.data(), output_.data(), result.size());
    return result;
  }

 private:
  static constexpr std::size_t kMaxResultBytes = 16;
  Device& device_;
  DeviceBuffer output_;
};

/// Random values: every order of operations rounds differently.
std::vector<std::vector<std::byte>> random_arrays(const Problem& problem, std::uint64_t count) {
  constexpr std::uint64_t kSeed = 11;
  std::vector<std::vector<std::byte>> arrays;
  for (std::size_t i = 0; i < problem.input_types().size(); ++i) {
    arrays.push_back(make_input(problem, i, count, kSeed + i));
  }
  return arrays;
}

/// Every operator that rounds, over every type that its accumulators can have.
std::vector<Problem> rounding_problems(Determinism determinism) {
  std::vector<Problem> problems;
  for (Problem problem : chosen_problems()) {
    problem.determinism = determinism;
    const bool is_default =
        problem.accumulator_type() == default_accumulator(problem.op, problem.type);
    if (is_default && is_floating(problem.type) && depends_on_order(problem)) {
      problems.push_back(problem);
    }
  }
  return problems;
}

struct Compiled {
  const Variant& variant;
  const CompiledKernel& kernel;
};

/// Compiles what `choose` gives for a problem and its place, and calls what `begin` gives for the
/// problem with each, while those of later problems are compiled.
void compile_and_use(
    const std::vector<Problem>& problems,
    const std::function<std::vector<Variant>(const Problem&, std::size_t)>& choose,
    const std::function<std::function<void(const Compiled&)>(const Problem&)>& begin) {
  std::vector<ProgramGroup> groups;
  std::vector<std::size_t> ends;
  for (const Problem& problem : problems) {
    for (ProgramGroup& group : group_by_program(choose(problem, ends.size()))) {
      groups.push_back(std::move(group));
    }
    ends.push_back(groups.size());
  }
  Environment& environment = Environment::get();
  const BatchCompiler compiler(environment.device().compiler(), std::move(groups), 0,
                               &environment.programs());
  std::size_t next = 0;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    INFO(describe(problems[i]));
    const std::function<void(const Compiled&)> use = begin(problems[i]);
    Tally& tally = environment.tally(problems[i]);
    for (; next < ends[i]; ++next) {
      const CompiledKernel kernel = compiler.get(next);
      ++tally.programs;
      for (const Variant& variant : compiler.groups()[next].variants) {
        ++tally.variants;
        use({variant, kernel});
      }
    }
  }
}

std::string compare(const Variant& variant, const Window& window, const Bytes& expected,
                    const Bytes& result) {
  if (expected == result) return {};
  return fmt::format("{} n = {}: {} gives {}, another call gave {}", describe(variant.problem),
                     window.count, to_json(variant.params),
                     format_result(variant.problem, result.data()),
                     format_result(variant.problem, expected.data()));
}

std::string find_fault(const Plan& plan, const Input& input, const Window& window,
                       const Bytes& result) {
  Problem problem = plan.variant().problem;
  problem.count = window.count;
  const Reference& reference = input.reference(window);
  const long double bound =
      error_bound(problem, plan.variant().params, plan.grid_size(window.count), reference);
  return find_difference(problem, result.data(), reference, bound);
}

/// The variants of a problem in a fixed order, aligned and not.
std::vector<Variant> ordered_variants(Problem problem, std::size_t turn) {
  constexpr std::size_t kOnCpu = 4;
  std::vector<Variant> variants;
  for (const Alignment alignment : {Alignment::vector, Alignment::element}) {
    problem.alignment = alignment;
    for (const Config& params : all_params(problem, Environment::get().toolkit())) {
      variants.push_back({.problem = problem, .params = params});
    }
  }
  return Environment::get().is_cuda() ? some_of(variants, 16, turn)
                                      : some_of(variants, kOnCpu, turn);
}

TEST_CASE("config_independent: every configuration and address gives the same bits",
          "[determinism]") {
  const bool is_cuda = Environment::get().is_cuda();
  // Chunks are of one size up to 2^17 elements, and then grow.
  const std::vector<std::uint64_t> counts =
      is_cuda ? std::vector<std::uint64_t>{1, 777, 1024, 5000, 131'072, 300'007, 2'097'153}
              : std::vector<std::uint64_t>{1, 777, 1024, 5000, 33'000};
  Device& device = Environment::get().device();
  Caller caller(device);
  std::size_t compared = 0;
  compile_and_use(
      rounding_problems(Determinism::config_independent), ordered_variants,
      [&](const Problem& problem) {
        REQUIRE(has_fixed_order(problem));
        auto inputs = std::make_shared<std::vector<Input>>();
        inputs->emplace_back(device, problem, "random", random_arrays(problem, counts.back()));
        // The same elements one place farther on, so that no vector is aligned.
        auto arrays = random_arrays(problem, counts.back());
        for (auto& array : arrays) {
          const std::size_t size = array.size() / counts.back();
          array.insert(array.begin(), size, std::byte{});
        }
        inputs->emplace_back(device, problem, "random, shifted", std::move(arrays));
        return [&, inputs, known = std::map<std::uint64_t, Bytes>(),
                &tally = Environment::get().tally(problem)](const Compiled& compiled) mutable {
          const Variant& variant = compiled.variant;
          const Plan plan(device, variant, compiled.kernel);
          tally.cases += counts.size();
          const bool shifted = variant.problem.alignment == Alignment::element;
          const Input& input = (*inputs)[shifted ? 1 : 0];
          for (const std::uint64_t count : counts) {
            const Window window{shifted ? 1U : 0U, count};
            const Bytes result = caller.call(plan, input, window);
            const auto [expected, is_first] = known.emplace(count, result);
            CHECK(compare(variant, window, expected->second, result) == "");
            CHECK(find_fault(plan, input, window, result) == "");
            compared += is_first ? 0 : 1;
            ++tally.calls;
          }
        };
      });
  CHECK(compared > 0);
}

TEST_CASE("run_to_run: a hundred calls give the same bits", "[determinism]") {
  constexpr int kRuns = 100;
  const std::uint64_t count = Environment::get().is_cuda() ? 1'000'003 : 3'001;
  Device& device = Environment::get().device();
  Caller caller(device);
  std::size_t compared = 0;
  const auto choose = [](const Problem& problem, std::size_t turn) {
    std::vector<Variant> variants;
    for (const Config& params : all_params(problem, Toolkit::absent)) {
      variants.push_back({.problem = problem, .params = params});
    }
    return some_of(variants, Environment::get().is_cuda() ? 6 : 1, 7 * turn);
  };
  compile_and_use(rounding_problems(Determinism::run_to_run), choose, [&](const Problem& problem) {
    auto input = std::make_shared<Input>(device, problem, "random", random_arrays(problem, count));
    return [&, input, &tally = Environment::get().tally(problem)](const Compiled& compiled) {
      const Plan plan(device, compiled.variant, compiled.kernel);
      const Window window{0, count};
      const DeviceBuffer scratch(device, plan.scratch_bytes(count));
      const Bytes expected = caller.call(plan, *input, window, scratch);
      for (int run = 1; run < kRuns; ++run) {
        const Bytes result = caller.call(plan, *input, window, scratch);
        CHECK(compare(compiled.variant, window, expected, result) == "");
        ++compared;
      }
      tally.calls += kRuns;
    };
  });
  CHECK(compared > 0);
}

TEST_CASE("no space holds a configuration that cannot keep its promise", "[determinism]") {
  for (const Problem& each : all_problems()) {
    for (const Determinism determinism :
         {Determinism::run_to_run, Determinism::config_independent}) {
      Problem problem = each;
      problem.determinism = determinism;
      if (!depends_on_order(problem)) continue;
      for (const Config& any : all_params(problem, Toolkit::present)) {
        const auto& params = reduce_params(any);
        const bool is_atomic = params.final_stage == FinalStage::atomic ||
                               params.block_stage == BlockStage::shared_atomic;
        REQUIRE_FALSE(is_atomic);
      }
    }
  }
}

}  // namespace
}  // namespace foldtune::test
