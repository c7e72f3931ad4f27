/// Records to rows, and rows to records.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <vector>

#include "cache/config_store.h"

namespace foldtune {

/// Each adds a row, or finds an equal one, and returns its id. They throw `SQLite::Exception`, and
/// are to be called in a transaction.
std::int64_t insert_device(SQLite::Database& database, const DeviceRecord& device);
std::int64_t insert_run(SQLite::Database& database, const RunRecord& run);
std::int64_t insert_measurement(SQLite::Database& database, ConfigStore::RunId run,
                                const MeasurementRecord& measurement);

/// What is left of a statement that selects all columns of the view `result` or `best`. Throws
/// `StoreError` for a row that cannot be a record.
std::vector<StoredResult> fetch_results(SQLite::Statement& statement);

}  // namespace foldtune
