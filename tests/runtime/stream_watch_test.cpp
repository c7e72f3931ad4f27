#include "runtime/stream_watch.h"

#include "tests/catch.h"
#include "tests/fakes/fake_device.h"
#include "tests/runtime/recorded_log.h"
#include "tests/runtime/scoped_variable.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("DestroyedStreams: a handle is in it until a new stream has it") {
  DestroyedStreams destroyed;
  const Stream stream = fake_stream(1);
  CHECK_FALSE(destroyed.contains(stream));
  destroyed.on_created(stream);
  CHECK_FALSE(destroyed.contains(stream));
  for (int round = 0; round < 2; ++round) {
    destroyed.on_destroyed(stream);
    CHECK(destroyed.contains(stream));
    CHECK_FALSE(destroyed.contains(fake_stream(2)));
    destroyed.on_created(fake_stream(2));
    CHECK(destroyed.contains(stream));
    destroyed.on_created(stream);
    CHECK_FALSE(destroyed.contains(stream));
  }
}

TEST_CASE("DestroyedStreams: the default streams are never in it") {
  DestroyedStreams destroyed;
  for (const std::uintptr_t handle : {0, 1, 2}) {
    const auto stream = reinterpret_cast<Stream>(handle);
    destroyed.on_destroyed(stream);
    CHECK_FALSE(destroyed.contains(stream));
  }
}

TEST_CASE("Stream watch: without CUPTI the log says so once, and no stream was destroyed") {
  const ScopedVariable variable("FOLDTUNE_CUPTI", "/nowhere/libcupti.so");
  const RecordedLog recorded(LogLevel::info);
  for (int i = 0; i < 2; ++i) CHECK_FALSE(begin_stream_watch());
  REQUIRE(recorded.lines().size() == 1);
  CHECK_THAT(recorded.lines()[0], ContainsSubstring("info: destroyed streams are not refused") &&
                                      ContainsSubstring("/nowhere/libcupti.so"));
  CHECK_FALSE(was_destroyed(fake_stream(1)));
}

}  // namespace
}  // namespace foldtune::test
