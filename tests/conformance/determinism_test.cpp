// What the levels of determinism promise, bit for bit.

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <memory>

#include "runtime/launch/plan.h"
#include "templates/reduce/judge/error_bound.h"
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
    const DeviceBuffer scratch(device_, plan.scratch_bytes({{window.count}}));
    return call(plan, input, window, scratch);
  }
  Bytes call(const Plan& plan, const Input& input, const Window& window,
             const DeviceBuffer& scratch) {
    plan.enqueue(input.call(window, output_.data()), scratch.data(), nullptr);
    device_.synchronize(nullptr);
    Bytes result(output_bytes(plan.variant().workload));
    device_.copy(result.data(), output_.data(), result.size());
    return result;
  }

 private:
  static constexpr std::size_t kMaxResultBytes = 16;
  Device& device_;
  DeviceBuffer output_;
};

/// Random values: every order of operations rounds differently.
std::vector<std::vector<std::byte>> random_arrays(const Reduction& reduction, std::uint64_t count) {
  constexpr std::uint64_t kSeed = 11;
  std::vector<std::vector<std::byte>> arrays;
  for (std::size_t i = 0; i < reduction.input_types().size(); ++i) {
    arrays.push_back(make_input(reduction, i, count, kSeed + i));
  }
  return arrays;
}

/// Every operator that rounds, over every type that its accumulators can have.
std::vector<Reduction> rounding_reductions(Determinism determinism) {
  std::vector<Reduction> reductions;
  for (Reduction reduction : chosen_reductions()) {
    reduction.determinism = determinism;
    const bool is_default =
        reduction.accumulator_type() == default_accumulator(reduction.op, reduction.type);
    if (is_default && is_floating(reduction.type) && depends_on_order(reduction)) {
      reductions.push_back(reduction);
    }
  }
  return reductions;
}

struct Compiled {
  const Variant& variant;
  const CompiledKernel& kernel;
};

/// Compiles what `choose` gives for a reduction and its place, and calls what `begin` gives for the
/// reduction with each, while those of later reductions are compiled.
void compile_and_use(
    const std::vector<Reduction>& reductions,
    const std::function<std::vector<Variant>(const Reduction&, std::size_t)>& choose,
    const std::function<std::function<void(const Compiled&)>(const Reduction&)>& begin) {
  std::vector<ProgramGroup> groups;
  std::vector<std::size_t> ends;
  for (const Reduction& reduction : reductions) {
    for (ProgramGroup& group : group_by_program(choose(reduction, ends.size()))) {
      groups.push_back(std::move(group));
    }
    ends.push_back(groups.size());
  }
  Environment& environment = Environment::get();
  const BatchCompiler compiler(environment.device().compiler(), std::move(groups), 0,
                               &environment.programs());
  std::size_t next = 0;
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    INFO(describe(reductions[i]));
    const std::function<void(const Compiled&)> use = begin(reductions[i]);
    Tally& tally = environment.tally(describe(reductions[i]));
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
  const Reduction reduction = reduction_of(variant.workload);
  return fmt::format("{} n = {}: {} gives {}, another call gave {}", describe(reduction),
                     window.count, to_json(variant.params), format_result(reduction, result.data()),
                     format_result(reduction, expected.data()));
}

std::string find_fault(const Plan& plan, const Input& input, const Window& window,
                       const Bytes& result) {
  Reduction reduction = reduction_of(plan.variant().workload);
  reduction.count = window.count;
  const Reference& reference = input.reference(window);
  const long double bound =
      error_bound(reduction, plan.variant().params, plan.grid_size({{window.count}}), reference);
  return find_difference(reduction, result.data(), reference, bound);
}

/// The variants of a reduction in a fixed order, aligned and not.
std::vector<Variant> ordered_variants(Reduction reduction, std::size_t turn) {
  constexpr std::size_t kOnCpu = 4;
  std::vector<Variant> variants;
  for (const Alignment alignment : {Alignment::vector, Alignment::element}) {
    reduction.alignment = alignment;
    for (const Config& params : all_params(reduction)) {
      variants.push_back({.workload = reduction, .params = params});
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
  compile_and_use(rounding_reductions(Determinism::config_independent), ordered_variants,
                  [&](const Reduction& reduction) {
                    REQUIRE(has_fixed_order(reduction));
                    auto inputs = std::make_shared<std::vector<Input>>();
                    inputs->emplace_back(device, reduction, "random",
                                         random_arrays(reduction, counts.back()));
                    // The same elements one place farther on, so that no vector is aligned.
                    auto arrays = random_arrays(reduction, counts.back());
                    for (auto& array : arrays) {
                      const std::size_t size = array.size() / counts.back();
                      array.insert(array.begin(), size, std::byte{});
                    }
                    inputs->emplace_back(device, reduction, "random, shifted", std::move(arrays));
                    return [&, inputs, known = std::map<std::uint64_t, Bytes>(),
                            &tally = Environment::get().tally(describe(reduction))](
                               const Compiled& compiled) mutable {
                      const Variant& variant = compiled.variant;
                      const Plan plan(device, variant, compiled.kernel);
                      tally.cases += counts.size();
                      const bool shifted = variant.workload.layout != 0;
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
  const auto choose = [](const Reduction& reduction, std::size_t turn) {
    std::vector<Variant> variants;
    for (const Config& params : all_params(reduction)) {
      variants.push_back({.workload = reduction, .params = params});
    }
    return some_of(variants, Environment::get().is_cuda() ? 6 : 1, 7 * turn);
  };
  compile_and_use(
      rounding_reductions(Determinism::run_to_run), choose, [&](const Reduction& reduction) {
        auto input =
            std::make_shared<Input>(device, reduction, "random", random_arrays(reduction, count));
        return [&, input,
                &tally = Environment::get().tally(describe(reduction))](const Compiled& compiled) {
          const Plan plan(device, compiled.variant, compiled.kernel);
          const Window window{0, count};
          const DeviceBuffer scratch(device, plan.scratch_bytes({{count}}));
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
  for (const Reduction& each : all_reductions()) {
    for (const Determinism determinism :
         {Determinism::run_to_run, Determinism::config_independent}) {
      Reduction reduction = each;
      reduction.determinism = determinism;
      if (!depends_on_order(reduction)) continue;
      for (const Config& any : all_params(reduction)) {
        const auto& params = reduce_params(any);
        REQUIRE_FALSE(params.final_stage == FinalStage::atomic);
      }
    }
  }
}

}  // namespace
}  // namespace foldtune::test
