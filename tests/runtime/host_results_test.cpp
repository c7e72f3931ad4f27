#include "runtime/launch/host_results.h"

#include <cstring>

#include "tests/catch.h"
#include "tests/fakes/fake_device.h"

namespace foldtune::test {
namespace {

TEST_CASE("HostResults: a result is complete when each of its words was stored") {
  FakeDevice device;
  const std::size_t word = GENERATE(1u, 2u, 4u, 8u);
  const std::size_t words = GENERATE(1u, 2u);
  HostResults results(device, word * words, word);
  // A place that was used before tells as much.
  for (int turn = 0; turn < 2; ++turn) {
    void* const place = results.take(word * words);
    auto* const bytes = static_cast<char*>(place);
    for (std::size_t i = 0; i < words; ++i) {
      CHECK(!results.is_complete(place, word * words));
      std::memset(bytes + i * word, 0, word);
    }
    CHECK(results.is_complete(place, word * words));
    results.give_back(place);
  }
  CHECK(device.counts().allocations == 1);
}

TEST_CASE("HostResults: one byte of a word is enough to tell it from the mark") {
  FakeDevice device;
  HostResults results(device, 8, 8);
  void* const place = results.take(8);
  for (int i = 0; i < 8; ++i) {
    char* const byte = static_cast<char*>(place) + i;
    const char mark = *byte;
    ++*byte;
    CHECK(results.is_complete(place, 8));
    *byte = mark;
    CHECK(!results.is_complete(place, 8));
  }
}

TEST_CASE("HostResults: calls that wait at the same time have places of their own") {
  FakeDevice device;
  {
    HostResults results(device, 4, 4);
    void* const first = results.take(4);
    void* const second = results.take(4);
    CHECK(first != second);
    results.give_back(first);
    CHECK(results.take(4) == first);
    CHECK(device.counts().live_allocations == 2);
  }
  CHECK(device.counts().live_allocations == 0);
}

}  // namespace
}  // namespace foldtune::test
