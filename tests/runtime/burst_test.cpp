#include "runtime/burst.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "foldtune/foldtune.hpp"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"

namespace foldtune::test {
namespace {

using namespace std::chrono_literals;
using Time = Burst::Time;

constexpr Time kSlow = 2500ns;
constexpr Time kFast = 1500ns;
constexpr Time kAtOnce = 100ns;

/// A thread that enqueues calls, and its clock.
class Caller {
 public:
  /// Calls by their kernels. How many of them had better have been graphs.
  int launch(int calls, Stream stream, Time duration, Time pause = kAtOnce) {
    int wanted = 0;
    for (int i = 0; i < calls; ++i) {
      now_ += pause;
      if (burst_.wants_graph(stream, now_)) ++wanted;
      const Time begin = now_;
      now_ += duration;
      burst_.note_launch(stream, begin, now_);
    }
    return wanted;
  }

  /// The same for calls that are graphs where that is better.
  int call(int calls, Stream stream, Time pause = kAtOnce) {
    int graphs = 0;
    for (int i = 0; i < calls; ++i) {
      now_ += pause;
      const Time begin = now_;
      const bool is_graph = burst_.wants_graph(stream, begin);
      now_ += is_graph ? kFast : kSlow;
      graphs += is_graph ? 1 : 0;
      if (is_graph) burst_.note_graph(stream, now_);
      if (!is_graph) burst_.note_launch(stream, begin, now_);
    }
    return graphs;
  }

  const Burst& burst() const { return burst_; }

 private:
  Burst burst_;
  Time now_{0};
};

TEST_CASE("Burst: graphs are wanted once 16 slow launches have followed one another") {
  Caller caller;
  CHECK(caller.launch(17, fake_stream(1), kSlow) == 0);
  CHECK(caller.launch(10, fake_stream(1), kSlow) == 10);
  CHECK(caller.burst().may_want_graphs());
}

TEST_CASE("Burst: it goes on with graphs") {
  Caller caller;
  CHECK(caller.call(100, fake_stream(1)) == 83);
}

TEST_CASE("Burst: a pause in which something can have been launched ends it") {
  Caller caller;
  caller.call(50, fake_stream(1));
  CHECK(caller.call(1, fake_stream(1), 1499ns) == 1);
  CHECK(caller.call(1, fake_stream(1), 1500ns) == 0);
  CHECK(caller.call(40, fake_stream(1)) == 24);
  // Pauses between all calls are no burst at all.
  Caller other;
  CHECK(other.call(100, fake_stream(1), 3us) == 0);
}

TEST_CASE("Burst: another stream ends it") {
  Caller caller;
  caller.call(50, fake_stream(1));
  CHECK(caller.call(1, fake_stream(2)) == 0);
  CHECK(caller.call(40, fake_stream(1)) == 23);
  Caller other;
  for (int i = 0; i < 100; ++i) CHECK(other.call(1, fake_stream(1 + i % 2)) == 0);
}

TEST_CASE("Burst: a host that launches fast wants no graphs, and nothing is noted any more") {
  Caller caller;
  caller.launch(16, fake_stream(1), kFast);
  CHECK(caller.burst().may_want_graphs());  // the first of them followed nothing
  caller.launch(1, fake_stream(1), kFast);
  CHECK_FALSE(caller.burst().may_want_graphs());
}

TEST_CASE("Burst: neither slow nor fast, graphs are wanted in a later one that is slow") {
  Caller caller;
  CHECK(caller.launch(100, fake_stream(1), 1950ns) == 0);
  CHECK(caller.burst().may_want_graphs());
  CHECK(caller.launch(34, fake_stream(1), kSlow, 5us) == 0);  // single ones
  CHECK(caller.launch(18, fake_stream(1), kSlow) == 2);
}

TEST_CASE("Burst: what its calls take on average counts, with what is between them") {
  Caller caller;
  caller.launch(1, fake_stream(1), kFast);
  caller.launch(8, fake_stream(1), 1100ns);
  caller.launch(8, fake_stream(1), 3200ns);
  CHECK(caller.launch(1, fake_stream(1), kFast) == 1);  // 2250 ns
  Caller other;
  other.launch(17, fake_stream(1), kFast, 1us);
  CHECK(other.launch(1, fake_stream(1), kFast) == 1);  // 2500 ns
}

/// A reducer on a host whose launches are slow.
class BurstCalls {
 protected:
  /// As many of the calls, one right after another, as were launched as graphs.
  int call(int calls, std::uint64_t count, Stream stream = nullptr) {
    const int before = device_->counts().ready_launches;
    for (int i = 0; i < calls; ++i) {
      reducer_(input_, count, &output_, stream);
      CHECK(output_ == 14);
    }
    return device_->counts().ready_launches - before;
  }

  /// In a thread in which nothing was called before.
  static void in_new_thread(const std::function<void()>& run) { std::thread(run).join(); }

  std::shared_ptr<FakeDevice> device_ =
      std::make_shared<FakeDevice>(FakeScript{.launch_time = kSlow});
  Context context_{device_, nullptr};
  Reducer reducer_ = context_.reducer({.op = Operator::sum, .type = ElementType::f32});
  static constexpr std::uint64_t kMany = 1 << 17;  ///< for one block
  alignas(16) float input_[kMany] = {3, 1, 4, 1, 5};
  float output_ = -1;
};

TEST_CASE_METHOD(BurstCalls, "Reducer: short calls of a burst are launched as graphs") {
  in_new_thread([&] {
    // The first follows nothing, 16 are looked at, and seven more come before it is worth a graph.
    CHECK(call(50, 5) == 26);
    device_->pass(2us);
    CHECK(call(1, 5) == 0);
    CHECK(call(50, 5, fake_stream(1)) == 32);
  });
  // Other threads have bursts of their own.
  in_new_thread([&] { CHECK(call(17, 5) == 0); });
}

TEST_CASE_METHOD(BurstCalls, "Reducer: calls of several blocks are launched by their kernels") {
  in_new_thread([&] {
    CHECK(call(100, kMany) == 0);
    CHECK(call(50, 5) > 0);
    CHECK(call(10, kMany) == 0);
  });
}

TEST_CASE_METHOD(BurstCalls, "Reducer: in a capture a burst is launched by its kernels") {
  in_new_thread([&] {
    CHECK(call(50, 5, fake_stream(1)) > 0);
    device_->set_capturing(fake_stream(1));
    CHECK(call(10, 5, fake_stream(1)) == 0);
    device_->set_capturing(nullptr);
    CHECK(call(10, 5, fake_stream(1)) == 10);
  });
}

TEST_CASE_METHOD(BurstCalls, "Reducer: where launches are fast, bursts are launched by kernels") {
  device_ = std::make_shared<FakeDevice>(FakeScript{.launch_time = kFast});
  Context context(device_, nullptr);
  reducer_ = context.reducer(reducer_.problem());
  in_new_thread([&] { CHECK(call(100, 5) == 0); });
}

}  // namespace
}  // namespace foldtune::test
