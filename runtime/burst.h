/// Short calls that a thread enqueues right after one another.
#pragma once

#include <chrono>

#include "foldtune/stream.h"

namespace foldtune {

/// Tells when a short call had better be launched as a graph. That takes the host half as long as a
/// launch of the kernel, but it begins only when all earlier work of the stream has ended: back to
/// back such calls take 2.1 us or more. So it is for long bursts, in which calls overlap with
/// nothing but one another, on a host whose launches take longer than that. Of one thread.
class Burst {
 public:
  using Time = std::chrono::nanoseconds;  ///< of Device::host_time

  /// This thread's.
  static Burst& of_this_thread() noexcept;

  /// False once this host is known to launch kernels fast: nothing need be noted from then on.
  bool may_want_graphs() const { return !is_fast_; }

  /// Whether a call that begins now had better be a graph.
  bool wants_graph(Stream stream, Time now) const {
    return launches_ == kEnough && !is_fast_ && goes_on(stream, now);
  }

  /// Notes a call that was launched as a graph, or by its kernel.
  void note_graph(Stream stream, Time end);
  void note_launch(Stream stream, Time begin, Time end);

 private:
  /// Launches, to know a burst and what they take.
  static constexpr int kEnough = 32;
  static constexpr Time kSlow{2200};
  /// Too short for anything to have been launched meanwhile.
  static constexpr Time kPause{1000};

  bool goes_on(Stream stream, Time now) const { return stream == stream_ && now - end_ < kPause; }

  Stream stream_ = nullptr;  ///< of the last call
  Time end_ = -kPause;       ///< the same
  int launches_ = 0;         ///< of kernels in this burst, up to kEnough
  int slow_launches_ = 0;    ///< of them
  bool is_fast_ = false;     ///< the host
};

}  // namespace foldtune
