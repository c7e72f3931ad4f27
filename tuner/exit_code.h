/// What the program's exit code says.
#pragma once

namespace foldtune {

enum class ExitCode {
  ok = 0,
  internal = 1,      ///< a fault of Foldtune itself
  usage = 2,         ///< a wrong command line, or a file of another type than asked for
  unavailable = 3,   ///< no GPU, no driver, no NVRTC, no host compiler
  file = 4,          ///< an input cannot be read, or the output cannot be written
  database = 5,      ///< the tuning database cannot be opened, read or written, or is not sound
  device = 6,        ///< a kernel does not compile, or the device fails
  interrupted = 130  ///< by Ctrl-C
};

}  // namespace foldtune
