/// What `import` adds to a database, and when it takes it for known.
#pragma once

#include <cstdint>
#include <map>

#include "cache/config_store.h"
#include "cache/result_row.h"
#include "cache/row_writer.h"

namespace foldtune {

/// Adds rows to the database, within a transaction of the caller's. Rows of one `run_id` are of one
/// run.
class RowAdder {
 public:
  explicit RowAdder(RowWriter& writer) : writer_(writer) {}

  /// False if it is there already: two measurements are the same if everything about them and their
  /// runs is equal, the times included. The row must be none that `reason_to_refuse` refuses.
  bool add(const ResultRow& row);

 private:
  ConfigStore::RunId run_of(const ResultRow& row);

  RowWriter& writer_;
  std::map<std::int64_t, ConfigStore::RunId> runs_;  // Of the rows' ids.
};

}  // namespace foldtune
