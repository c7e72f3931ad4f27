#include "cache/prune.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <nlohmann/json.hpp>

#include "cache/schema.h"
#include "cache/sqlite_connection.h"

namespace foldtune {
namespace {

// After the views. `wanted`: the rules hold for it. `goes`: it is not protected either. What is
// pinned stays in any case.
constexpr const char* kSelection = R"sql(
, wanted AS (
  SELECT *, is_pinned OR (:any_device AND NOT is_seed
            AND measurement_id IN (SELECT measurement_id FROM best)) AS is_kept
  FROM (
    SELECT *, family IN (SELECT value FROM json_each(:families))
              AND template_fingerprint NOT IN (SELECT value FROM json_each(:present)) AS is_seed
    FROM result)
  WHERE (:before = '' OR measured_at <= :before)
    AND (:kind = '' OR device_kind = :kind) AND (:name = '' OR device_name = :name)
    AND (:name_part = '' OR instr(lower(device_name), lower(:name_part)) > 0)
    AND (NOT :seeds OR is_seed)
), goes AS (SELECT * FROM wanted WHERE NOT is_kept)
)sql";

constexpr const char* kGroups = R"sql(
SELECT device_name, device_driver, compiler, is_seed, count(*) AS measurements,
  count(DISTINCT problem_id) AS problems
FROM goes
GROUP BY device_fingerprint, device_driver, compiler, is_seed
ORDER BY 1, 2, 3, 4
)sql";

// The tables in the order in which nothing refers to what is deleted. A tuner stores its run first,
// so one without measurements may be of a tuner that is about to store them.
constexpr const char* kDeleteUnused = R"sql(
DELETE FROM run
WHERE run_id NOT IN (SELECT run_id FROM measurement)
  AND started_at < strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-1 day');
DELETE FROM problem WHERE problem_id NOT IN (SELECT problem_id FROM measurement);
DELETE FROM config WHERE config_id NOT IN (SELECT config_id FROM measurement);
)sql";

/// A statement about the measurements that the rules select.
SQLite::Statement prepare(SQLite::Database& database, const PruneRules& rules, const char* query) {
  SQLite::Statement statement(database, with_views() + kSelection + query);
  statement.bind(":before", rules.before);
  statement.bind(":any_device", static_cast<int>(rules.device.is_any()));
  statement.bind(":kind", rules.device.kind);
  statement.bind(":name", rules.device.name);
  statement.bind(":name_part", rules.device.name_part);
  statement.bind(":seeds", static_cast<int>(rules.seeds));
  statement.bind(":present", nlohmann::json(rules.present_fingerprints).dump());
  statement.bind(":families", nlohmann::json(rules.families).dump());
  return statement;
}

PruneReport describe_selection(SQLite::Database& database, const PruneRules& rules) {
  const auto count = [](const SQLite::Column& column) {
    return static_cast<std::size_t>(column.getInt64());
  };
  PruneReport report;
  SQLite::Statement groups = prepare(database, rules, kGroups);
  while (groups.executeStep()) {
    report.groups.push_back({.device_name = groups.getColumn(0).getString(),
                             .driver = groups.getColumn(1).getString(),
                             .compiler = groups.getColumn(2).getString(),
                             .is_seed = groups.getColumn(3).getInt() != 0,
                             .measurements = count(groups.getColumn(4)),
                             .problems = count(groups.getColumn(5))});
  }
  SQLite::Statement kept = prepare(database, rules, "SELECT count(*) FROM wanted WHERE is_kept");
  kept.executeStep();
  report.kept_best = count(kept.getColumn(0));
  return report;
}

// No program finds them any more: what is left to be found has present sources, or is of a family
// that is not known here.
void delete_old_kernels(SQLite::Database& database, const PruneRules& rules) {
  SQLite::Statement statement(
      database,
      with_views() +
          "DELETE FROM kernel WHERE template_fingerprint NOT IN ("
          "SELECT value FROM json_each(?) UNION SELECT template_fingerprint FROM result)");
  statement.bind(1, nlohmann::json(rules.present_fingerprints).dump());
  statement.exec();
}

}  // namespace

PruneReport preview_prune(const std::string& path, const PruneRules& rules) {
  const SqliteConnection connection(path, OpenMode::read_only);
  return connection.read("read", [&](SQLite::Database& database) {
    const SQLite::Transaction snapshot(database);
    return describe_selection(database, rules);
  });
}

PruneReport prune_database(const std::string& path, const PruneRules& rules) {
  require_database(path);
  SqliteConnection connection(path, OpenMode::read_write);
  // Looks at all measurements for each row that goes. What is deleted is what none refers to.
  connection.exec("open", "PRAGMA foreign_keys = OFF");
  return connection.write("remove measurements from", [&](SQLite::Database& database) {
    PruneReport report = describe_selection(database, rules);
    prepare(database, rules,
            "DELETE FROM measurement WHERE measurement_id IN (SELECT measurement_id FROM goes)")
        .exec();
    database.exec(kDeleteUnused);
    if (rules.seeds) delete_old_kernels(database, rules);
    return report;
  });
}

}  // namespace foldtune
