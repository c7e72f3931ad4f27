/// The error of everything that remembers.
#pragma once

#include <stdexcept>

namespace foldtune {

/// Says what was being done, what went wrong, and what can be done about it.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
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
