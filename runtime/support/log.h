/// How the runtime writes to the log.
#pragma once

#include <atomic>
#include <string>

#include "foldtune/log.h"

namespace foldtune {

class Log {
 public:
  static bool takes(LogLevel level) {
    const int now = threshold.load(std::memory_order_relaxed);
    return static_cast<int>(level) <= (now == kUnread ? read_environment() : now);
  }
  /// Sends the message if the level is taken.
  static void write(LogLevel level, const std::string& message);

  static void set(LogCallback callback, LogLevel level);

 private:
  static constexpr int kOff = -1;
  static constexpr int kUnread = -2;  ///< FOLDTUNE_LOG was not looked at yet

  static int read_environment();

  static inline std::atomic<int> threshold{kUnread};
};

/// `make` gives the message, and is called only if somebody wants it.
template <class Make>
void log(LogLevel level, const Make& make) {
  if (Log::takes(level)) Log::write(level, make());
}

}  // namespace foldtune
