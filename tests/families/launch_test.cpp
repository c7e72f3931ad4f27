// Families from outside the tree are looked up and launched as the tree's own.
#include <cstring>
#include <numeric>
#include <vector>

#include "runtime/api/operation.h"
#include "runtime/lookup/lookup.h"
#include "templates/described/judge/judge.h"
#include "templates/fingerprint.h"
#include "tests/catch.h"
#include "tests/families/device.h"
#include "tests/families/stencil.h"

namespace foldtune::test {
namespace {

/// What a context gives its operations, with a store in memory.
struct Parts {
  std::shared_ptr<Device> device = open_device(test_device());
  std::shared_ptr<ConfigStore> store = open_memory_store();
  ConfigLookup configs{store};
  KernelCache kernels;
  OperationSettings settings{};

  OperationParts get() { return {*device, configs, kernels, settings}; }
};

TEST_CASE("A family of three extents is launched with its default and with what was tuned") {
  use_stencil();
  Parts parts;
  const Workload workload = stencil_workload(ElementType::f32, 3, 17, 90);
  const std::uint64_t count = 3ull * 17 * 90;
  std::vector<float> input(count);
  std::iota(input.begin(), input.end(), 0.0f);
  for (float& x : input) x = x / static_cast<float>(count);
  DeviceBuffer on_device(*parts.device, count * sizeof(float));
  DeviceBuffer output(*parts.device, count * sizeof(float));
  parts.device->copy(on_device.data(), input.data(), count * sizeof(float));
  float factor = 2.5;
  const Call call{.shape = workload.shape, .arguments = {output.data(), on_device.data(), &factor}};

  const bool is_tuned = GENERATE(false, true);
  if (is_tuned) {
    Config best(stencil_family());
    best.set(stencil_family().tunables()[2], 4);
    const auto run = parts.store->begin_run({.device = parts.device->info().record,
                                             .compiler = parts.device->compiler().version(),
                                             .foldtune_version = "0",
                                             .command = "test"});
    parts.store->put(run, {.problem = make_problem_key(workload),
                           .template_fingerprint = kernel_fingerprint(workload.problem),
                           .shape = to_text(stencil_family(), workload.shape),
                           .bytes = input_bytes(workload),
                           .params = to_json(best),
                           .round = 2,
                           .samples_us = {5},
                           .median_us = 5});
  }
  Operation operation(parts.get(), workload.problem);
  operation.call(call, nullptr);
  parts.device->synchronize(nullptr);
  std::vector<std::byte> result(count * sizeof(float));
  parts.device->copy(result.data(), output.data(), result.size());

  const void* const arguments[] = {nullptr, input.data(), &factor};
  const auto expected = stencil_judge().expect(workload, arguments);
  CHECK(expected->find_difference(result, {}).empty());
  const Explanation explanation = operation.explain(workload.shape);
  CHECK(explanation.source == (is_tuned ? ConfigSource::exact : ConfigSource::untuned_default));
  // What was tuned serves a shape near by, and none far away.
  const Shape near{{3, 30, 90}};
  const Shape far{{3, 17, 60'000}};
  CHECK(operation.explain(near).source ==
        (is_tuned ? ConfigSource::near_size : ConfigSource::untuned_default));
  CHECK(operation.explain(far).source == ConfigSource::untuned_default);
}

TEST_CASE("A kernel from a file is launched") {
  const std::string path = std::string(FOLDTUNE_FAMILIES_FOLDER) + "/scaled_copy.json";
  const Family& family = use_family(path);
  Parts parts;
  const Problem problem = problem_of(family, "T=i32").value();
  constexpr std::uint64_t kRows = 5;
  constexpr std::uint64_t kColumns = 777;
  std::vector<std::int32_t> input(kRows * kColumns);
  std::iota(input.begin(), input.end(), -100);
  const std::size_t bytes = input.size() * sizeof(std::int32_t);
  DeviceBuffer on_device(*parts.device, bytes);
  DeviceBuffer output(*parts.device, bytes);
  parts.device->copy(on_device.data(), input.data(), bytes);
  Operation operation(parts.get(), problem);
  operation.call({.shape = {{kRows, kColumns}}, .arguments = {on_device.data(), output.data()}},
                 nullptr);
  parts.device->synchronize(nullptr);
  std::vector<std::int32_t> result(input.size());
  parts.device->copy(result.data(), output.data(), bytes);
  for (std::int32_t& x : input) x *= 3;
  CHECK(result == input);
  CHECK_THROWS_AS(
      operation.call({.shape = {{0, 7}}, .arguments = {on_device.data(), output.data()}}, nullptr),
      InvalidArgument);
}

}  // namespace
}  // namespace foldtune::test
