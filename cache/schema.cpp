#include "cache/schema.h"

#include <SQLiteCpp/Savepoint.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include <map>
#include <type_traits>
#include <utility>

#include "cache/columns.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

/// "name TYPE" of the columns that it visits, each after a comma.
class Definitions {
 public:
  template <class Field>
  void operator()(const ColumnInfo& column, const Field& field) {
    text_ += fmt::format(",\n  {} {}{}", column.name, type_of(field),
                         column.is_optional ? "" : " NOT NULL");
  }
  std::string take() { return std::move(text_); }

 private:
  template <class Field>
  static const char* type_of(const Field&) {
    if constexpr (std::is_floating_point_v<Field>) return "REAL";
    return std::is_integral_v<Field> ? "INTEGER" : "TEXT";
  }

  std::string text_;
};

/// The definitions of what `visit` visits.
template <class Visit>
std::string definitions(Visit visit) {
  Definitions columns;
  visit(columns);
  return columns.take();
}

std::string problem_names() {
  std::string names;
  const MeasurementRecord measurement;
  visit_problem_columns(measurement, [&](const ColumnInfo& column, const auto&) {
    names.append(names.empty() ? "" : ", ").append(column.name);
  });
  return names;
}

// The views' queries.
constexpr const char* kResultQuery = R"sql(SELECT *,
  CASE outcome WHEN 'ok' THEN input_bytes / median_us / 1e3 END AS bandwidth_gbps,
  CASE outcome WHEN 'ok' THEN input_bytes / median_us / 10 / read_bandwidth_gbps END
    AS percent_of_read_bandwidth,
  measurement_id IN (SELECT measurement_id FROM pin) AS is_pinned
FROM measurement JOIN run USING (run_id) JOIN problem USING (problem_id)
  JOIN config USING (config_id))sql";
constexpr const char* kBestQuery = R"sql(SELECT * FROM result WHERE measurement_id IN (
  SELECT measurement_id FROM (
    SELECT measurement_id, row_number() OVER (
      PARTITION BY problem_id, device_fingerprint, device_driver, compiler
      ORDER BY measurement_id NOT IN (SELECT measurement_id FROM pin), imported_from <> '',
        round DESC, median_us, measurement_id DESC) AS place
    FROM measurement JOIN run USING (run_id)
    WHERE round > 1 AND outcome = 'ok')
  WHERE place = 1))sql";

std::string view_sql() {
  return fmt::format("CREATE VIEW result AS\n{};\nCREATE VIEW best AS\n{};\n", kResultQuery,
                     kBestQuery);
}

// A look-up parses all of this, so it is short: no rule that the store and `foldtune doctor` hold
// values to is here once more.
const std::string& schema_sql() {
  static const StoredResult row;
  static const std::string sql =
      fmt::format(
          R"sql(
PRAGMA application_id = {};
PRAGMA user_version = {};
CREATE TABLE run (
  run_id INTEGER PRIMARY KEY{}) STRICT;
CREATE TABLE problem (
  problem_id INTEGER PRIMARY KEY{},
  UNIQUE ({})) STRICT;
CREATE TABLE config (
  config_id INTEGER PRIMARY KEY{},
  UNIQUE (params)) STRICT;
CREATE TABLE measurement (
  measurement_id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run,
  problem_id INTEGER NOT NULL REFERENCES problem,
  config_id INTEGER NOT NULL REFERENCES config{}) STRICT;
)sql",
          kApplicationId, kSchemaVersion,
          definitions([](auto& columns) { visit_run(row, columns); }),
          definitions([](auto& columns) { visit_problem_columns(row.measurement, columns); }),
          problem_names(),
          definitions([](auto& columns) { columns(kParamsColumn, row.measurement.params); }),
          definitions([](auto& columns) {
            columns(kMeasuredAtColumn, row.measured_at);
            columns(kImportedFromColumn, row.imported_from);
            visit_own_columns(row.measurement, columns);
          })) +
      R"sql(
-- All measurements of a problem in a run, or those of a configuration.
CREATE INDEX measurement_by_problem ON measurement (problem_id, run_id, config_id);
-- What was chosen, which is what look-ups and best results go by, however much was tried.
CREATE INDEX measurement_by_choice ON measurement (problem_id, run_id)
  WHERE round > 1 AND outcome = 'ok';
-- Choices that stay, whatever is measured later. The names are those of the measurement, so that a
-- look-up sees at once whether its problem has any.
CREATE TABLE pin (
  measurement_id INTEGER PRIMARY KEY REFERENCES measurement,
  family TEXT NOT NULL,
  problem TEXT NOT NULL,
  template_fingerprint TEXT NOT NULL,
  device_fingerprint TEXT NOT NULL,
  pinned_at TEXT NOT NULL) STRICT;
CREATE INDEX pin_by_problem
  ON pin (family, problem, template_fingerprint, device_fingerprint);
