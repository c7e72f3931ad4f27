/// What ends a call that does not end well by itself.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace foldtune {

/// Ends the process with ExitCode::device, and a message, where a kernel crashes in this process:
/// on the CPU device, of which signals are told that are sent while a kernel runs, and where it
/// calls exit. Other signals, and those that someone else handles, such as a sanitizer, do what
/// they did before. One at a time.
class CrashReport {
 public:
  /// `what` is what the kernel does, for the message.
  explicit CrashReport(const std::string& what);
  CrashReport(const CrashReport&) = delete;
  CrashReport& operator=(const CrashReport&) = delete;
  ~CrashReport();

  static constexpr std::size_t kSignals = 6;

 private:
  const std::array<std::string, kSignals + 1> messages_;  // the last one is of an exit
  std::array<struct sigaction, kSignals> before_{};
};

/// Ends the process with ExitCode::device where a call takes longer than its limit, since nothing
/// else stops a kernel, or where it crashes.
class CallLimit {
 public:
  /// The first call begins; `what` is what it does, for the message. Empty: there is no limit.
  CallLimit(std::optional<std::chrono::seconds> limit, std::string what);

  /// The next call begins.
  void restart();

 private:
  using Clock = std::chrono::steady_clock;

  void watch(const std::stop_token& stop);

  const std::optional<std::chrono::seconds> limit_;
  const std::string what_;
  const CrashReport crashes_;
  std::mutex mutex_;  // guards what follows
  Clock::time_point end_;
  std::condition_variable_any stopped_;
  std::jthread thread_;
};

}  // namespace foldtune
