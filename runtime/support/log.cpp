#include "runtime/support/log.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "cache/excerpt.h"
#include "cache/notice.h"
#include "cache/printable.h"

namespace foldtune {
namespace {

constexpr std::array kLevels{LogLevel::error, LogLevel::warning, LogLevel::info, LogLevel::debug};

struct Sink {
  std::mutex mutex;
  std::shared_ptr<const LogCallback> callback;
};

// Never destroyed: objects that log may outlive every static one.
Sink& sink() {
  static auto* const only = new Sink;
  return *only;
}

std::optional<LogLevel> parse_level(std::string_view text) {
  for (const LogLevel level : kLevels) {
    if (text == to_string(level)) return level;
  }
  return std::nullopt;
}

void write_to_stderr(LogLevel level, const std::string& message) {
  write_error_line(fmt::format("foldtune: {}: {}", to_string(level), message));
}

}  // namespace

const char* to_string(LogLevel level) {
  switch (level) {
    case LogLevel::error:
      return "error";
    case LogLevel::warning:
      return "warning";
    case LogLevel::info:
      return "info";
    case LogLevel::debug:
      break;
  }
  return "debug";
}

void set_log(LogCallback callback, LogLevel level) { Log::set(std::move(callback), level); }

void Log::set(LogCallback callback, LogLevel level) {
  const std::lock_guard lock(sink().mutex);
  threshold = callback ? static_cast<int>(level) : kOff;
  sink().callback = std::make_shared<const LogCallback>(std::move(callback));
}

int Log::read_environment() {
  const std::lock_guard lock(sink().mutex);
  if (threshold != kUnread) return threshold;  // another thread was faster
  const char* const value = std::getenv("FOLDTUNE_LOG");
  const std::string_view text = value == nullptr ? "" : value;
  const std::optional<LogLevel> level = parse_level(text);
  if (level) sink().callback = std::make_shared<const LogCallback>(write_to_stderr);
  if (!level && !text.empty() && text != "off") {
    write_error_line(fmt::format(
        "foldtune: note: FOLDTUNE_LOG is \"{}\", and no level; set it to error, warning, info, "
        "debug or off",
        printable(text)));
  }
  threshold = level ? static_cast<int>(*level) : kOff;
  return threshold;
}

// Called without the lock, so that a slow callback delays nobody else.
void Log::write(LogLevel level, const std::string& message) {
  if (!takes(level)) return;
  std::shared_ptr<const LogCallback> callback;
  {
    const std::lock_guard lock(sink().mutex);
    callback = sink().callback;
  }
  if (callback == nullptr || !*callback) return;
  try {
    (*callback)(level, shortened(printable_lines(message)));
  } catch (...) {  // NOLINT(bugprone-empty-catch): the work goes on whatever becomes of the log
  }
}

}  // namespace foldtune
