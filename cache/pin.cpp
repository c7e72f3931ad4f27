#include "cache/pin.h"

#include <SQLiteCpp/Statement.h>

#include <nlohmann/json.hpp>

#include "cache/queries.h"
#include "cache/record_check.h"
#include "cache/rows.h"
#include "cache/sqlite_connection.h"

namespace foldtune {
namespace {

/// The changes that a statement makes whose parameter `:ids` is a JSON list.
std::size_t change(const std::string& path, const char* doing, const char* sql,
                   const std::vector<std::int64_t>& ids, const std::string& time) {
  require_database(path);
  SqliteConnection connection(path, OpenMode::read_write);
  return connection.write(doing, [&](SQLite::Database& database) {
    SQLite::Statement statement(database, sql);
    statement.bind(":ids", nlohmann::json(ids).dump());
    if (!time.empty()) statement.bind(":time", time);
    return static_cast<std::size_t>(statement.exec());
  });
}

}  // namespace

std::size_t pin_measurements(const std::string& path, const std::vector<std::int64_t>& ids) {
  constexpr const char* kPin = R"sql(
INSERT OR IGNORE INTO pin
SELECT measurement_id, family, problem, template_fingerprint, device_fingerprint, :time
FROM measurement JOIN run USING (run_id) JOIN problem USING (problem_id)
WHERE measurement_id IN (SELECT value FROM json_each(:ids)))sql";
  return change(path, "pin results in", kPin, ids, utc_now());
}

std::size_t unpin_measurements(const std::string& path, const std::vector<std::int64_t>& ids) {
  constexpr const char* kUnpin =
      "DELETE FROM pin WHERE measurement_id IN (SELECT value FROM json_each(:ids))";
  return change(path, "unpin results in", kUnpin, ids, "");
}

std::size_t unpin_all(const std::string& path) {
  require_database(path);
  SqliteConnection connection(path, OpenMode::read_write);
  return connection.write("unpin results in", [](SQLite::Database& database) {
    return static_cast<std::size_t>(SQLite::Statement(database, "DELETE FROM pin").exec());
  });
}

std::vector<StoredResult> pinned_results(const std::string& path) {
  const SqliteConnection connection(path, OpenMode::read_only);
  return connection.read("read the pinned results of", [](SQLite::Database& database) {
    SQLite::Statement statement(database, select_results(kPinned));
    return fetch_results(statement).results;
  });
}

}  // namespace foldtune
