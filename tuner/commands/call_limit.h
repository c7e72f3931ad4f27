/// How long a call may take.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace foldtune {

/// Ends the process with ExitCode::device where a call takes longer than its limit: nothing else
/// stops a kernel.
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
  std::mutex mutex_;  // guards what follows
  Clock::time_point end_;
  std::condition_variable_any stopped_;
  std::jthread thread_;
};

}  // namespace foldtune
