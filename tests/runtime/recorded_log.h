/// The log, kept for a test.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "foldtune/log.h"

namespace foldtune::test {

/// Takes the log of the process for its lifetime; it is off afterwards.
class RecordedLog {
 public:
  explicit RecordedLog(LogLevel level) {
    set_log(
        [lines = lines_](LogLevel at, const std::string& message) {
          const std::lock_guard lock(lines->mutex);
          lines->texts.push_back(std::string(to_string(at)) + ": " + message);
        },
        level);
  }
  RecordedLog(const RecordedLog&) = delete;
  RecordedLog& operator=(const RecordedLog&) = delete;
  ~RecordedLog() { set_log(nullptr); }

  /// "info: opened ...", in their order.
  std::vector<std::string> lines() const {
    const std::lock_guard lock(lines_->mutex);
    return lines_->texts;
  }

 private:
  struct Lines {
    std::mutex mutex;
    std::vector<std::string> texts;
  };
  std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
};

}  // namespace foldtune::test
