/// Short calls that a thread enqueues right after one another.
#pragma once

#include <chrono>

#include "foldtune/stream.h"

namespace foldtune {

/// Tells which short calls had better be launched as graphs. That takes the host half as long as a
/// launch of the kernel, but it begins only when all earlier work of the stream has ended. So it is
/// for long bursts, in which calls overlap with nothing but one another, on a host that launches
/// kernels more slowly than they run. Of one thread.
///
/// To read the clock takes longer than all else that a call does before its launch. So it is read
/// for one call in four of a burst, and calls that turn out to be none are not watched for a while.
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

  /// Whether a burst goes on with a call, whenever that begins: it did so just now.
  bool goes_on(Stream stream) noexcept {
    if (trusted_ == 0 || stream != stream_) return false;
    --trusted_;
    return true;
  }

  /// Whether a burst goes on with a call that begins now.
  bool goes_on(Stream stream, Time now) noexcept;

  /// Notes the launch of the kernel for a call with which no burst went on.
  void note_launch(Stream stream, Time begin, Time end) noexcept;

 private:
  static constexpr Time kSlow{1800};  ///< a launch, with what is between it and the last
  /// Too short for anything to have been launched meanwhile, on a host that is not much faster.
  static constexpr Time kPause{1500};
  static constexpr Time kGraph{2000};  ///< what a call by graph takes at most, as a rule
  static constexpr int kEnough = 16;   ///< launches without a break, to know what each takes
  static constexpr int kAgain = 4;     ///< the same, after a break, for a burst to go on
  static constexpr int kBreaks = 4;    ///< in succession, that a burst outlasts
  static constexpr int kTrusted = 3;   ///< calls of a burst after one that is looked at
  static constexpr int kUnwatched = 128;

  void note_break() noexcept;

  int unwatched_ = 0;        ///< calls to come
  int trusted_ = 0;          ///< the same
  bool is_slow_ = false;     ///< launches are: graphs pay
  int breaks_ = 0;           ///< since launches were counted, without one
  int launches_ = 0;         ///< since the last break
  Time time_{0};             ///< that they took, with what was between them
  Stream stream_ = nullptr;  ///< of the last call
  Time end_{0};              ///< of the last launch
  Time until_{0};            ///< the next call that is looked at has to begin, if it goes on
};

}  // namespace foldtune
