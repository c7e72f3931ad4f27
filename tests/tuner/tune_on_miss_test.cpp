#include "tuner/session/tune_on_miss.h"

#include "foldtune/foldtune.hpp"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"
#include "tests/runtime/broken_store.h"

namespace foldtune::test {
namespace {

const Problem kSum{.op = Operator::sum, .type = ElementType::f32};

TEST_CASE("A miss is tuned within its budget, and the next context finds the result") {
  const auto device = std::make_shared<FakeDevice>(FakeScript{
      .cost_us = [](const FakeLaunch& launch) { return launch.params.unroll == 8 ? 1. : 2.; }});
  const std::shared_ptr<ConfigStore> store = open_memory_store();
  alignas(16) const float input[4096] = {3, 1, 4};
  float output = 0;
  {
    ContextOptions options;
    options.on_miss = tune_on_miss(device, store, {.budget_s = 60, .effort = Effort::normal});
    Context context(device, store, options);
    const Reducer reducer = context.reducer(kSum);
    reducer(input, 4096, &output);
    CHECK(output == 8);
    const Explanation tuned = reducer.explain(4096);
    CHECK(tuned.source == ConfigSource::exact);
    CHECK(tuned.config.find("\"unroll\":8") != std::string::npos);
    const int takings = device->counts().takings;
    reducer(input, 4000, &output);  // of the same size class
    CHECK(device->counts().takings == takings);
  }
  Context later(device, store);
  CHECK(later.reducer(kSum).explain(4096).source == ConfigSource::exact);
}

TEST_CASE("A miss that cannot be kept is a DatabaseError") {
  ContextOptions options;
  const auto device = std::make_shared<FakeDevice>();
  options.on_miss = tune_on_miss(device, std::make_shared<BrokenStore>());
  Context context(device, nullptr, options);
  alignas(16) const float input[4] = {};
  float output = 0;
  CHECK_THROWS_AS(context.reducer(kSum)(input, 4, &output), DatabaseError);
}

}  // namespace
}  // namespace foldtune::test
