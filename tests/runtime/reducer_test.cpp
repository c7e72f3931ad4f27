#include "foldtune/reducer.h"

#include <cmath>
#include <limits>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "foldtune/foldtune.hpp"
#include "templates/family.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"
#include "tests/runtime/tuned_store.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

const Reduction kSum{.op = Operator::sum, .type = ElementType::f32};

/// A context on the fake device, whose memory is the host's.
class ReducerTest {
 protected:
  static Reduction sum_of(std::uint64_t count, Alignment alignment = Alignment::vector) {
    return {.op = Operator::sum, .type = ElementType::f32, .count = count, .alignment = alignment};
  }
  void check_nothing_happened() const {
    CHECK(device_->counts().compilations == 0);
    CHECK(device_->counts().reduce_launches == 0);
    CHECK(device_->counts().allocations == 0);
  }
  /// What an InvalidArgument said, after which nothing may have happened.
  template <class Call>
  std::string refusal(const Call& call) const {
    std::string message = "nothing was thrown";
    try {
      call();
    } catch (const InvalidArgument& error) {
      message = error.what();
    }
    check_nothing_happened();
    return message;
  }

  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>();
  std::shared_ptr<ConfigStore> store_ = open_memory_store();
  Context context_{device_, store_};
  alignas(16) float input_[20'000] = {3, 1, 4, 1, 5};
  float output_ = -1;
};

TEST_CASE_METHOD(ReducerTest, "Reducer: folds with what was tuned for the count") {
  const ReduceParams tuned{.block_size = 512, .unroll = 8};
  put_success(*store_, *device_, sum_of(4096), tuned);
  const Reducer reducer = context_.reducer(kSum);
  reducer(input_, 4000, &output_);
  CHECK(output_ == 14);
  CHECK(device_->compiled_programs() ==
        std::vector<Program>{make_program({.workload = kSum, .params = tuned})});
}

TEST_CASE_METHOD(ReducerTest, "Reducer: explains which configuration is used, and why") {
  const ReduceParams tuned{.block_size = 512, .unroll = 8};
  put_success(*store_, *device_, sum_of(4096), tuned, 12.5);
  const Reducer reducer = context_.reducer(kSum);

  const Explanation exact = reducer.explain(4000);
  CHECK(exact.source == ConfigSource::exact);
  CHECK(exact.config == to_json(tuned));
  CHECK(exact.tuned_shape == Shape{{4096}});
  CHECK(exact.tuned_us == 12.5);
  CHECK(exact.expected_loss == 0);
  CHECK_THAT(exact.reason, ContainsSubstring("tuned at n = 4096"));

  const Explanation near = reducer.explain(2048);
  CHECK(near.source == ConfigSource::near_size);
  CHECK(near.config == to_json(tuned));
  CHECK(near.expected_loss > 0);

  const Explanation untuned = reducer.explain(1 << 20);
  CHECK(untuned.source == ConfigSource::untuned_default);
  CHECK(untuned.tuned_shape == Shape{});
  CHECK(untuned.tuned_us == 0);
  CHECK_THAT(untuned.reason, ContainsSubstring("not tuned"));

  CHECK_THAT(refusal([&] { reducer.explain(kMaxCount + 1); }), ContainsSubstring("2^40"));

  CHECK(std::string(to_string(exact.source)) == "exact");
  CHECK(std::string(to_string(near.source)) == "near size");
  CHECK(std::string(to_string(untuned.source)) == "default");
  check_nothing_happened();
}

TEST_CASE_METHOD(ReducerTest, "Reducer: wrong arguments are refused before anything happens") {
  const Reducer reducer = context_.reducer(kSum);
  const char* const bytes = reinterpret_cast<const char*>(input_);
  char* const out_bytes = reinterpret_cast<char*>(&output_);
  CHECK_THAT(refusal([&] { reducer(nullptr, 1, &output_); }), ContainsSubstring("input pointer"));
  CHECK_THAT(refusal([&] { reducer(bytes + 2, 1, &output_); }), ContainsSubstring("input pointer"));
  CHECK_THAT(refusal([&] { reducer(input_, 1, nullptr); }), ContainsSubstring("output pointer"));
  CHECK_THAT(refusal([&] { reducer(input_, 1, out_bytes + 1); }),
             ContainsSubstring("output pointer"));
  CHECK_THAT(refusal([&] { reducer(input_, kMaxCount + 1, &output_); }), ContainsSubstring("2^40"));
  CHECK_THAT(refusal([&] { reducer.prepare(nullptr, 1); }), ContainsSubstring("input pointer"));
  CHECK(output_ == -1);
}

TEST_CASE_METHOD(ReducerTest, "Reducer: an output is aligned to the result, not to the element") {
  const Reducer reducer = context_.reducer({.op = Operator::sum, .type = ElementType::i32});
  alignas(8) std::int32_t memory[3] = {};
  CHECK_THAT(refusal([&] { reducer(input_, 1, memory + 1); }),
             ContainsSubstring("output pointer") && ContainsSubstring("aligned to 8 bytes"));
  const Reducer narrow = context_.reducer(
      {.op = Operator::sum, .type = ElementType::i32, .accumulator = ElementType::i32});
  narrow(memory, 1, memory + 1);
}

TEST_CASE("Reducer: a handle promises that inputs are ready, its original does not") {
  std::vector<bool> promises;
  const auto device =
      std::make_shared<FakeDevice>(FakeScript{.cost_us = [&](const FakeLaunch& launch) {
        promises.push_back(launch.inputs_ready);
        return 1;
      }});
  Context context(device, nullptr);
  alignas(16) const float input[4] = {3, 1, 4, 1};
  float output = -1;
  const Reducer reducer = context.reducer(kSum);
  const Reducer ready = reducer.with_inputs_ready();
  reducer.prepare(input, 4);
  const auto enqueue = [&](int, Stream stream) {
    reducer(input, 4, &output, stream);
    ready(input, 4, &output, stream);
    ready({input}, 4, &output, stream);
  };
  device->time({.enqueue = enqueue}, 1);
  CHECK(promises == std::vector{false, true, true});
  CHECK(device->counts().loads == 1);  // what is prepared is shared
  ready(input, 4, &output);
  CHECK(output == 9);
}

TEST_CASE_METHOD(ReducerTest, "Reducer: a call has as many inputs as the problem") {
  const Reducer one = context_.reducer(kSum);
  CHECK_THAT(refusal([&] { one({}, 1, &output_); }), ContainsSubstring("1 input, not 0"));
  CHECK_THAT(refusal([&] {
               one({input_, input_}, 1, &output_);
             }),
             ContainsSubstring("1 input, not 2"));
  CHECK_THAT(refusal([&] {
               one.prepare({input_, input_}, 1);
             }),
             ContainsSubstring("1 input, not 2"));
  CHECK_THAT(refusal([&] {
               one({input_, input_, input_, input_, input_}, 1, &output_);
             }),
             ContainsSubstring("4 are the most"));
  const Reducer two = context_.reducer(make_reduction(
      {.name = "products", .inputs = {ElementType::f32, ElementType::f64}, .map = "x * y"}));
  CHECK_THAT(refusal([&] { two(input_, 1, &output_); }), ContainsSubstring("2 inputs, not 1"));
  CHECK_THAT(refusal([&] {
               two({input_, nullptr}, 1, &output_);
             }),
             ContainsSubstring("input 2 pointer"));
  // Each is aligned to elements of its own.
  CHECK_THAT(refusal([&] { two({input_, input_ + 1}, 1, &output_); }), ContainsSubstring("f64"));
  two({input_ + 1, input_ + 2}, 1, &output_);
  CHECK(two.problem().op == Operator::custom);
}

TEST_CASE_METHOD(ReducerTest, "Reducer: the least aligned input decides the alignment class") {
  const Reducer reducer = context_.reducer(make_reduction(
      {.name = "products", .inputs = {ElementType::f32, ElementType::f32}, .map = "x * y"}));
  reducer({input_, input_ + 4}, 100, &output_);
  reducer({input_, input_ + 1}, 100, &output_);
  const std::vector<Program> programs = device_->compiled_programs();
  REQUIRE(programs.size() == 2);
  CHECK_THAT(programs[0].name_expressions[0], ContainsSubstring("foldtune::uint32, true, "));
  CHECK_THAT(programs[1].name_expressions[0], ContainsSubstring("foldtune::uint32, false, "));
}

TEST_CASE_METHOD(ReducerTest, "Reducer: a problem that cannot be is refused") {
  CHECK_THAT(
      refusal([&] {
        context_.reducer(
            {.op = Operator::min, .type = ElementType::f32, .accumulator = ElementType::f64});
      }),
      ContainsSubstring("making a reducer: min of f32 cannot accumulate in f64"));
  CHECK_THAT(refusal([&] { context_.reducer({.op = Operator::custom}); }),
             ContainsSubstring("needs its expressions"));
  CHECK_THAT(refusal([&] { context_.reducer(make_reduction({.name = "two words"})); }),
             ContainsSubstring("'two words' is no name"));
}

TEST_CASE_METHOD(ReducerTest, "Reducer: the same problem gives the same reducer, another another") {
  const auto compilations_of = [&](const Reduction& problem) {
    const int before = device_->counts().compilations;
    double output = 0;
    context_.reducer(problem)(input_, 100, &output);
    return device_->counts().compilations - before;
  };
  CustomOperator op{.name = "squares", .map = "x * x"};
  CHECK(compilations_of(make_reduction(op)) == 1);
  CHECK(compilations_of(make_reduction(op)) == 0);
  op.map = "x * x * x";
  CHECK(compilations_of(make_reduction(op)) == 1);
  CHECK(compilations_of(kSum) == 1);
  CHECK(compilations_of(sum_of(77)) == 0);
  Reduction fixed = kSum;
  fixed.determinism = Determinism::config_independent;
  CHECK(compilations_of(fixed) == 1);
  CHECK(output_ == -1);
}

TEST_CASE_METHOD(ReducerTest, "Reducer: an empty input gives the identity") {
  context_.reducer(kSum)(nullptr, 0, &output_);
  CHECK(output_ == 0);
  context_.reducer({.op = Operator::min, .type = ElementType::f32})(nullptr, 0, &output_);
  CHECK(output_ == std::numeric_limits<float>::infinity());
  std::int32_t integer = 0;
  context_.reducer({.op = Operator::max, .type = ElementType::i32})(nullptr, 0, &integer);
  CHECK(integer == std::numeric_limits<std::int32_t>::min());
}

TEST_CASE_METHOD(ReducerTest, "Reducer: what nothing has no result of is refused") {
  for (const Operator op : {Operator::argmin, Operator::argmax, Operator::argabsmax, Operator::mean,
                            Operator::variance, Operator::stddev}) {
    const Reducer reducer = context_.reducer({.op = op});
    alignas(8) char result[16] = {};
    const std::string message = refusal([&] { reducer(input_, 0, result); });
    CHECK_THAT(message, ContainsSubstring("an empty input: there is no " + std::string(name(op)) +
                                          " of nothing"));
  }
}

TEST_CASE_METHOD(ReducerTest, "Reducer: every stream has scratch of its own, and keeps it") {
  const Reducer reducer = context_.reducer(kSum);
  for (int round = 0; round < 3; ++round) {
    reducer(input_, 20'000, &output_, fake_stream(1));
    reducer(input_, 19'999, &output_, fake_stream(1));  // of the same size class
    reducer(input_, 20'000, &output_, fake_stream(2));
    reducer(input_, 20'000, &output_);
    CHECK(device_->counts().allocations == 3);
  }
  reducer(input_, 16'000, &output_, fake_stream(1));
  CHECK(device_->counts().allocations == 4);
}

TEST_CASE("Reducer: scratch goes with its context") {
  const auto device = std::make_shared<FakeDevice>();
  {
    Context context(device, nullptr);
    alignas(16) const float input[20'000] = {};
    float output = 0;
    context.reducer(kSum)(input, 20'000, &output);
    CHECK(device->counts().live_allocations == 1);
  }
  CHECK(device->counts().live_allocations == 0);
}

TEST_CASE("Reducer: handles may be used when their context is gone, and go in any order") {
  const auto device = std::make_shared<FakeDevice>();
  std::optional<Context> context(std::in_place, device, nullptr);
  std::optional<Reducer> reducer = context->reducer(kSum);
  const Reducer of_max = context->reducer({.op = Operator::max, .type = ElementType::f32});
  alignas(16) const float input[20'000] = {3, 1, 4, 1, 5};
  float output = 0;
  (*reducer)(input, 20'000, &output);
  context.reset();
  // What the other handle's calls need is still there: they may be running.
  CHECK(device->counts().live_allocations == 1);
  (*reducer)(input, 20'000, &output);
  CHECK(output == 14);
  of_max(input, 20'000, &output);
  CHECK(output == 5);
  CHECK(of_max.value<float>(input, 4) == 4);
  std::optional<ReducePlan> plan = reducer->plan(20'000);
  CHECK(reducer->problem().op == Operator::sum);
  CHECK(reducer->explain(20'000).source == ConfigSource::untuned_default);
  reducer.reset();
  (*plan)(input, 20'000, &output);
  CHECK(output == 14);
  std::thread([last = std::move(plan), handle = Reducer(of_max)] {}).join();
  CHECK(device->counts().live_allocations > 0);
}

TEST_CASE("Reducer: the last handle frees what its context had, in any thread") {
  const auto device = std::make_shared<FakeDevice>();
  alignas(16) const float input[1000] = {};
  float output = 0;
  std::optional<Reducer> reducer;
  {
    Context context(device, nullptr);
    reducer = context.reducer(kSum);
    Context moved(std::move(context));
    moved = Context(device, nullptr);
  }
  (*reducer)(input, 1000, &output);
  CHECK(reducer->value<float>(input, 1000) == 0);
  CHECK(device->counts().live_allocations > 0);
  std::thread([&] { reducer.reset(); }).join();
  CHECK(device->counts().live_allocations == 0);
}

/// Destroyed after every object that is made during a test.
std::optional<Reducer> static_reducer;

TEST_CASE("Reducer: a static handle on the CPU device ends with the process") {
  static_reducer = Context({.device = "cpu", .database = "/dev/null/none"}).reducer(kSum);
  const float input[] = {1, 2};
  CHECK(static_reducer->value<float>(input, 2) == 3);
  const Histogram histogram = Context({.device = "cpu", .database = "/dev/null/none"})
                                  .histogram({.type = ElementType::f32, .bins = 2});
  std::uint64_t counts[2] = {};
  histogram(input, 2, 0, 2, counts);
  CHECK(counts[0] == 0);
  CHECK(counts[1] == 2);
}

TEST_CASE_METHOD(ReducerTest, "Reducer: nothing is compiled twice") {
  put_success(*store_, *device_, sum_of(2048), ReduceParams{.block_size = 512});
  const std::uint64_t counts[] = {1400, 1401, 2000, 2048};  // of three size classes, all near
  for (const std::uint64_t count : counts) {
    context_.reducer(sum_of(count))(input_, count, &output_, fake_stream(1));
    context_.reducer(kSum)(input_, count, &output_, fake_stream(2));
  }
  CHECK(device_->counts().compilations == 1);
  // Kernels of unaligned inputs are others.
  for (const std::uint64_t count : counts) context_.reducer(kSum)(input_ + 1, count, &output_);
  CHECK(device_->counts().compilations == 2);
  context_.reducer({.op = Operator::max, .type = ElementType::f32})(input_, 1000, &output_);
  CHECK(device_->counts().compilations == 3);
}

TEST_CASE_METHOD(ReducerTest, "Reducer: an unaligned input has its own configuration") {
  const ReduceParams aligned{.block_size = 512};
  const ReduceParams unaligned{.block_size = 64, .vector_width = 1};
  put_success(*store_, *device_, sum_of(4096), aligned);
  put_success(*store_, *device_, sum_of(4096, Alignment::element), unaligned);
  const Reducer reducer = context_.reducer(kSum);
  reducer(input_ + 1, 4000, &output_);
  CHECK(output_ == 11);
  reducer(input_ + 4, 4000, &output_);  // 16 bytes
  CHECK(output_ == 5);
  CHECK(device_->compiled_programs() ==
        std::vector<Program>{
            make_program({.workload = sum_of(0, Alignment::element), .params = unaligned}),
            make_program({.workload = kSum, .params = aligned})});
}

TEST_CASE_METHOD(ReducerTest,
                 "Reducer: in a capture nothing is compiled, and what was prepared works") {
  const Reducer reducer = context_.reducer(kSum);
  device_->set_capturing(fake_stream(1));
  CHECK_THAT(refusal([&] { reducer(input_, 1000, &output_, fake_stream(1)); }),
             ContainsSubstring("prepare()"));

  CHECK_THROWS_AS(reducer.prepare(input_, 1000, fake_stream(1)), InvalidArgument);

  // Prepared on any stream, it is compiled for all. Scratch is made for the graph.
  reducer.prepare(input_, 1000, fake_stream(2));
  CHECK(device_->counts().reduce_launches == 0);
  reducer(input_, 1000, &output_, fake_stream(1));
  CHECK(output_ == 14);
}

TEST_CASE_METHOD(ReducerTest, "Reducer: threads share one compilation, and get their own results") {
  const Reducer reducer = context_.reducer(kSum);
  constexpr int kThreads = 8;
  std::vector<float> outputs(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        for (int call = 0; call < 20; ++call)
          reducer(input_, 20'000, &outputs[i], fake_stream(i + 1));
      });
    }
  }
  CHECK(outputs == std::vector<float>(kThreads, 14));
  CHECK(device_->counts().compilations == 1);
  CHECK(device_->counts().allocations == kThreads);
}

TEST_CASE(
    "Reducer: errors of the compiler and the device reach the caller, and leave nothing behind") {
  float output = 0;
  Fault fault = Fault::compile_error;
  const auto device =
      std::make_shared<FakeDevice>(FakeScript{.fault = [&](const ReduceParams&) { return fault; }});
  Context context(device, nullptr);
  const Reducer reducer = context.reducer(kSum);
  CHECK_THROWS_AS(reducer(nullptr, 0, &output), CompileError);
  fault = Fault::load_error;
  CHECK_THROWS_AS(reducer(nullptr, 0, &output), DeviceError);
  CHECK(device->counts().live_allocations == 0);
  fault = Fault::none;
  output = -1;
  reducer(nullptr, 0, &output);
  CHECK(output == 0);
}

TEST_CASE_METHOD(ReducerTest, "Typed helpers fold in the type that the semantics give") {
  alignas(16) const std::int32_t integers[] = {2'000'000'000, -5, 2'000'000'000};
  alignas(16) const double doubles[] = {0.5, -2.25, 8};
  std::int64_t wide = 0;
  std::int32_t integer = 0;
  double number = 0;
  foldtune::sum(context_, integers, 3, &wide);
  CHECK(wide == 3'999'999'995);
  foldtune::min(context_, integers, 3, &integer);
  CHECK(integer == -5);
  foldtune::max<double>(context_, doubles, 3, &number, fake_stream(1));
  CHECK(number == 8);
  foldtune::sum<float>(context_, input_, 5, &output_);
  CHECK(output_ == 14);
}

TEST_CASE("Reducer: folds on the CPU device") {
  Context context({.device = "cpu", .database = "/dev/null/none"});
  CHECK_FALSE(context.device_name().empty());
  std::vector<double> elements(10'001, 0.25);
  elements.back() = -7;
  double result = 0;
  foldtune::sum(context, elements.data(), elements.size(), &result);
  CHECK(result == 2493);
  foldtune::min(context, elements.data() + 1, elements.size() - 1, &result);
  CHECK(result == -7);
}

/// A sum of products over arrays of different types, and how far apart they are.
CustomOperator correlation() {
  return {.name = "correlation",
          .inputs = {ElementType::f32, ElementType::i16},
          .accumulator = {{.name = "products", .type = ElementType::f64},
                          {.name = "largest", .type = ElementType::f32}},
          .identity = "Accumulator{0, 0}",
          .map = "Accumulator{static_cast<double>(x) * y, static_cast<float>(fabs(x - y))}",
          .combine =
              "Accumulator{a.products + b.products,\n"
              "            a.largest > b.largest ? a.largest : b.largest}",
          .finish = "a.products / n + 1000 * a.largest",
          .result = ElementType::f64};
}

TEST_CASE("Reducer: a custom operator of several inputs folds on the CPU device") {
  Context context({.device = "cpu", .database = "/dev/null/none"});
  const Reducer reducer = context.reducer(make_reduction(correlation()));
  constexpr std::uint64_t kCount = 10'001;
  std::vector<float> x(kCount + 1, 2);
  std::vector<std::int16_t> y(kCount + 1, 3);
  x[kCount - 1] = 10;  // 7 from its neighbour
  double result = 0;
  reducer({x.data(), y.data()}, kCount, &result);
  const double mean = (2. * 3 * (kCount - 1) + 10 * 3) / kCount;
  CHECK(result == Approx(mean + 7000));
  // From the second element on, which is aligned to elements alone.
  reducer({x.data() + 1, y.data() + 1}, kCount - 1, &result);
  CHECK(result == Approx((2. * 3 * (kCount - 2) + 10 * 3) / (kCount - 1) + 7000));
}

TEST_CASE("Reducer: the index is that of the element, on the CPU device") {
  Context context({.device = "cpu", .database = "/dev/null/none"});
  const Reducer reducer =
      context.reducer(make_reduction({.name = "last_negative",
                                      .accumulator = {{.name = "", .type = ElementType::u64}},
                                      .map = "x < 0 ? i + 1 : 0",
                                      .combine = "a > b ? a : b",
                                      .result = ElementType::u64}));
  std::vector<float> values(5000, 1);
  std::uint64_t result = 1;
  reducer(values.data(), values.size(), &result);
  CHECK(result == 0);
  values[17] = -1;
  values[4321] = -1;
  reducer(values.data(), values.size(), &result);
  CHECK(result == 4322);
}

TEST_CASE("Reducer: a result may be narrower than its sum, on the CPU device") {
  Context context({.device = "cpu", .database = "/dev/null/none"});
  const std::vector<std::uint16_t> ones(3000, 0x3c00);  // 1 as f16
  std::uint16_t result = 0;
  context.reducer({.op = Operator::sum, .type = ElementType::f16, .result = ElementType::f16})(
      ones.data(), ones.size(), &result);
  CHECK(result == 0x69dc);  // 3000, which a sum in f16 does not reach
}

TEST_CASE("Reducer: an index is 64 bits at byte 8, on the CPU device") {
  Context context({.device = "cpu", .database = "/dev/null/none"});
  std::vector<std::int8_t> values(5000, -3);
  values[1234] = 7;
  values[4321] = 7;
  struct {
    std::int8_t value;
    alignas(8) std::uint64_t index;
  } result{};
  static_assert(sizeof(result) == 16);
  context.reducer({.op = Operator::argmax, .type = ElementType::i8})(values.data(), values.size(),
                                                                     &result);
  CHECK(result.value == 7);
  CHECK(result.index == 1234);
}

TEST_CASE("Reducer: the degrees of freedom tell reducers apart, on the CPU device") {
  Context context({.device = "cpu", .database = "/dev/null/none"});
  const std::vector<double> values{1, 2, 3, 4};
  Reduction problem{.op = Operator::variance, .type = ElementType::f64};
  double result = 0;
  context.reducer(problem)(values.data(), values.size(), &result);
  CHECK(result == Approx(5. / 4));
  problem.ddof = 1;
  context.reducer(problem)(values.data(), values.size(), &result);
  CHECK(result == Approx(5. / 3));
}

TEST_CASE("Reducer: NaNs are dropped where the policy says so, on the CPU device") {
  Context context({.device = "cpu", .database = "/dev/null/none"});
  std::vector<float> values(1000, 3);
  values[500] = std::nanf("");
  Reduction problem{.op = Operator::max, .type = ElementType::f32};
  float result = 0;
  context.reducer(problem)(values.data(), values.size(), &result);
  CHECK(std::isnan(result));
  problem.nan_policy = NanPolicy::ignore;
  context.reducer(problem)(values.data(), values.size(), &result);
  CHECK(result == 3);
}

}  // namespace
}  // namespace foldtune::test
