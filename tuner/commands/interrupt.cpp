#include "tuner/commands/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "tuner/commands/exit_code.h"

namespace foldtune {
namespace {

// A signal handler reaches nothing else than this.
volatile std::sig_atomic_t first_signal = 0;

void on_signal(int number) {
  if (first_signal != 0) ::_exit(static_cast<int>(interrupted_by(number)));
  first_signal = number;
  constexpr std::string_view kMessage =
      "\nfoldtune: stopping after the measurement in hand; everything measured is kept. Press "
      "Ctrl-C again to stop at once.\n";
  // There is nothing to be done where it cannot be written.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
}

}  // namespace

InterruptGuard::InterruptGuard() {
  first_signal = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  // Restarted: a measurement's own system calls know nothing of signals.
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    const bool stays_ignored = kSignals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN;
    if (!stays_ignored) ::sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

int InterruptGuard::signal() const { return first_signal; }

}  // namespace foldtune
