#include "tuner/commands/interrupt.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>
#include <thread>

#include "runtime/support/temporary_folder.h"
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

/// From the handler to the thread that may do what no handler may.
int signal_pipe[2] = {-1, -1};

void pass_on(int number) {
  const int error = errno;
  const char byte = static_cast<char>(number);
  [[maybe_unused]] const ssize_t written = ::write(signal_pipe[1], &byte, 1);
  errno = error;
}

void wait_for_signal() {
  char number = 0;
  while (::read(signal_pipe[0], &number, 1) != 1) {
    if (errno != EINTR) return;
  }
  remove_own_folders();
  (void)std::signal(number, SIG_DFL);
  ::kill(::getpid(), number);
}

}  // namespace

void remove_folders_on_signals() {
  if (::pipe2(signal_pipe, O_CLOEXEC) != 0) return;  // a later run removes what this one leaves
  try {
    std::thread(wait_for_signal).detach();
  } catch (const std::system_error&) {  // The system gives no more threads.
    return;
  }
  for (const int number : kEndingSignals) {
    struct sigaction action {};
    ::sigaction(number, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = pass_on;
    action.sa_flags = SA_RESTART;
    ::sigaction(number, &action, nullptr);
  }
}

InterruptGuard::InterruptGuard() {
  first_signal = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  // Restarted: a measurement's own system calls know nothing of signals.
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kEndingSignals.size(); ++i) {
    ::sigaction(kEndingSignals[i], nullptr, &before_[i]);
    const bool stays_ignored = kEndingSignals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN;
    if (!stays_ignored) ::sigaction(kEndingSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < kEndingSignals.size(); ++i) {
    ::sigaction(kEndingSignals[i], &before_[i], nullptr);
  }
}

int InterruptGuard::signal() const { return first_signal; }

}  // namespace foldtune
