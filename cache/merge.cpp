#include "cache/merge.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cache/row_adder.h"
#include "cache/schema.h"
#include "cache/sqlite_connection.h"
#include "cache/sqlite_rows.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

struct Source {
  std::vector<ResultRow> rows;
  std::int64_t unconnected = 0;  // Rows that the view leaves out, since what they refer to is gone.
};

void require_two_files(const std::string& into, const std::string& from) {
  std::error_code ignored;  // A file that is not there is no other's.
  if (std::filesystem::equivalent(into, from, ignored)) {
    throw StoreError(fmt::format(
        "cannot merge the tuning database {} into {}: they are the same file; name another source",
        from, into));
  }
}

Source read_rows(SQLite::Database& database) {
  const SQLite::Transaction snapshot(database);
  Source source;
  SQLite::Statement statement(database, "SELECT * FROM result ORDER BY measurement_id");
  while (statement.executeStep()) source.rows.push_back(read_row(statement));
  source.unconnected = database.execAndGet("SELECT count(*) FROM measurement").getInt64() -
                       static_cast<std::int64_t>(source.rows.size());
  return source;
}

Source read_source(const std::string& from) {
  const SqliteConnection connection(from, OpenMode::read_only, OldSchema::accept);
  return connection.read("read the measurements of", [&](SQLite::Database& database) {
    return with_current_schema(database, connection.path(), read_rows);
  });
}

/// The ids of the best measurements, ascending.
std::vector<std::int64_t> best_ids(SQLite::Database& database) {
  std::vector<std::int64_t> ids;
  SQLite::Statement statement(database, "SELECT measurement_id FROM best ORDER BY 1");
  while (statement.executeStep()) ids.push_back(statement.getColumn(0).getInt64());
  return ids;
}

MergeReport add_rows(SQLite::Database& database, const Source& source) {
  MergeReport report;
  const std::vector<std::int64_t> best_before = best_ids(database);
  RowAdder adder(database);
  for (const ResultRow& row : source.rows) {
    const std::string reason = reason_to_refuse(row);
    if (!reason.empty()) {
      report.refused.push_back(fmt::format("measurement {}: {}", row.measurement_id, reason));
    } else {
      ++(adder.add(row) ? report.added : report.known);
    }
  }
  for (std::int64_t i = 0; i < source.unconnected; ++i) {
    report.refused.emplace_back(
        "a measurement whose run, device, problem or configuration is not there");
  }
  // No problem loses its best, so there is one more for each that is new.
  const std::vector<std::int64_t> best_after = best_ids(database);
  report.new_problems = best_after.size() - best_before.size();
  report.changed_problems =
      static_cast<std::size_t>(std::ranges::count_if(
          best_after,
          [&](std::int64_t id) { return !std::ranges::binary_search(best_before, id); })) -
      report.new_problems;
  return report;
}

}  // namespace

MergeReport merge_database(const std::string& into, const std::string& from) {
  require_two_files(into, from);
  const Source source = read_source(from);
  SqliteConnection target(into, OpenMode::read_write);
  return target.write("merge measurements into",
                      [&](SQLite::Database& database) { return add_rows(database, source); });
}

}  // namespace foldtune
