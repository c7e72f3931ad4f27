/// Writes beyond the limit of file sizes (`ulimit -f`) that fail instead of ending the process.
#pragma once

#include <csignal>
#include <ctime>

namespace foldtune {

/// As long as it lives, what this thread writes beyond the limit fails with EFBIG. What the process
/// does at the signal SIGXFSZ, by default to end, stays as it is.
class NoFileSizeSignal {
 public:
  NoFileSizeSignal() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    sigset_t pending{};
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
  }
  NoFileSizeSignal(const NoFileSizeSignal&) = delete;
  NoFileSizeSignal& operator=(const NoFileSizeSignal&) = delete;
  ~NoFileSizeSignal() {
    // What was raised meanwhile waits for this thread, and is taken from it.
    constexpr timespec kNow{};
    if (!was_pending_) sigtimedwait(&signal_, nullptr, &kNow);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t signal_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace foldtune
