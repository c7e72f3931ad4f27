/// What Foldtune throws. Every message says what was being done, what went wrong, and what to do.
#pragma once

#include <stdexcept>
#include <string>

#include "foldtune/export.h"

namespace foldtune {

/// The base of all. `what()` is the message. It may be shown as it is: what others wrote, and it
/// quotes, has its control characters as text ("\x1b"), and is cut where it is long.
class FOLDTUNE_API Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message);  ///< escaped and cut so
};

/// The caller asked for something that cannot be: a wrong argument, an unsupported combination.
/// Thrown before anything is launched or written.
class FOLDTUNE_API InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// Something that is needed is not on this machine: a GPU, its driver, NVRTC, a host compiler.
class FOLDTUNE_API Unavailable : public Error {
 public:
  using Error::Error;
};

/// A problem was not tuned, and the context's MissPolicy is to fail then. Thrown before anything is
/// launched.
class FOLDTUNE_API NotTuned : public Error {
 public:
  using Error::Error;
};

/// A kernel does not compile. The message holds the compiler's log.
class FOLDTUNE_API CompileError : public Error {
 public:
  using Error::Error;
};

/// The device or its driver reports an error.
class FOLDTUNE_API DeviceError : public Error {
 public:
  using Error::Error;
};

/// The device or the host has not enough memory for what was asked.
class FOLDTUNE_API OutOfMemory : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// The tuning database cannot be opened, read or written.
class FOLDTUNE_API DatabaseError : public Error {
 public:
  using Error::Error;
};

}  // namespace foldtune
