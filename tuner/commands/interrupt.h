/// Ctrl-C and its like as a request to stop.
#pragma once

#include <signal.h>

#include <array>

namespace foldtune {

inline constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP};

/// From now on a signal that ends the process, of those below, has its temporary folders removed
/// before. One that is ignored stays so. For the beginning of a program.
void remove_folders_on_signals();

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
  std::array<struct sigaction, kEndingSignals.size()> before_{};
};

}  // namespace foldtune
