/// Short calls that a thread enqueues right after one another.
#pragma once

#include <chrono>

#include "foldtune/stream.h"

namespace foldtune {

/// Tells when a short call had better be launched as a graph. That takes the host half as long as a
/// launch of the kernel, but it begins only when all earlier work of the stream has ended: back to
/// back such calls take 2 us or more. So it is for long bursts, in which calls overlap with nothing
/// but one another, on a host that launches kernels more slowly than that. Of one thread.
class Burst {
 public:
  using Time = std::chrono::nanoseconds;  ///< of Device::host_time

  /// This thread's.
  static Burst& of_this_thread() noexcept;

  /// False once this host is known to launch kernels fast: nothing need be noted from then on.
  bool may_want_graphs() const { return !is_fast_; }

  /// Whether a call that begins now had better be a graph.
  bool wants_graph(Stream stream, Time now) const { return is_slow_ && goes_on(stream, now); }

  /// Notes a call that was launched as a graph, or by its kernel.
  void note_graph(Stream stream, Time end);
  void note_launch(Stream stream, Time begin, Time end);

 private:
  /// Launches, to know a burst and how long each of them takes.
  static constexpr int kEnough = 16;
  static constexpr Time kSlow{2200};  ///< graphs pay
  static constexpr Time kFast{1900};  ///< they never will: what disturbs takes longer, not less
  /// Where launches are slow, too short for anything to have been launched meanwhile.
  static constexpr Time kPause{1500};

  bool goes_on(Stream stream, Time now) const { return stream == stream_ && now - end_ < kPause; }

  Stream stream_ = nullptr;  ///< of the last call
  Time end_ = -kPause;       ///< the same
  Time begin_{0};            ///< of the burst: the end of its first call
  int launches_ = 0;         ///< of kernels since then, up to kEnough
  bool is_slow_ = false;     ///< they are
  bool is_fast_ = false;     ///< the host is
};

}  // namespace foldtune
