/// Records to rows, and rows to records.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <optional>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "cache/result_row.h"

namespace foldtune {

/// Each adds a row and returns its id; of a device, a problem and a configuration it finds an equal
/// one. Times are UTC, ISO 8601. They throw `SQLite::Exception`, and are to be called in a
/// transaction.
std::int64_t insert_device(SQLite::Database& database, const DeviceRecord& device);
std::int64_t insert_run(SQLite::Database& database, const RunRecord& run,
                        const std::string& started_at);
std::int64_t insert_measurement(SQLite::Database& database, ConfigStore::RunId run,
                                const MeasurementRecord& measurement,
                                const std::string& measured_at);

/// The id of the row that the insertion of the same would add again. As above, they add the device,
/// the problem and the configuration where they are missing.
std::optional<std::int64_t> find_run(SQLite::Database& database, const RunRecord& run,
                                     const std::string& started_at);
std::optional<std::int64_t> find_measurement(SQLite::Database& database, ConfigStore::RunId run,
                                             const MeasurementRecord& measurement,
                                             const std::string& measured_at);

/// What is left of a statement that selects all columns of the view `result` or `best`. Throws
/// `StoreError` for a row that cannot be a record.
std::vector<StoredResult> fetch_results(SQLite::Statement& statement);

/// The present row of such a statement.
ResultRow read_row(const SQLite::Statement& statement);

}  // namespace foldtune
