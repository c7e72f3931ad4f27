/// The error of files that the user names.
#pragma once

#include "foldtune/error.h"

namespace foldtune {

/// An input file cannot be read, or is not what it claims to be.
class FileError : public Error {
 public:
  using Error::Error;
};

}  // namespace foldtune
