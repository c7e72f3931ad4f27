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
  /// How many of the calls were launched as graphs. Where they are not, a launch takes so long.
  int call(int calls, Stream stream, Time launch = kSlow, Time pause = kAtOnce) {
    int graphs = 0;
    for (int i = 0; i < calls; ++i) {
      now_ += pause;
      const Time begin = now_;
      const bool is_watched = burst_.watches_next();
      const bool is_graph = is_watched && burst_.wants_graph(stream, begin);
      now_ += is_graph ? kFast : launch;
      watched_ += is_watched ? 1 : 0;
      graphs += is_graph ? 1 : 0;
      if (is_graph) burst_.note_graph(stream, now_);
      if (is_watched && !is_graph) burst_.note_launch(stream, begin, now_);
    }
    return graphs;
  }

  int watched() const { return watched_; }

 private:
  Burst burst_;
  Time now_{0};
  int watched_ = 0;
};

TEST_CASE("Burst: graphs are wanted once 16 slow launches have followed one another") {
  Caller caller;
  CHECK(caller.call(17, fake_stream(1)) == 0);
  CHECK(caller.call(100, fake_stream(1)) == 100);
  CHECK(caller.watched() == 117);
}

TEST_CASE("Burst: a pause in which something can have been launched ends it") {
  Caller caller;
  CHECK(caller.call(20, fake_stream(1)) == 3);
  CHECK(caller.call(1, fake_stream(1), kSlow, 1499ns) == 1);
  CHECK(caller.call(1, fake_stream(1), kSlow, 1500ns) == 0);
  CHECK(caller.call(20, fake_stream(1)) == 4);
}

TEST_CASE("Burst: another stream ends it") {
  Caller caller;
  CHECK(caller.call(20, fake_stream(1)) == 3);
  CHECK(caller.call(20, fake_stream(2)) == 3);
}

TEST_CASE("Burst: calls with pauses, or on streams in turns, are hardly watched") {
  Caller with_pauses;
  CHECK(with_pauses.call(1300, fake_stream(1), kSlow, 3us) == 0);
  CHECK(with_pauses.watched() == 20);  // two of 130
  Caller in_turns;
  for (int i = 0; i < 1300; ++i) CHECK(in_turns.call(1, fake_stream(1 + i % 2)) == 0);
  CHECK(in_turns.watched() == 20);
  // A burst is found later.
  CHECK(with_pauses.call(17 + 10, fake_stream(1)) == 10);
}

TEST_CASE("Burst: where launches are fast no graphs are wanted, and few calls are watched") {
  Caller caller;
  CHECK(caller.call(1450, fake_stream(1), kFast) == 0);
  CHECK(caller.watched() == 170);  // 17 of 145
  // Once they are slow, they are.
  CHECK(caller.call(17 + 10, fake_stream(1), kSlow) == 10);
}

TEST_CASE("Burst: what its calls take on average counts, with what is between them") {
  Caller launches;
  launches.call(1, fake_stream(1), kFast);
  launches.call(8, fake_stream(1), 1100ns);
  launches.call(8, fake_stream(1), 3200ns);
  CHECK(launches.call(1, fake_stream(1)) == 1);  // 2250 ns
  Caller pauses;
  pauses.call(17, fake_stream(1), kFast, 1us);
  CHECK(pauses.call(1, fake_stream(1)) == 1);  // 2500 ns
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
    CHECK(call(50, 5) == 33);
    // Of another stream the first is not: it would wait for what runs on this one.
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
