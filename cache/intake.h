/// Measurements that come from outside, for a database.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cache/result_row.h"

namespace foldtune {

struct IntakeReport {
  std::size_t added = 0;
  std::size_t known = 0;  ///< The database had them, or they came twice.
  std::size_t new_devices = 0;
  std::size_t new_problems = 0;
};

/// Takes rows, a part of them at a time. All member functions throw `StoreError`.
class Intake {
 public:
  virtual ~Intake() = default;

  /// Adds the rows that are not there yet, by `RowAdder`'s rule, in one transaction: once this
  /// returns they stay, whatever happens to the process. No row may be one that `reason_to_refuse`
  /// refuses.
  virtual void add(const std::vector<ResultRow>& rows) = 0;

  /// Of all rows until now.
  virtual IntakeReport report() const = 0;
};

/// Into the database `path`, which is created as `open_sqlite_store` does it.
std::unique_ptr<Intake> open_intake(const std::string& path);

/// Into a private copy of it, or of an empty one where it is missing: the report says what the same
/// rows would do. The file is only read.
std::unique_ptr<Intake> rehearse_intake(const std::string& path);

}  // namespace foldtune
