/// Records to rows.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "cache/config_store.h"

namespace foldtune {

/// Adds rows to one database. Its statements are prepared once, so keep it as long as the database,
/// and no longer. Times are UTC, ISO 8601. All member functions throw `SQLite::Exception`, and are
/// to be called in a transaction.
class RowWriter {
 public:
  explicit RowWriter(SQLite::Database& database) : database_(database) {}

  /// Each adds a row and returns its id. The device, the problem and the configuration that it
  /// refers to are added where they are missing.
  std::int64_t insert_run(const RunRecord& run, const std::string& started_at);
  std::int64_t insert_measurement(ConfigStore::RunId run, const MeasurementRecord& measurement,
                                  const std::string& measured_at);

  /// The id of the row that the insertion of the same would add again. They add the device, the
  /// problem and the configuration, too.
  std::optional<std::int64_t> find_run(const RunRecord& run, const std::string& started_at);
  std::optional<std::int64_t> find_measurement(ConfigStore::RunId run,
                                               const MeasurementRecord& measurement,
                                               const std::string& measured_at);

  bool has_run(ConfigStore::RunId run);

 private:
  /// A row with `columns` ("a, b"), as many `marks` ("?, ?"), and values for them.
  struct Target {
    const char* table;
    const char* columns;
    const char* marks;
  };
  static const Target kRun;
  static const Target kMeasurement;

  template <typename Use>
  auto with_run_values(const RunRecord& run, const std::string& started_at, Use use);
  template <typename Use>
  auto with_measurement_values(ConfigStore::RunId run, const MeasurementRecord& measurement,
                               const std::string& measured_at, Use use);

  std::int64_t device_id(const DeviceRecord& device);
  std::int64_t problem_id(const ProblemKey& problem);
  std::int64_t config_id(const std::string& params);

  template <typename... Values>
  std::optional<std::int64_t> find(const Target& target, const Values&... values);
  template <typename... Values>
  std::int64_t insert(const Target& target, const Values&... values);
  template <typename... Values>
  std::int64_t find_or_insert(const Target& target, const Values&... values);

  SQLite::Statement& prepared(const std::string& sql);

  SQLite::Database& database_;
  std::map<std::string, SQLite::Statement, std::less<>> statements_;  ///< by their text
};

}  // namespace foldtune
