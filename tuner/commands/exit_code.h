/// What the program's exit code says.
#pragma once

namespace foldtune {

enum class ExitCode {
  ok = 0,
  internal = 1,     ///< a fault of Foldtune itself
  usage = 2,        ///< a wrong command line, or a file of another type than asked for
  unavailable = 3,  ///< no GPU, no driver, no NVRTC, no host compiler
  file = 4,         ///< an input cannot be read, or the output cannot be written
  database = 5,     ///< the tuning database cannot be opened, read or written, or is not sound
  device = 6        ///< a kernel does not compile, or the device fails
};

/// Added to the signal that asked the process to end, as shells have it: 130 for Ctrl-C.
constexpr int kSignalExit = 128;

constexpr ExitCode interrupted_by(int signal) {
  return static_cast<ExitCode>(kSignalExit + signal);
}
constexpr bool is_interruption(ExitCode code) { return static_cast<int>(code) > kSignalExit; }

}  // namespace foldtune
