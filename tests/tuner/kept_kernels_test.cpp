// Kernels that the tuner keeps: each once, and enough for a program without a compiler.
#include "tuner/session/kept_kernels.h"

#include "foldtune/context.h"
#include "foldtune/error.h"
#include "foldtune/reduction.h"
#include "runtime/compile/kernel_cache.h"
#include "templates/family.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"
#include "tests/tuner/tune_on.h"

namespace foldtune::test {
namespace {

constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 40;

WantedKernel wanted_of(int block_size, const std::string& tuned_with) {
  return {.program = make_program({.workload = Reduction{.count = 4096},
                                   .params = ReduceParams{.block_size = block_size}}),
          .tuned_with = tuned_with};
}

TEST_CASE("kept kernels: a program needs no compiler for what was tuned") {
  FakeDevice device;
  const std::shared_ptr<ConfigStore> store = open_memory_store();
  SilentObserver observer;
  TuneOptions options;
  options.workloads = {Reduction{.count = 4096}};
  options.effort = Effort::quick;
  const auto results = tune_on(device, *store, options, observer);
  REQUIRE(results.size() == 1);
  const auto wanted = kernels_of(results, device.compiler().version());
  const KeptKernels kept = keep_kernels(*store->kernels(), nullptr, device.info().record,
                                        device.compiler(), wanted, 1, kNoLimit);
  CHECK(kept.kernels == 1);
  CHECK(kept.compiled == 1);
  CHECK(kept.failures.empty());

  const auto bare = std::make_shared<FakeDevice>(FakeScript{.has_compiler = false});
  Context context(bare, store);
  const Reducer sum = context.reducer({});
  alignas(16) const std::vector<float> input(4096, 1);
  float result = 0;
  sum(input.data(), input.size(), &result);
  CHECK(result == 4096);
  CHECK(sum.explain(4096).config == to_json(results.front().best));
}

TEST_CASE("kept kernels: what is kept, or another store has, is not compiled again") {
  FakeDevice device;
  const auto source = open_memory_store()->kernels();
  const auto store = open_memory_store()->kernels();
  const auto keep = [&](KernelStore& into, const std::vector<WantedKernel>& wanted) {
    return keep_kernels(into, source.get(), device.info().record, device.compiler(), wanted,
                        /*threads=*/2, kNoLimit);
  };
  CHECK(keep(*source, {wanted_of(128, "fake 1.0"), wanted_of(256, "")}).compiled == 2);
  CHECK(keep(*store, {wanted_of(128, "fake 1.0"), wanted_of(256, "")}).compiled == 0);
  CHECK(store->usage().kernels == 2);
  // That of another compiler is not what was tuned, but of the present one.
  CHECK(keep(*store, {wanted_of(128, "fake 0.9")}).compiled == 0);
  CHECK(keep(*store, {wanted_of(512, "fake 0.9")}).compiled == 1);
  CHECK(device.counts().compilations == 3);
}

TEST_CASE("kept kernels: one that does not compile is reported, and the others are kept") {
  FakeDevice device({.fault = [](const ReduceParams& params) {
    return params.block_size == 128 ? Fault::compile_error : Fault::none;
  }});
  const auto store = open_memory_store()->kernels();
  const KeptKernels kept =
      keep_kernels(*store, nullptr, device.info().record, device.compiler(),
                   {wanted_of(128, "fake 1.0"), wanted_of(256, "fake 1.0")}, 1, kNoLimit);
  CHECK(kept.kernels == 1);
  CHECK(kept.failures.size() == 1);
}

}  // namespace
}  // namespace foldtune::test
