#include "tuner/work_queue.h"

#include <algorithm>
#include <thread>
#include <vector>

#include "tests/catch.h"

namespace foldtune {
namespace {

TEST_CASE("Work queue: one worker gets everything in order, and knows what comes next") {
  WorkQueue queue(3, 1);
  CHECK_FALSE(queue.next(0));
  CHECK(queue.take(0) == 0u);
  CHECK(queue.next(0) == 1u);
  CHECK(queue.undealt() == 2);
  CHECK(queue.take(0) == 1u);
  CHECK(queue.next(0) == 2u);
  CHECK(queue.undealt() == 3);
  CHECK(queue.take(0) == 2u);
  CHECK_FALSE(queue.next(0));
  CHECK_FALSE(queue.take(0));
}

TEST_CASE("Work queue: what is a worker's next one is nobody else's, until nothing else is left") {
  WorkQueue queue(5, 2);
  CHECK(queue.take(0) == 0u);
  CHECK(queue.take(1) == 2u);
  CHECK(queue.next(0) == 1u);
  CHECK(queue.next(1) == 3u);
  CHECK(queue.take(1) == 3u);
  CHECK(queue.next(1) == 4u);
  CHECK(queue.take(1) == 4u);
  CHECK(queue.take(1) == 1u);  // the first worker is still busy
  CHECK_FALSE(queue.next(0));
  CHECK_FALSE(queue.take(0));
  CHECK_FALSE(queue.take(1));
}

TEST_CASE("Work queue: threads get each number once") {
  constexpr std::size_t kSize = 1000;
  constexpr std::size_t kWorkers = 4;
  WorkQueue queue(kSize, kWorkers);
  std::vector<std::vector<std::size_t>> taken(kWorkers);
  {
    std::vector<std::jthread> threads;
    for (std::size_t worker = 0; worker < kWorkers; ++worker) {
      threads.emplace_back([&, worker] {
        while (const auto number = queue.take(worker)) taken[worker].push_back(*number);
      });
    }
  }
  std::vector<std::size_t> all;
  for (const auto& some : taken) all.insert(all.end(), some.begin(), some.end());
  std::ranges::sort(all);
  REQUIRE(all.size() == kSize);
  for (std::size_t i = 0; i < kSize; ++i) CHECK(all[i] == i);
}

}  // namespace
}  // namespace foldtune
