#include "runtime/launch/stream_scratch.h"

#include <set>
#include <thread>
#include <vector>

#include "tests/catch.h"
#include "tests/fakes/fake_device.h"

namespace foldtune::test {
namespace {

TEST_CASE("Scratch: a stream finds its own again, of as many streams as there are") {
  FakeDevice device;
  constexpr int kStreams = 1000;
  {
    ScratchOfStreams scratch(device, 64);
    std::set<const void*> memory;
    for (int i = 1; i <= kStreams; ++i) {
      CHECK(scratch.find(fake_stream(i)) == nullptr);
      memory.insert(scratch.make(fake_stream(i)).memory.data());
    }
    CHECK(memory.size() == kStreams);
    for (int i = 1; i <= kStreams; ++i) {
      REQUIRE(scratch.find(fake_stream(i)) != nullptr);
      CHECK(&scratch.make(fake_stream(i)) == scratch.find(fake_stream(i)));
    }
    CHECK(device.counts().allocations == kStreams);
  }
  CHECK(device.counts().live_allocations == 0);
}

TEST_CASE("Scratch: null is the legacy stream, and every thread has a per-thread stream") {
  FakeDevice device;
  ScratchOfStreams scratch(device, 64);
  const auto legacy = reinterpret_cast<Stream>(std::uintptr_t{1});
  const auto per_thread = reinterpret_cast<Stream>(std::uintptr_t{2});
  const StreamScratch& own = scratch.make(nullptr);
  CHECK(scratch.find(legacy) == &own);
  CHECK(scratch.find(per_thread) == nullptr);
  const StreamScratch& of_this_thread = scratch.make(per_thread);
  CHECK(&of_this_thread != &own);
  const StreamScratch* found = &own;
  const StreamScratch* made = nullptr;
  std::jthread([&] {
    found = scratch.find(per_thread);
    made = &scratch.make(per_thread);
  }).join();
  CHECK(found == nullptr);
  CHECK(made != &of_this_thread);
  CHECK(scratch.find(per_thread) == &of_this_thread);
}

TEST_CASE("Scratch: threads that meet a stream at the same time get the same one") {
  FakeDevice device;
  ScratchOfStreams scratch(device, 64);
  constexpr int kThreads = 8;
  constexpr int kStreams = 50;
  std::vector<std::vector<StreamScratch*>> seen(kThreads, std::vector<StreamScratch*>(kStreams));
  {
    std::vector<std::jthread> threads;
    for (auto& own : seen) {
      threads.emplace_back([&own, &scratch] {
        for (int i = 0; i < kStreams; ++i) {
          StreamScratch* const found = scratch.find(fake_stream(i + 1));
          own[i] = found != nullptr ? found : &scratch.make(fake_stream(i + 1));
        }
      });
    }
  }
  for (const auto& own : seen) CHECK(own == seen.front());
  CHECK(device.counts().allocations == kStreams);
}

TEST_CASE("Scratch: what could not be allocated is tried again") {
  FakeDevice device({.largest_allocation = 100});
  ScratchOfStreams scratch(device, 101);
  CHECK_THROWS_AS(scratch.make(nullptr), OutOfMemory);
  CHECK(scratch.find(nullptr) == nullptr);
  CHECK(device.counts().live_allocations == 0);
}

}  // namespace
}  // namespace foldtune::test
