/// Measurements that come from outside, for a database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cache/rows.h"
#include "cache/sqlite_connection.h"

namespace foldtune {

struct IntakeReport {
  std::size_t added = 0;
  std::size_t known = 0;  ///< The database had them, or they came twice.
  std::size_t new_devices = 0;
  std::size_t new_problems = 0;      ///< Problems of a device that had no best result before.
  std::size_t changed_problems = 0;  ///< Those of which another result is the best now.
};

/// Takes rows, a part of them at a time. All member functions throw `StoreError`.
class Intake {
 public:
  /// How many rows a part should have. To write them takes a tenth of a second, for which others
  /// wait.
  static constexpr std::size_t kRowsAtATime = 500;

  enum class Mode {
    add,       ///< to the database, which is created as `open_sqlite_store` does it
    rehearse,  ///< to a private copy of it, or of an empty one where it is missing
  };

  explicit Intake(const std::string& path, Mode mode = Mode::add);

  /// Adds the rows that are not there yet in one transaction: once this returns they stay, whatever
  /// happens to the process. Two measurements are the same if everything about them and their runs
  /// is equal, the times included; rows of one `run_id` are of one run. What is added counts as
  /// newer than what was there. No row may be one that `reason_to_refuse` refuses.
  void add(const std::vector<ResultRow>& rows);

  /// Of all rows until now.
  IntakeReport report() const;

 private:
  std::vector<std::int64_t> best_ids() const;
  std::size_t count_devices() const;

  SqliteConnection connection_;
  std::vector<std::int64_t> best_before_;
  std::size_t devices_before_ = 0;
  std::size_t added_ = 0;
  std::size_t known_ = 0;
};

}  // namespace foldtune
