#include "tuner/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "tuner/exit_code.h"

namespace foldtune {
namespace {

// A signal handler reaches nothing else than this.
volatile std::sig_atomic_t interrupts = 0;

void on_interrupt(int) {
  if (interrupts > 0) ::_exit(static_cast<int>(ExitCode::interrupted));
  interrupts = 1;
  constexpr std::string_view kMessage =
      "\nfoldtune: stopping after the measurement in hand; everything measured is kept. Press "
      "Ctrl-C again to stop at once.\n";
  // There is nothing to be done where it cannot be written.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupts = 0;
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  // Restarted: a measurement's own system calls know nothing of Ctrl-C.
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
}

InterruptGuard::~InterruptGuard() { std::signal(SIGINT, SIG_DFL); }

bool InterruptGuard::is_interrupted() const { return interrupts > 0; }

}  // namespace foldtune
