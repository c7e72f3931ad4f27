/// Rows to records.
#pragma once

#include <SQLiteCpp/Statement.h>

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "cache/config_store.h"
#include "cache/result_row.h"

namespace foldtune {

/// Reads the rows of a statement that selects all columns of the view `result` or `best`; it must
/// outlive this.
class RowReader {
 public:
  explicit RowReader(SQLite::Statement& statement);

  /// The present row.
  ResultRow read() const;

 private:
  static constexpr std::size_t kColumns = 48;

  SQLite::Statement& statement_;
  std::array<int, kColumns> places_{};  ///< in the statement
};

/// What is left of such a statement, or what `is_wanted` (which may be empty) says true of. Throws
/// `StoreError` for a row that cannot be a record.
std::vector<StoredResult> fetch_results(
    SQLite::Statement& statement,
    const std::function<bool(const StoredResult&)>& is_wanted = nullptr);

}  // namespace foldtune
