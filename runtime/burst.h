/// Short calls that a thread enqueues right after one another.
#pragma once

#include <chrono>

#include "foldtune/stream.h"

namespace foldtune {

/// Tells when a short call had better be launched as a graph. That takes the host half as long as a
/// launch of the kernel, but it begins only when all earlier work of the stream has ended: back to
/// back such calls take 2 us or more. So it is for long bursts, in which calls overlap with nothing
/// but one another, on a host that launches kernels more slowly than that. Of one thread.
///
/// To read the clock takes longer than all else that a call does before its launch. So calls are
/// watched until they turn out to be no such burst, and then not for a while.
class Burst {
 public:
  using Time = std::chrono::nanoseconds;  ///< of Device::host_time

  /// This thread's.
  static Burst& of_this_thread() noexcept;

  /// Whether the next call is watched, so that what follows has to be called for it.
  bool watches_next() noexcept {
    if (unwatched_ == 0) return true;
    --unwatched_;
    return false;
  }

  /// Whether a call that begins now had better be a graph.
  bool wants_graph(Stream stream, Time now) const noexcept {
    return phase_ == Phase::slow && goes_on(stream, now);
  }

  /// Notes a call that was launched as a graph, or by its kernel.
  void note_graph(Stream stream, Time end) noexcept;
  void note_launch(Stream stream, Time begin, Time end) noexcept;

 private:
  enum class Phase {
    unknown,   ///< no call of it was seen
    counting,  ///< launches, to know what each of them takes
    slow,      ///< they are: graphs pay
  };

  static constexpr int kEnough = 16;  ///< launches to count
  static constexpr Time kSlow{2200};
  /// Where launches are slow, too short for anything to have been launched meanwhile.
  static constexpr Time kPause{1500};
  static constexpr int kUnwatched = 128;

  bool goes_on(Stream stream, Time now) const noexcept {
    return stream == stream_ && now - end_ < kPause;
  }
  void begin_counting(Time now) noexcept;
  void watch_later() noexcept;

  int unwatched_ = 0;  ///< calls to come
  Phase phase_ = Phase::unknown;
  Time begin_{0};            ///< of the counted launches
  int launches_ = 0;         ///< counted
  Stream stream_ = nullptr;  ///< of the last call
  Time end_{0};              ///< the same
};

}  // namespace foldtune
