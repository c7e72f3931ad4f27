#include "tuner/measure/work_queue.h"

#include <algorithm>
#include <thread>
#include <vector>

#include "tests/catch.h"

namespace foldtune {
namespace {

TEST_CASE("Work queue: one worker gets everything in order, and knows what comes next") {
  WorkQueue queue({7, 7, 4}, 1);
  CHECK_FALSE(queue.next(0));
  CHECK(queue.coming(0, 2) == std::vector<std::size_t>{0, 1});
  CHECK(queue.take(0) == 0u);
  CHECK(queue.next(0) == 1u);
  CHECK(queue.coming(0, 2) == std::vector<std::size_t>{2});
  CHECK(queue.take(0) == 1u);
  CHECK(queue.next(0) == 2u);
  CHECK(queue.coming(0, 2).empty());
  CHECK(queue.take(0) == 2u);
  CHECK_FALSE(queue.next(0));
  CHECK_FALSE(queue.take(0));
}

TEST_CASE("Work queue: what is a worker's next one is nobody else's, until nothing else is left") {
  WorkQueue queue({0, 0, 0, 0, 0}, 2);
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

TEST_CASE("Work queue: a worker stays with its group, and then goes where no other is") {
  WorkQueue queue({0, 0, 0, 1, 1, 2, 2, 2}, 2);
  CHECK(queue.take(0) == 0u);
  CHECK(queue.take(1) == 3u);
  CHECK(queue.next(1) == 4u);
  CHECK(queue.coming(1, 3) == std::vector<std::size_t>{2, 5, 6});
  CHECK(queue.take(1) == 4u);
  CHECK(queue.next(1) == 5u);
  CHECK(queue.take(0) == 1u);
  CHECK(queue.next(0) == 2u);
  CHECK(queue.coming(1, 1) == std::vector<std::size_t>{6});
  CHECK(queue.take(0) == 2u);
  CHECK(queue.next(0) == 6u);  // both are at the last one
  CHECK(queue.take(1) == 5u);
  CHECK(queue.next(1) == 7u);
}

TEST_CASE("Work queue: of groups that others are at, the one with the fewest of them is next") {
  WorkQueue queue({0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, 3);
  CHECK(queue.take(0) == 0u);
  CHECK(queue.take(1) == 5u);
  CHECK(queue.take(2) == 2u);
  CHECK(queue.next(2) == 3u);
}

TEST_CASE("Work queue: threads get each number once") {
  constexpr std::size_t kSize = 1000;
  constexpr std::size_t kWorkers = 4;
  std::vector<std::size_t> groups(kSize);
  for (std::size_t i = 0; i < kSize; ++i) groups[i] = i / 70;
  WorkQueue queue(groups, kWorkers);
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
