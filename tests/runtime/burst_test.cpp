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
  /// With how many of the calls a burst went on. Where it did not, a launch takes so long.
  int call(int calls, Stream stream, Time launch = kSlow, Time pause = kAtOnce) {
    int of_burst = 0;
    for (int i = 0; i < calls; ++i) {
      now_ += pause;
      of_burst += call_now(stream, launch) ? 1 : 0;
    }
    return of_burst;
  }

  /// For how many calls the clock was read.
  int looks() const { return looks_; }

 private:
  bool call_now(Stream stream, Time launch) {
    const Time begin = now_;
    if (!burst_.watches_next()) {
      now_ += launch;
      return false;
    }
    if (burst_.goes_on(stream)) {
      now_ += kFast;
      return true;
    }
    ++looks_;
    const bool goes_on = burst_.goes_on(stream, begin);
    now_ += goes_on ? kFast : launch;
    if (!goes_on) burst_.note_launch(stream, begin, now_);
    return goes_on;
  }

  Burst burst_;
  Time now_{0};
  int looks_ = 0;
};

TEST_CASE("Burst: it goes on once 16 slow launches have followed one another") {
  Caller caller;
  CHECK(caller.call(17, fake_stream(1)) == 0);
  CHECK(caller.looks() == 17);
  CHECK(caller.call(100, fake_stream(1)) == 100);
  CHECK(caller.looks() == 17 + 25);
}

TEST_CASE("Burst: pauses in which something can have been launched interrupt it") {
  Caller caller;
  CHECK(caller.call(18, fake_stream(1)) == 1);
  CHECK(caller.call(4, fake_stream(1), kSlow, 1999ns) == 4);
  CHECK(caller.call(4, fake_stream(1), kSlow, 2us) == 3);
  // It goes on after four launches.
  CHECK(caller.call(4, fake_stream(1), kSlow, 1499ns) == 0);
  CHECK(caller.call(10, fake_stream(1)) == 10);
}

TEST_CASE("Burst: a break while launches are counted makes it begin anew") {
  Caller caller;
  CHECK(caller.call(10, fake_stream(1)) == 0);
  CHECK(caller.call(1, fake_stream(1), kSlow, 1500ns) == 0);
  CHECK(caller.call(16, fake_stream(1)) == 0);
  CHECK(caller.call(1, fake_stream(1)) == 1);
}

TEST_CASE("Burst: another stream interrupts it") {
  Caller caller;
  CHECK(caller.call(20, fake_stream(1)) == 3);
  CHECK(caller.call(20, fake_stream(2)) == 15);
}

TEST_CASE("Burst: it outlasts four breaks in succession") {
  const auto calls_after_breaks = [](int breaks) {
    Caller caller;
    caller.call(17 + 4, fake_stream(1));
    caller.call(breaks, fake_stream(1), kSlow, 20us);
    return caller.call(4 + 10, fake_stream(1));
  };
  CHECK(calls_after_breaks(4) == 10);
  CHECK(calls_after_breaks(5) == 0);
}

TEST_CASE("Burst: of calls with pauses, or on streams in turns, few are watched") {
  Caller with_pauses;
  CHECK(with_pauses.call(1330, fake_stream(1), kSlow, 3us) == 0);
  CHECK(with_pauses.looks() == 50);  // five of 133
  Caller in_turns;
  for (int i = 0; i < 1330; ++i) CHECK(in_turns.call(1, fake_stream(1 + i % 2)) == 0);
  CHECK(in_turns.looks() == 50);
  // A burst is found later.
  CHECK(with_pauses.call(17 + 10, fake_stream(1)) == 10);
}

TEST_CASE("Burst: where launches are fast there is none, and few calls are watched") {
  Caller caller;
  CHECK(caller.call(1450, fake_stream(1), kFast) == 0);
  CHECK(caller.looks() == 170);  // 17 of 145
  // Once they are slow, they are.
  CHECK(caller.call(17 + 10, fake_stream(1), kSlow) == 10);
}

TEST_CASE("Burst: what its launches take on average counts, with what is between them") {
  const auto goes_on_after = [](Time slow_launches) {
    Caller caller;
    caller.call(1, fake_stream(1), kFast);
    caller.call(8, fake_stream(1), 700ns);
    caller.call(8, fake_stream(1), slow_launches);
    return caller.call(1, fake_stream(1)) == 1;
  };
  CHECK_FALSE(goes_on_after(2600ns));  // 1750 ns
  CHECK(goes_on_after(2700ns));        // 1800 ns
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
    device_->pass(20us);
    CHECK(call(3, 5) == 3);    // for which the clock is not read
    CHECK(call(50, 5) == 45);  // of the others not the first, and four more
    // Of another stream one more is not: it would wait for what runs on this one.
    CHECK(call(50, 5, fake_stream(1)) == 44);
  });
  // Other threads have bursts of their own.
  in_new_thread([&] { CHECK(call(17, 5) == 0); });
}

TEST_CASE_METHOD(BurstCalls, "Reducer: kernels of a burst let the device catch up") {
  in_new_thread([&] {
    CHECK(call(50, 5) > 0);
    device_->set_behind(true);
    CHECK(call(32, 5) < 32);
    CHECK(call(100, 5) == 0);
    device_->set_behind(false);
    CHECK(call(16, 5) < 16);
    CHECK(call(100, 5) == 100);
  });
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