-- Compiled kernels, a cache. The image is the last column, so that nothing else reads its pages.
CREATE TABLE kernel (
  kernel_id INTEGER PRIMARY KEY,
  program TEXT NOT NULL,
  architecture TEXT NOT NULL,
  compiler TEXT NOT NULL,
  template_fingerprint TEXT NOT NULL,
  name TEXT NOT NULL,
  lowered_names TEXT NOT NULL,
  compile_ms REAL NOT NULL,
  used_at TEXT NOT NULL,
  image_bytes INTEGER NOT NULL,
  hash TEXT NOT NULL,
  image BLOB NOT NULL,
  UNIQUE (program, architecture, compiler)) STRICT;
-- All that the size of the cache is kept by.
CREATE INDEX kernel_by_use ON kernel (used_at, kernel_id, image_bytes);
)sql" +
      view_sql();
  return sql;
}

int integer(const SQLite::Database& database, const char* query) {
  SQLite::Statement statement(database, query);
  statement.executeStep();
  return statement.getColumn(0).getInt();
}

struct Object {
  std::string table;
  std::string sql;
};

/// All tables, indexes, triggers and views, by kind and name: "view best".
std::map<std::string, Object> objects_of(SQLite::Database& database) {
  std::map<std::string, Object> objects;
  SQLite::Statement rows(
      database,
      "SELECT type || ' ' || name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL");
  while (rows.executeStep()) {
    const auto text = [&](int column) { return rows.getColumn(column).getString(); };
    objects.emplace(text(0), Object{.table = text(1), .sql = text(2)});
  }
  return objects;
}

/// Those of the schema, as SQLite has them.
const std::map<std::string, Object>& expected_objects() {
  static const std::map<std::string, Object> objects = [] {
    SQLite::Database blank(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    blank.exec(schema_sql());
    return objects_of(blank);
  }();
  return objects;
}

}  // namespace

bool has_schema(SQLite::Database& database, const std::filesystem::path& path) {
  // One snapshot for all three: another process may be creating the schema at this moment. Unlike
  // a transaction, a savepoint may lie in another one.
  SQLite::Savepoint snapshot(database, "identify");
  const int application = integer(database, "PRAGMA application_id");
  const int version = integer(database, "PRAGMA user_version");
  const bool is_blank = application == 0 && version == 0 &&
                        integer(database, "SELECT count(*) FROM sqlite_schema") == 0;
  snapshot.release();  // Its destructor alone would leave the transaction open.
  if (is_blank) return false;
  if (application != kApplicationId) {
    throw StoreError(fmt::format(
        "cannot open {} as a tuning database: it is the database of another program, and was left "
        "as it is; name a file of Foldtune (of your own results: --db or FOLDTUNE_DB)",
        path.string()));
  }
  if (version != kSchemaVersion) {
    throw StoreError(fmt::format(
        "cannot open the tuning database {}: its schema is of version {}, and this Foldtune reads "
        "version {} alone; it was left as it is: name another file (of your own results: --db or "
        "FOLDTUNE_DB), or export its measurements with the Foldtune that wrote it",
        path.string(), version, kSchemaVersion));
  }
  return true;
}

void ensure_schema(SQLite::Database& database, const std::filesystem::path& path) {
  if (has_schema(database, path)) return;
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  // Asked again, now that nobody else can write: another process may have been faster.
  if (has_schema(database, path)) return;
  database.exec(schema_sql());
  transaction.commit();
}

const std::string& with_views() {
  // A view in all but its name: its rows are not made before they are asked for.
  static const std::string sql =
      fmt::format("WITH result AS NOT MATERIALIZED ({}), best AS NOT MATERIALIZED ({}) ",
                  kResultQuery, kBestQuery);
  return sql;
}

const char* SchemaFault::what() const {
  switch (kind) {
    case Kind::changed:
      return "is not as the schema has it";
    case Kind::missing:
      return "is missing, though the schema has it";
    case Kind::foreign:
      break;
  }
  return "is none of the schema";
}

std::vector<SchemaFault> schema_faults(SQLite::Database& database) {
  const std::map<std::string, Object>& expected = expected_objects();
  const std::map<std::string, Object> objects = objects_of(database);
  std::vector<SchemaFault> faults;
  for (const auto& [name, object] : expected) {
    const auto found = objects.find(name);
    if (found == objects.end()) {
      faults.push_back({.object = name, .kind = SchemaFault::Kind::missing});
    } else if (found->second.sql != object.sql) {
      faults.push_back({.object = name, .kind = SchemaFault::Kind::changed});
    }
  }
  for (const auto& [name, object] : objects) {
    const bool has_a_part =
        name.starts_with("trigger ") ||
        (name.starts_with("index ") && expected.contains("table " + object.table));
    if (!has_a_part || expected.contains(name)) continue;
    faults.push_back({.object = name, .kind = SchemaFault::Kind::foreign});
  }
  return faults;
}

}  // namespace foldtune
