#include "cache/pin.h"

#include <SQLiteCpp/Statement.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "cache/queries.h"
#include "cache/record_check.h"
#include "cache/rows.h"
#include "cache/sqlite_connection.h"

namespace foldtune {
namespace {

/// How many rows a statement changes, whose parameters `bind` sets.
std::size_t change(const std::string& path, const char* doing, const char* sql,
                   const std::function<void(SQLite::Statement&)>& bind) {
  require_database(path);
  SqliteConnection connection(path, OpenMode::read_write);
  return connection.write(doing, [&](SQLite::Database& database) {
    SQLite::Statement statement(database, sql);
    bind(statement);
    return static_cast<std::size_t>(statement.exec());
  });
}

}  // namespace

PinScope pin_scope(const StoredResult& row) {
  const MeasurementRecord& m = row.measurement;
  return {row.run.device.fingerprint(), m.template_fingerprint, m.problem.family,
          m.problem.problem};
}

std::size_t pin_measurements(const std::string& path, const std::vector<std::int64_t>& ids) {
  constexpr const char* kPin = R"sql(
INSERT OR IGNORE INTO pin
SELECT measurement_id, family, problem, template_fingerprint, device_fingerprint, :time
FROM measurement JOIN run USING (run_id) JOIN problem USING (problem_id)
WHERE measurement_id IN (SELECT value FROM json_each(:ids)))sql";
  return change(path, "pin results in", kPin, [&](SQLite::Statement& statement) {
    statement.bind(":ids", nlohmann::json(ids).dump());
    statement.bind(":time", utc_now());
  });
}

std::size_t unpin_measurements(const std::string& path, const std::vector<std::int64_t>& ids) {
  constexpr const char* kUnpin =
      "DELETE FROM pin WHERE measurement_id IN (SELECT value FROM json_each(:ids))";
  return change(path, "unpin results in", kUnpin, [&](SQLite::Statement& statement) {
    statement.bind(":ids", nlohmann::json(ids).dump());
  });
}

std::size_t unpin_all(const std::string& path) {
  return change(path, "unpin results in", "DELETE FROM pin", [](SQLite::Statement&) {});
}

std::vector<StoredResult> pinned_results(const std::string& path) {
  const SqliteConnection connection(path, OpenMode::read_only);
  return connection.read("read the pinned results of", [](SQLite::Database& database) {
    SQLite::Statement statement(database, select_results(kPinnedResults));
    return fetch_results(statement).results;
  });
}

}  // namespace foldtune
