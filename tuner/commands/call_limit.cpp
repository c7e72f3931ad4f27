#include "tuner/commands/call_limit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "tuner/commands/exit_code.h"
#include "tuner/text/print.h"

namespace foldtune {
namespace {

struct Crash {
  int signal;
  const char* text;
};
constexpr std::array<Crash, CrashReport::kSignals> kCrashes{
    {{SIGSEGV, "segmentation fault"},
     {SIGBUS, "bus error"},
     {SIGFPE, "a division by zero, or another fault of arithmetic"},
     {SIGILL, "illegal instruction"},
     {SIGTRAP, "trap"},
     {SIGABRT, "abort"}}};

using Messages = std::array<std::string, CrashReport::kSignals + 1>;

// A signal handler reaches nothing else than these.
std::atomic<const Messages*> present_messages = nullptr;
std::atomic_flag has_crashed = ATOMIC_FLAG_INIT;

Messages make_messages(const std::string& what) {
  Messages messages;
  for (std::size_t i = 0; i < kCrashes.size(); ++i) {
    messages.at(i) = fmt::format(
        "foldtune: error: {}: it crashed on the CPU device ({}). Check what an operator of your "
        "own reads, divides by and calls; a function that calls itself needs more stack than "
        "kernels have\n",
        what, kCrashes.at(i).text);
  }
  messages.back() = fmt::format(
      "foldtune: error: {}: it ended this program, by exit or its like. Leave that out of what an "
      "operator of your own calls\n",
      what);
  return messages;
}

/// There is nothing to be done where it cannot be written.
[[noreturn]] void end_with(const std::string& message) {
  while (has_crashed.test_and_set()) ::pause();  // another thread, which ends the process
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
  ::_exit(static_cast<int>(ExitCode::device));
}

/// The CPU device has signals of kernels, and no others, handled on a stack of their own.
bool is_of_kernel() {
  stack_t stack{};
  return ::sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_ONSTACK) != 0;
}

void on_crash(int number) {
  const Messages* const messages = present_messages.load();
  if (messages == nullptr || !is_of_kernel()) {  // as if there were no handler
    ::signal(number, SIG_DFL);
    ::raise(number);
    return;
  }
  std::size_t i = 0;
  while (kCrashes[i].signal != number) ++i;
  end_with((*messages)[i]);
}

void on_exit() {
  const Messages* const messages = present_messages.load();
  if (messages != nullptr) end_with(messages->back());
}

}  // namespace

CrashReport::CrashReport(const std::string& what) : messages_(make_messages(what)) {
  present_messages = &messages_;
  static std::once_flag once;
  std::call_once(once, [] {
    std::atexit(on_exit);
    std::at_quick_exit(on_exit);
  });
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;  // a kernel may have used up its own
  for (std::size_t i = 0; i < kSignals; ++i) {
    struct sigaction& before = before_.at(i);
    ::sigaction(kCrashes.at(i).signal, nullptr, &before);
    const bool is_handled = (before.sa_flags & SA_SIGINFO) != 0 || before.sa_handler != SIG_DFL;
    if (!is_handled) ::sigaction(kCrashes.at(i).signal, &action, nullptr);
  }
}

CrashReport::~CrashReport() {
  for (std::size_t i = 0; i < kSignals; ++i) {
    ::sigaction(kCrashes.at(i).signal, &before_.at(i), nullptr);
  }
  present_messages = nullptr;
}

CallLimit::CallLimit(std::optional<std::chrono::seconds> limit, std::string what)
    : limit_(limit), what_(std::move(what)), crashes_(what_) {
  if (!limit_) return;
  restart();
  thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

void CallLimit::restart() {
  if (!limit_) return;
  const std::lock_guard lock(mutex_);
  end_ = Clock::now() + *limit_;
}

void CallLimit::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (Clock::now() < end_) {
    stopped_.wait_until(lock, stop, Clock::time_point(end_), [] { return false; });
    if (stop.stop_requested()) return;
  }
  print_to(stderr,
           "foldtune: error: {}: it did not end within {} s, and was stopped. If it would end, "
           "allow it more with --timeout SECONDS\n",
           what_, limit_->count());
  ::_exit(static_cast<int>(ExitCode::device));
}

}  // namespace foldtune
