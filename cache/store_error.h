/// The error of everything that remembers.
#pragma once

#include <stdexcept>
#include <string>

#include "cache/excerpt.h"

namespace foldtune {

/// Says what was being done, what went wrong, and what can be done about it. It may quote a path or
/// a row, of which it keeps as much as people read.
class StoreError : public std::runtime_error {
 public:
  explicit StoreError(const std::string& what) : std::runtime_error(shortened(what)) {}
};

/// A database that nothing is in yet was opened for reading: another process may be making it.
class EmptyDatabase : public StoreError {
 public:
  using StoreError::StoreError;
};

/// The file of a database that is in use was removed, replaced or overwritten.
class LostDatabase : public StoreError {
 public:
  using StoreError::StoreError;
};

}  // namespace foldtune
