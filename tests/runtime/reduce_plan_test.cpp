#include "foldtune/reduce_plan.h"

#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "cache/config_store.h"
#include "cache/pin.h"
#include "foldtune/foldtune.hpp"
#include "runtime/support/temporary_folder.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"
#include "tests/runtime/tuned_store.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

const Reduction kSum{.op = Operator::sum, .type = ElementType::f32};

class ReducePlanTest {
 protected:
  /// What an InvalidArgument said, after which nothing may have been launched.
  template <class Call>
  std::string refusal(const Call& call) const {
    const int launches = device_->counts().reduce_launches;
    std::string message = "nothing was thrown";
    try {
      call();
    } catch (const InvalidArgument& error) {
      message = error.what();
    }
    CHECK(device_->counts().reduce_launches == launches);
    return message;
  }

  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>();
  Context context_{device_, nullptr};
  Reducer reducer_ = context_.reducer(kSum);
  alignas(16) float input_[20'000] = {3, 1, 4, 1, 5};
  float output_ = -1;
};

TEST_CASE_METHOD(ReducePlanTest, "ReducePlan: serves every count up to the end of its size class") {
  const ReducePlan plan = reducer_.plan(1000);
  CHECK(plan.max_count() == 1024);
  CHECK(size_class(plan.max_count()) == 40);
  CHECK(size_class(plan.max_count() + 1) == 41);
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{2}, plan.max_count()}) {
    plan(input_, count, &output_, fake_stream(1));
    CHECK(output_ == (count == 0 ? 0 : count == 2 ? 4 : 14));
  }
  CHECK(device_->counts().loads == 1);
  CHECK_THAT(refusal([&] { plan(input_, plan.max_count() + 1, &output_); }),
             ContainsSubstring("1025") && ContainsSubstring("1024 at most"));
}

