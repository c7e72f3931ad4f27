/// What Foldtune tells of its work.
#pragma once

#include <functional>
#include <string>

#include "foldtune/export.h"

namespace foldtune {

/// How much a message matters. The gravest first.
enum class LogLevel {
  error,    ///< something failed, and its exception is on its way
  warning,  ///< something is not as it should be, and the program goes on
  info,     ///< what happens once: databases, look-ups, compilations, kernels kept and dropped
  debug,    ///< what happens more often
};

/// "error", "warning", "info", "debug".
FOLDTUNE_API const char* to_string(LogLevel level);

/// Is told a sentence without a full stop. Called from the thread that does the work, possibly from
/// several at once and while locks are held, so it must not call Foldtune. What it throws is lost.
using LogCallback = std::function<void(LogLevel level, const std::string& message)>;

/// Sends the messages of `level` and of the graver ones to `callback`, for the whole process; an
/// empty callback turns the log off, as it is at the start. `FOLDTUNE_LOG=info` in the environment,
/// or another level's name, writes to the standard error until this is called. May be called from
/// several threads; a message that another thread is sending may still reach the callback of
/// before. A message that nobody wants costs one atomic load.
FOLDTUNE_API void set_log(LogCallback callback, LogLevel level = LogLevel::info);

}  // namespace foldtune
