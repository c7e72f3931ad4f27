/// Ctrl-C and its like as a request to stop.
#pragma once

#include <signal.h>

#include <array>

namespace foldtune {

/// While one lives, the first of the signals SIGINT (Ctrl-C), SIGTERM (of systems that shut down or
/// run out of time) and SIGHUP (of a terminal that is closed) is kept, and said on stderr. The
/// second one ends the process at once, with 128 plus its number. SIGHUP stays ignored if it was,
/// as by nohup. At most one at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  bool is_interrupted() const { return signal() != 0; }
  /// The signal that came; 0: none.
  int signal() const;

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace foldtune
