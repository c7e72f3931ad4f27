#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "foldtune/foldtune.hpp"
#include "runtime/device/cuda/graph_memory.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"
#include "tests/runtime/tuned_store.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

const Reduction kSum{.op = Operator::sum, .type = ElementType::f32};

/// So many that a fixed order has several blocks.
constexpr std::uint64_t kMany = 200'000;

/// Sums of 20'000 elements, by several blocks, on the fake device.
class CapturedCallsTest {
 protected:
  /// The scratch of a call.
  const void* scratch_of_call(const Reducer& reducer, Stream stream) {
    output_ = -1;
    reducer(input_, 20'000, &output_, stream);
    CHECK(output_ == 14);
    return device_->last_launch().scratch;
  }
  const void* scratch_of_call(Stream stream) { return scratch_of_call(reducer_, stream); }

  /// A call of the stream, one of a graph that is captured on it, and one of the graph by a plan
  /// have scratch of their own, if the configuration needs any. `problem` is of `type` i32 or f32.
  void check_stage(const Reduction& problem, const ReduceParams& params) {
    std::vector<std::int32_t> integers(problem.count);
    std::vector<float> numbers(problem.count);
    integers[0] = 14;
    numbers[0] = 14;
    const bool is_integer = problem.type == ElementType::i32;
    const void* const input = is_integer ? static_cast<const void*>(integers.data())
                                         : static_cast<const void*>(numbers.data());
    const std::shared_ptr<ConfigStore> store = open_memory_store();
    put_success(*store, *device_, problem, params);
    Context context(device_, store);
    const Reducer reducer = context.reducer(problem);
    const ReducePlan plan = reducer.plan(problem.count);
    const bool has_scratch = params.final_stage != FinalStage::atomic;
    CHECK((plan.scratch_bytes() > 0) == has_scratch);
    const auto scratch_of = [&](const auto& call) {
      std::int64_t integer = -1;
      float number = -1;
      call(input, problem.count, is_integer ? static_cast<void*>(&integer) : &number,
           fake_stream(1));
      CHECK((is_integer ? static_cast<double>(integer) : number) == 14);
      return device_->last_launch().scratch;
    };
    const void* const of_stream = scratch_of(reducer);
    device_->set_capturing(fake_stream(1));
    const void* const of_graph = scratch_of(reducer);
    const void* const of_plan = scratch_of(plan);
    CHECK((of_graph != of_stream) == has_scratch);
    CHECK((of_plan != of_stream && of_plan != of_graph) == has_scratch);
  }

  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>();
  Context context_{device_, nullptr};
  Reducer reducer_ = context_.reducer(kSum);
  alignas(16) float input_[20'000] = {3, 1, 4, 1, 5};
  float output_ = -1;
};

TEST_CASE_METHOD(CapturedCallsTest,
                 "Captured calls: each has scratch of its own, which is not the stream's") {
  const Stream stream = fake_stream(1);
  const void* const of_stream = scratch_of_call(stream);
  std::set<const void*> all{of_stream};
  for (int graph = 0; graph < 3; ++graph) {
    device_->set_capturing(stream);
    // Streams that join the capture run beside the first one, and so do calls of one stream whose
    // dependencies were changed.
    device_->join_capture(fake_stream(2));
    for (int call = 0; call < 2; ++call) {
      all.insert(scratch_of_call(stream));
      all.insert(scratch_of_call(fake_stream(2)));
    }
    device_->set_capturing(nullptr);
    CHECK(scratch_of_call(stream) == of_stream);
  }
  CHECK(all.size() == 1 + 3 * 4);
}

TEST_CASE_METHOD(CapturedCallsTest,
                 "Captured calls: scratch is the graph's as long as it is there, then another's") {
  const Stream stream = fake_stream(1);
  reducer_.prepare(input_, 20'000, stream);
  device_->set_capturing(stream);
  void* const first = const_cast<void*>(scratch_of_call(stream));
  const int first_graph = device_->captured_graph();
  device_->set_capturing(stream);
  const void* const second = scratch_of_call(stream);
  CHECK(second != first);
  const int allocations = device_->counts().allocations;

  // What the graph may have left there, once it was replayed beside itself.
  const std::size_t bytes = reducer_.plan(20'000).scratch_bytes();
  std::memset(first, 0xff, bytes);
  device_->destroy_graph(first_graph);
  device_->set_capturing(stream);
  CHECK(scratch_of_call(stream) == first);
  const auto* const begin = static_cast<const unsigned char*>(first);
  CHECK(std::all_of(begin, begin + bytes, [](unsigned char byte) { return byte == 0; }));
  CHECK(device_->counts().allocations == allocations);
}

TEST_CASE_METHOD(CapturedCallsTest,
                 "Captured calls: with every final stage, plans as well as reducers") {
  const FinalStage stage =
      GENERATE(FinalStage::last_block, FinalStage::two_pass, FinalStage::polling,
               FinalStage::cluster, FinalStage::atomic, FinalStage::counted);
  // Counted are integers.
  const ElementType type = stage == FinalStage::counted ? ElementType::i32 : ElementType::f32;
  const Reduction problem{.type = type, .count = 20'000, .determinism = Determinism::any};
  check_stage(problem, ReduceParams{.block_size = 32, .final_stage = stage});
}

TEST_CASE_METHOD(CapturedCallsTest, "Captured calls: in a fixed order, plans as well as reducers") {
  const FinalStage stage = GENERATE(FinalStage::last_block, FinalStage::two_pass);
  const Reduction problem{.count = kMany, .determinism = Determinism::config_independent};
  REQUIRE(has_fixed_order(problem));
  check_stage(
      problem,
      ReduceParams{.block_size = 128, .block_stage = BlockStage::tree, .final_stage = stage});
}

TEST_CASE_METHOD(CapturedCallsTest,
                 "Captured calls: whether a stream is captured is asked only for scratch") {
  const ReducePlan plan = reducer_.plan(20'000);
  alignas(128) static std::byte memory[1 << 12] = {};
  REQUIRE(plan.scratch_bytes() <= sizeof(memory));
  const ReducePlan with_scratch = plan.with_scratch(memory, sizeof(memory));
  const ReducePlan small = reducer_.plan(4);
  REQUIRE(small.scratch_bytes() == 0);
  device_->set_capturing(fake_stream(1));
  for (const Stream stream : {fake_stream(1), fake_stream(2)}) {
    small(input_, 4, &output_, stream);
    CHECK(output_ == 9);
    with_scratch(input_, 20'000, &output_, stream);
    CHECK(output_ == 14);
    CHECK(device_->last_launch().scratch == memory);
  }
  CHECK(device_->counts().capture_queries == 0);
  CHECK(device_->counts().allocations == 0);
  plan(input_, 20'000, &output_, fake_stream(2));
  CHECK(device_->counts().capture_queries == 1);
}

TEST_CASE_METHOD(CapturedCallsTest,
                 "Captured calls: nothing is to be prepared but what is compiled") {
  const Stream stream = fake_stream(1);
  device_->set_capturing(stream);
  const auto refusal = [&](const auto& call) {
    try {
      call();
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  CHECK_THAT(refusal([&] { reducer_(input_, 20'000, &output_, stream); }),
             ContainsSubstring("prepare()"));
  CHECK_THAT(refusal([&] { reducer_.prepare(input_, 20'000, stream); }),
             ContainsSubstring("prepare()"));
  reducer_.plan(20'000);
  reducer_.prepare(input_, 20'000, stream);
  CHECK(device_->counts().allocations == 0);
  scratch_of_call(stream);
  CHECK_THAT(refusal([&] { reducer_.value<float>(input_, 20'000, stream); }),
             ContainsSubstring("captured"));
}

TEST_CASE_METHOD(CapturedCallsTest,
                 "Captured calls: threads that capture get scratch of their own") {
  reducer_.prepare(input_, 20'000);
  device_->set_capturing(fake_stream(1));
  constexpr int kThreads = 4;
  constexpr int kCalls = 50;
  for (int i = 2; i <= kThreads; ++i) device_->join_capture(fake_stream(i));
  const int allocations = device_->counts().allocations;
  {
    std::vector<std::jthread> threads;
    for (int i = 1; i <= kThreads; ++i) {
      threads.emplace_back([this, i] {
        float output = 0;
        for (int call = 0; call < kCalls; ++call) reducer_(input_, 20'000, &output, fake_stream(i));
      });
    }
  }
  CHECK(device_->counts().allocations == allocations + kThreads * kCalls);
}

TEST_CASE("Captured calls: what could not be allocated is an error, and the next capture works") {
  FakeScript script{.largest_allocation = 16};
  const auto device = std::make_shared<FakeDevice>(script);
  Context context(device, nullptr);
  const Reducer reducer = context.reducer(kSum);
  reducer.plan(20'000);
  alignas(16) float input[20'000] = {3, 1, 4, 1, 5};
  float output = -1;
  device->set_capturing(fake_stream(1));
  CHECK_THROWS_AS(reducer(input, 20'000, &output, fake_stream(1)), OutOfMemory);
  CHECK(device->counts().reduce_launches == 0);
  CHECK(device->counts().live_allocations == 0);
}

TEST_CASE("Memory of graphs: what comes back is lent again, to who wants as much") {
  std::vector<std::vector<std::byte>> memory;
  const auto allocate = [&](std::size_t bytes) {
    return static_cast<void*>(memory.emplace_back(bytes).data());
  };
  GraphMemory graphs;
  GraphMemory::Lease first = graphs.take(1000, allocate);
  GraphMemory::Lease copy = first;
  void* const place = first.get();
  first.reset();
  CHECK(graphs.take(1000, allocate).get() != place);
  CHECK(memory.size() == 2);
  copy.reset();
  const GraphMemory::Lease larger = graphs.take(5000, allocate);
  CHECK(memory.size() == 3);
  CHECK(memory.back().size() >= 5000);
  const GraphMemory::Lease again = graphs.take(900, allocate);
  const GraphMemory::Lease other = graphs.take(900, allocate);
  CHECK(memory.size() == 3);
  CHECK(again.get() != other.get());
  CHECK(graphs.all().size() == 3);
}

TEST_CASE("Memory of graphs: a graph may be destroyed after the device") {
  GraphMemory::Lease lease;
  int memory = 0;
  {
    GraphMemory graphs;
    lease = graphs.take(4, [&](std::size_t) { return &memory; });
  }
  CHECK(lease.get() == &memory);
  lease.reset();
}

}  // namespace
}  // namespace foldtune::test
