/// Records to rows of the database, and back.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cache/config_store.h"

namespace foldtune {

/// A row of the view `result` that may be anything: someone may have written into the file.
struct ResultRow {
  StoredResult result;
  std::string fault;  ///< Why `result` is no record, and what to do; empty if it is one.
};

/// Why the row is no measurement, so that nothing reads it and no database takes it; empty if it is
/// one.
std::string reason_to_refuse(const ResultRow& row);

/// "measurement_id, run_id, ...": what `read_row` reads from the views `result` and `best`.
const std::string& result_columns();

/// Reads the row that a SELECT of `result_columns` has come to.
ResultRow read_row(const SQLite::Statement& row);

/// The same of the runs alone: what `read_run` reads from the table `run`.
const std::string& run_columns();
ResultRow read_run(const SQLite::Statement& row);

/// Rows that are no measurements.
struct RefusedRows {
  std::size_t rows = 0;
  std::string first{};  ///< which it is, and why

  void add(std::int64_t measurement_id, const std::string& reason);
};

/// What is left of a statement of `result_columns`.
struct FetchedResults {
  std::vector<StoredResult> results;
  RefusedRows left_out;
};

/// Those that `is_wanted` (which may be empty) says true of.
FetchedResults fetch_results(SQLite::Statement& statement,
                             const std::function<bool(const StoredResult&)>& is_wanted = nullptr);

/// Adds rows to one database. Its statements are prepared once, so keep it as long as the database,
/// and no longer. All member functions throw `SQLite::Exception`, and are to be called in a
/// transaction.
class RowWriter {
 public:
  explicit RowWriter(SQLite::Database& database) : database_(database) {}

  /// Each adds a row and returns its id. The problem and the configuration that it refers to are
  /// added where they are missing.
  std::int64_t insert_run(const StoredResult& row);
  std::int64_t insert_measurement(ConfigStore::RunId run, const StoredResult& row);

  /// The id of the row that the insertion of the same would add again, wherever it was imported
  /// from. The latter adds the problem and the configuration, too.
  std::optional<std::int64_t> find_run(const StoredResult& row);
  std::optional<std::int64_t> find_measurement(ConfigStore::RunId run, const StoredResult& row);

  bool has_run(ConfigStore::RunId run);

 private:
  struct Fields;

  static Fields run_fields(const StoredResult& row);
  Fields measurement_fields(ConfigStore::RunId run, const StoredResult& row);
  std::optional<std::int64_t> find(const char* table, const Fields& fields);
  std::int64_t insert(const char* table, const Fields& fields);
  std::int64_t find_or_insert(const char* table, const Fields& fields);
  static void bind(SQLite::Statement& statement, const Fields& fields);
  SQLite::Statement& prepared(const std::string& sql);

  SQLite::Database& database_;
  std::map<std::string, SQLite::Statement, std::less<>> statements_;  ///< by their text
};

}  // namespace foldtune