TEST_CASE_METHOD(ReducePlanTest, "ReducePlan: shares what its reducer resolved") {
  reducer_(input_, 20'000, &output_, fake_stream(1));
  const ReducePlan plan = reducer_.plan(20'000);
  plan(input_, 5, &output_, fake_stream(1));
  CHECK(output_ == 14);
  CHECK(device_->counts().loads == 1);
  CHECK(device_->counts().allocations == 1);
}

TEST_CASE_METHOD(ReducePlanTest, "ReducePlan: a wrong call is refused, and the next one works") {
  const ReducePlan plan = reducer_.plan(1000);
  CHECK_THAT(refusal([&] { plan(nullptr, 1, &output_); }), ContainsSubstring("input pointer"));
  CHECK_THAT(refusal([&] { plan(input_, 1, nullptr); }), ContainsSubstring("output pointer"));
  CHECK_THAT(refusal([&] { plan(input_ + 1, 1, &output_); }), ContainsSubstring("16 bytes"));
  CHECK_THAT(refusal([&] {
               plan({input_, input_}, 1, &output_);
             }),
             ContainsSubstring("1 input, not 2"));
  CHECK_THAT(refusal([&] { reducer_.plan(kMaxCount + 1); }), ContainsSubstring("2^40"));
  plan(input_, 5, &output_);
  CHECK(output_ == 14);
  reducer_.plan(1000, Alignment::element)(input_ + 1, 4, &output_);
  CHECK(output_ == 11);
}

TEST_CASE_METHOD(ReducePlanTest, "ReducePlan: with the caller's scratch nothing is allocated") {
  const ReducePlan own = reducer_.plan(1 << 16);
  REQUIRE(own.scratch_bytes() > 0);
  alignas(128) std::byte memory[1 << 12] = {};
  REQUIRE(own.scratch_bytes() <= sizeof(memory));
  const ReducePlan plan = own.with_scratch(memory, own.scratch_bytes());
  for (int stream = 1; stream < 4; ++stream) plan(input_, 5000, &output_, fake_stream(stream));
  CHECK(output_ == 14);
  CHECK(device_->counts().allocations == 0);
  own(input_, 5000, &output_);
  CHECK(device_->counts().allocations == 1);

  CHECK_THAT(refusal([&] { own.with_scratch(memory, own.scratch_bytes() - 1); }),
             ContainsSubstring("bytes of scratch"));
  CHECK_THAT(refusal([&] { own.with_scratch(nullptr, sizeof(memory)); }),
             ContainsSubstring("bytes of scratch"));
  CHECK_THAT(refusal([&] { own.with_scratch(memory + 64, sizeof(memory) - 64); }),
             ContainsSubstring("aligned to 128"));
}

TEST_CASE_METHOD(ReducePlanTest,
                 "ReducePlan: one that needs no scratch makes nothing for a stream") {
  const ReducePlan own = reducer_.plan(5000);
  REQUIRE(own.scratch_bytes() == 0);
  for (int stream = 1; stream < 4; ++stream) own(input_, 5000, &output_, fake_stream(stream));
  CHECK(output_ == 14);
  device_->set_capturing(fake_stream(4));
  own(input_, 5, &output_, fake_stream(4));
  CHECK(output_ == 14);
  own.with_scratch(nullptr, 0)(input_, 4, &output_, fake_stream(4));
  CHECK(output_ == 9);
  CHECK(device_->counts().allocations == 0);
}

TEST_CASE("ReducePlan: the caller's scratch is enough for every count of a fixed order") {
  const auto device = std::make_shared<FakeDevice>();
  Context context(device, nullptr);
  const Reducer reducer = context.reducer({.op = Operator::sum,
                                           .type = ElementType::f32,
                                           .determinism = Determinism::config_independent});
  // Just below a power of two there are twice as many chunks as above it.
  for (const int power : {18, 24, 37, 40}) {
    const std::uint64_t count = std::uint64_t{1} << power;
    CHECK(reducer.plan(count).scratch_bytes() >=
          reducer.plan(count - count / 4).scratch_bytes() / 2);
    const std::uint64_t chunk = chunk_elements(count - 1);
    CHECK(reducer.plan(count).scratch_bytes() >= (count - 1) / chunk * 2 * sizeof(float));
  }
}

TEST_CASE("ReducePlan: each stream has scratch of its own, and one thread's is the other's") {
  std::map<Stream, std::set<const void*>> scratch;
  const auto device =
      std::make_shared<FakeDevice>(FakeScript{.cost_us = [&](const FakeLaunch& launch) {
        scratch[launch.stream].insert(launch.scratch);
        return 1;
      }});
  Context context(device, nullptr);
  const ReducePlan plan = context.reducer(kSum).plan(1 << 16);
  alignas(16) static const float input[1 << 16] = {};
  float output = 0;
  device->time({.enqueue =
                    [&](int, Stream) {
                      for (int i = 1; i <= 3; ++i) plan(input, 1 << 16, &output, fake_stream(i));
                    },
                .calls = 2},
               1);
  std::set<const void*> all;
  for (const auto& [stream, own] : scratch) {
    CHECK(own.size() == 1);
    all.insert(own.begin(), own.end());
  }
  CHECK(all.size() == 3);
}

TEST_CASE_METHOD(ReducePlanTest, "Reducer: a destroyed stream is the driver's error, and no harm") {
  reducer_(input_, 5, &output_, fake_stream(1));
  device_->set_destroyed(fake_stream(1));
  CHECK_THROWS_AS(reducer_(input_, 5, &output_, fake_stream(1)), DeviceError);
  device_->set_destroyed(fake_stream(2));
  CHECK_THROWS_AS(reducer_(input_, 5, &output_, fake_stream(2)), DeviceError);
  CHECK_THROWS_AS(reducer_.value<float>(input_, 5, fake_stream(2)), DeviceError);
  output_ = -1;
  reducer_(input_, 5, &output_, fake_stream(1));
  CHECK(output_ == 14);
}

TEST_CASE_METHOD(ReducePlanTest,
                 "Reducer: a foreign pointer is refused where pointers are checked") {
  Context careful(device_, nullptr, {.check_pointers = true});
  const Reducer reducer = careful.reducer(kSum);
  device_->set_foreign(input_);
  CHECK_THAT(refusal([&] { reducer(input_, 5, &output_); }),
             ContainsSubstring("input pointer") && ContainsSubstring("of another fake"));
  CHECK_THAT(refusal([&] { reducer.plan(5)(input_, 5, &output_); }),
             ContainsSubstring("of another fake"));
  reducer_(input_, 5, &output_);  // not checked
  device_->set_foreign(&output_);
  CHECK_THAT(refusal([&] { reducer(input_, 5, &output_); }), ContainsSubstring("output pointer"));
  const Histogram histogram =
      careful.histogram({.type = ElementType::f32, .bins = 2, .binning = Binning::custom});
  const float edges[] = {0, 1, 2};
  std::uint64_t counts[2] = {};
  device_->set_foreign(edges);
  CHECK_THAT(refusal([&] { histogram(input_, 5, edges, counts); }),
             ContainsSubstring("edges pointer"));
  device_->set_foreign(nullptr);
  output_ = -1;
  reducer(input_, 5, &output_);
  CHECK(output_ == 14);
}

TEST_CASE_METHOD(ReducePlanTest, "Reducer: a value is waited for, and its type has to be right") {
  CHECK(reducer_.value<float>(input_, 5) == 14);
  CHECK(sum_value(context_, input_, 4) == 9);
  CHECK(min_value(context_, input_, 4) == 1);
  CHECK(max_value(context_, input_, 4, fake_stream(1)) == 4);
  const int allocations = device_->counts().allocations;
  for (int i = 0; i < 10; ++i) CHECK(reducer_.value<float>({input_}, 5) == 14);
  CHECK(device_->counts().allocations == allocations);

  CHECK_THAT(refusal([&] { reducer_.value<double>(input_, 5); }),
             ContainsSubstring("its result is f32, not f64"));
  CHECK_THAT(refusal([&] { reducer_.value<IndexedValue<float>>(input_, 5); }),
             ContainsSubstring("not {f32 value; u64 index}"));
  CHECK_THAT(refusal([&] { reducer_.value<MinMax<float>>(input_, 5); }),
             ContainsSubstring("not {f32 min; f32 max}"));
  CHECK_THAT(refusal([&] { reducer_.value<float>(nullptr, 5); }),
             ContainsSubstring("input pointer"));
}

TEST_CASE_METHOD(ReducePlanTest, "Reducer: a value is taken when it is seen") {
  for (int i = 0; i < 10; ++i)
    CHECK(reducer_.value<float>(input_, 5, fake_stream(i % 3 + 1)) == 14);
  CHECK(device_->counts().seen_results == 10);
  // What nobody waits for is not looked at.
  for (int i = 0; i < 10; ++i) reducer_(input_, 5, &output_);
  CHECK(device_->counts().seen_results == 10);
}

TEST_CASE_METHOD(
    ReducePlanTest,
    "Reducer: a value that is made by several launches, or stored several times, is waited for") {
  const std::shared_ptr<ConfigStore> store = open_memory_store();
  Reduction problem{.op = Operator::sum, .type = ElementType::f32, .determinism = Determinism::any};
  problem.count = 4096;
  const FinalStage stage = GENERATE(FinalStage::atomic, FinalStage::two_pass);
  put_success(*store, *device_, problem, ReduceParams{.block_size = 32, .final_stage = stage});
  Context context(device_, store);
  const Reducer reducer = context.reducer(problem);
  for (int i = 0; i < 10; ++i) CHECK(reducer.value<float>(input_, 4096) == 14);
  CHECK(device_->counts().helper_launches == 10);
  CHECK(device_->counts().seen_results == 10);
  // Atomics fold in the device's memory; the second of two passes stores in the host's.
  CHECK(device_->counts().copies_to_host == (stage == FinalStage::two_pass ? 0 : 10));
}

TEST_CASE("Reducer: values that are waited for at the same time do not meet") {
  std::function<void()> during_launch;
  const auto device = std::make_shared<FakeDevice>(FakeScript{.fault = [&](const ReduceParams&) {
    if (const auto call = std::exchange(during_launch, nullptr)) call();
    return Fault::none;
  }});
  Context context(device, nullptr);
  const Reducer reducer = context.reducer(kSum);
  alignas(16) const float input[4] = {3, 1, 4, 1};
  CHECK(reducer.value<float>(input, 4) == 9);
  float other = 0;
  during_launch = [&] { std::thread([&] { other = reducer.value<float>(input, 3); }).join(); };
  CHECK(reducer.value<float>(input, 4) == 9);
  CHECK(other == 8);
  CHECK(device->counts().reduce_launches == 3);
}

TEST_CASE("Reducer: a value that looks like none is waited for") {
  const auto device = std::make_shared<FakeDevice>();
  Context context(device, nullptr);
  const Reducer reducer = context.reducer({.op = Operator::max, .type = ElementType::u8});
  alignas(16) unsigned char input[] = {0};
  for (int value = 0; value < 256; ++value) {
    input[0] = static_cast<unsigned char>(value);
    CHECK(reducer.value<unsigned char>(input, 1) == value);
  }
  CHECK(device->counts().seen_results == 255);
}

TEST_CASE("Reducer: values of every shape, on the CPU device") {
  Context context({.device = "cpu", .database = "/dev/null/none"});
  const std::vector<double> x{3, -1, 4, -1, 5};
  CHECK(argmin_value(context, x.data(), x.size()).index == 1);
  CHECK(argmax_value(context, x.data(), x.size()).value == 5);
  CHECK(minmax_value(context, x.data(), x.size()).min == -1);
  CHECK(dot_value(context, x.data(), x.data(), x.size()) == 52);
}

TEST_CASE("Reducer: after a launch that failed the next one is right") {
  bool fails = false;
  const auto device = std::make_shared<FakeDevice>(FakeScript{
      .fault = [&](const ReduceParams&) { return fails ? Fault::launch_error : Fault::none; }});
  Context context(device, nullptr);
  const Reducer reducer = context.reducer(kSum);
  alignas(16) const float input[4] = {3, 1, 4, 1};
  float output = 0;
  for (int i = 0; i < 3; ++i) {
    fails = true;
    CHECK_THROWS_AS(reducer(input, 4, &output), DeviceError);
    CHECK_THROWS_AS(reducer.value<float>(input, 4), DeviceError);
    fails = false;
    output = -1;
    reducer(input, 4, &output);
    CHECK(output == 9);
    CHECK(reducer.value<float>(input, 4) == 9);
  }
}

TEST_CASE_METHOD(ReducePlanTest, "Reducer: a miss is an error where that is the policy") {
  const std::shared_ptr<ConfigStore> store = open_memory_store();
  CHECK_THROWS_AS(Context(device_, store, {.on_miss = {.action = static_cast<OnMiss>(3)}}),
                  InvalidArgument);
  Context strict(device_, store, {.on_miss = {.action = OnMiss::fail}});
  const Reducer reducer = strict.reducer(kSum);
  CHECK_THROWS_AS(reducer(input_, 5, &output_), NotTuned);
  CHECK_THROWS_WITH(
      reducer(input_, 5, &output_),
      ContainsSubstring("--family reduce --op sum --type f32") && ContainsSubstring("--n 5`"));
  CHECK_THROWS_AS(reducer.plan(5), NotTuned);
  CHECK_THROWS_AS(reducer.prepare(input_, 5), NotTuned);
  CHECK(reducer.explain(5).source == ConfigSource::untuned_default);
  CHECK(device_->counts().compilations == 0);
  Reduction tuned = kSum;
  tuned.count = 4096;
  put_success(*store, *device_, tuned, ReduceParams{.block_size = 512});
  reducer(input_, 4000, &output_);
  CHECK(output_ == 14);
}

TEST_CASE_METHOD(ReducePlanTest, "Reducer: a miss of a pinned problem is not tuned") {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "tuning.db").string();
  Reduction tuned = kSum;
  tuned.count = 1 << 20;
  put_success(*open_sqlite_store(path, OpenMode::read_write), *device_, tuned,
              ReduceParams{.block_size = 512});
  pin_measurements(path, {1});
  const std::shared_ptr<ConfigStore> store = open_sqlite_store(path, OpenMode::read_only);
  bool is_asked = false;
  Context context(device_, store,
                  {.on_miss = {.action = OnMiss::tune, .tune = [&](const Workload&) {
                                 is_asked = true;
                                 return std::string();
                               }}});
  const Reducer reducer = context.reducer(kSum);
  reducer(input_, 1000, &output_);
  CHECK(output_ == 14);
  CHECK_FALSE(is_asked);
  CHECK(reducer.explain(1000).has_pins);
  CHECK_THAT(reducer.explain(1000).reason,
             ContainsSubstring("pinned at other sizes or for other conditions"));
  Context strict(device_, store, {.on_miss = {.action = OnMiss::fail}});
  CHECK_THROWS_WITH(strict.reducer(kSum)(input_, 1000, &output_),
                    ContainsSubstring("foldtune unpin") && !ContainsSubstring("foldtune tune"));
}

TEST_CASE_METHOD(ReducePlanTest,
                 "Context: its conditions are those of what is looked up and tuned") {
  const std::shared_ptr<ConfigStore> store = open_memory_store();
  Reduction sum = kSum;
  sum.count = 1000;
  Workload warm = sum;
  warm.conditions = Conditions::warm_graph;
  put_success(*store, *device_, sum, ReduceParams{.block_size = 128});
  put_success(*store, *device_, warm, ReduceParams{.block_size = 512});
  const auto explain = [&](Conditions conditions) {
    Context context(device_, store, {.conditions = conditions});
    return context.reducer(kSum).explain(1000);
  };
  CHECK_THAT(explain(Conditions::cold_graph).config, ContainsSubstring("\"block_size\":128"));
  CHECK_THAT(explain(Conditions::warm_graph).config, ContainsSubstring("\"block_size\":512"));
  CHECK_THROWS_AS(Context(device_, store, {.conditions = static_cast<Conditions>(4)}),
                  InvalidArgument);
  std::optional<Conditions> asked;
  Context tuning(device_, nullptr,
                 {.conditions = Conditions::cold_stream,
                  .on_miss = {.action = OnMiss::tune, .tune = [&](const Workload& workload) {
                                asked = workload.conditions;
                                return std::string();
                              }}});
  tuning.reducer(kSum)(input_, 1000, &output_);
  CHECK(asked == Conditions::cold_stream);
}

TEST_CASE_METHOD(ReducePlanTest, "Context: what a miss tunes is not for pinned results alone") {
  ContextOptions options{.only_pinned = true};
  CHECK_NOTHROW(Context(device_, nullptr, options));
  options.on_miss.action = OnMiss::tune;
  CHECK_THROWS_AS(Context(device_, nullptr, options), InvalidArgument);
}

TEST_CASE_METHOD(ReducePlanTest,
                 "Reducer: a miss is tuned once for each size, where that is the policy") {
  const ReduceParams tuned{.block_size = 512, .unroll = 8};
  std::vector<std::uint64_t> asked;
  std::string answer = to_json(tuned);
  Context context(device_, nullptr,
                  {.on_miss = {.action = OnMiss::tune, .tune = [&](const Workload& workload) {
                                 asked.push_back(workload.shape[0]);
                                 return answer;
                               }}});
  const Reducer reducer = context.reducer(kSum);
  device_->set_capturing(fake_stream(1));
  CHECK_THAT(refusal([&] { reducer(input_, 1000, &output_, fake_stream(1)); }),
             ContainsSubstring("prepare()"));
  CHECK(asked.empty());
  for (int i = 0; i < 3; ++i) reducer(input_, 1000, &output_);
  CHECK(asked == std::vector<std::uint64_t>{1000});
  CHECK(output_ == 14);
  CHECK(reducer.explain(1000).source == ConfigSource::exact);
  CHECK(reducer.explain(1000).config == to_json(tuned));
  // Nothing was found: the default, without asking again.
  answer = "";
  for (int i = 0; i < 3; ++i) reducer(input_, 4000, &output_);
  CHECK(asked == std::vector<std::uint64_t>{1000, 4000});
  CHECK(reducer.explain(4000).source == ConfigSource::untuned_default);
  CHECK_THAT(reducer.explain(4000).reason, ContainsSubstring("tuning it gave no configuration"));
  // Nothing is never tuned: the least that has the same plan is.
  reducer(input_, 0, &output_);
  CHECK(asked.back() == 1);
  answer = R"({"block_size":7})";
  CHECK_THROWS_AS(reducer(input_, 100, &output_), InvalidArgument);
  answer = "";
  reducer(input_, 5, &output_);
  CHECK(output_ == 14);
}

}  // namespace
}  // namespace foldtune::test
