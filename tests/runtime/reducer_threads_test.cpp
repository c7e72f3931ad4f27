#include <atomic>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "foldtune/foldtune.hpp"
#include "runtime/support/sanitizer.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"
#include "tests/runtime/tuned_store.h"

namespace foldtune::test {
namespace {

constexpr int kThreads = 16;
constexpr int kStreams = 16;

/// `calls` calls from each thread, each on any of the streams, of any of the counts; how many were
/// wrong.
int count_wrong_sums(const Reducer& reducer, const std::vector<std::int32_t>& input, int calls) {
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      std::mt19937 random(static_cast<unsigned>(thread));
      for (int call = 0; call < calls; ++call) {
        const std::uint64_t count = random() % input.size();
        std::int64_t sum = -1;
        reducer(input.data(), count, &sum, fake_stream(1 + static_cast<int>(random() % kStreams)));
        const auto n = static_cast<std::int64_t>(count);
        if (sum != n * (n - 1) / 2) ++wrong;
      }
    });
  }
  threads.clear();
  return wrong;
}

std::vector<std::int32_t> ascending(std::size_t count) {
  std::vector<std::int32_t> input(count);
  std::iota(input.begin(), input.end(), 0);
  return input;
}

const Reduction kSum{.op = Operator::sum, .type = ElementType::i32};

TEST_CASE("Reducer: 16 threads on 16 streams get their own results, with flat memory") {
  const auto device = std::make_shared<FakeDevice>();
  Context context(device, nullptr);
  const Reducer reducer = context.reducer(kSum);
  const std::vector<std::int32_t> input = ascending(5000);
  CHECK(count_wrong_sums(reducer, input, 500) == 0);
  constexpr int kSizeClasses = 51;
  CHECK(device->counts().loads <= kSizeClasses);
  CHECK(device->counts().allocations <= kSizeClasses * kStreams);
  for (int stream = 1; stream <= kStreams; ++stream) {
    for (std::uint64_t count = 1; count < input.size(); count *= 2) {
      reducer.prepare(input.data(), count, fake_stream(stream));
    }
  }
  const int allocations = device->counts().live_allocations;
  CHECK(count_wrong_sums(reducer, input, 500) == 0);
  CHECK(device->counts().live_allocations == allocations);
}

TEST_CASE("Reducer: 16 threads that wait for values get their own") {
  Context context(std::make_shared<FakeDevice>(), nullptr);
  const Reducer reducer = context.reducer(kSum);
  const std::vector<std::int32_t> input = ascending(kThreads);
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      const auto count = static_cast<std::int64_t>(thread) + 1;
      for (int call = 0; call < 500; ++call) {
        const auto sum = reducer.value<std::int64_t>(
            input.data(), static_cast<std::uint64_t>(count), fake_stream(1 + thread));
        if (sum != count * (count - 1) / 2) ++wrong;
      }
    });
  }
  threads.clear();
  CHECK(wrong == 0);
}

TEST_CASE("Reducer: two launches of a call stay together when threads share a stream") {
  const auto device = std::make_shared<FakeDevice>();
  const std::shared_ptr<ConfigStore> store = open_memory_store();
  Reduction problem = kSum;
  for (problem.count = 1024; problem.count <= 8192; problem.count *= 2) {
    put_success(
        *store, *device, problem,
        ReduceParams{
            .block_size = 32, .vector_width = 1, .unroll = 1, .final_stage = FinalStage::two_pass});
  }
  Context context(device, store);
  CHECK(count_wrong_sums(context.reducer(kSum), ascending(8000), 300) == 0);
  CHECK(device->counts().helper_launches > 0);
}

TEST_CASE("Reducer: 16 threads on 16 streams of the CPU device get their own results") {
  Context context({.device = "cpu", .database = "/dev/null/none"});
  CHECK(count_wrong_sums(context.reducer(kSum), ascending(3000), kThreadSanitizer ? 2 : 40) == 0);
}

}  // namespace
}  // namespace foldtune::test
