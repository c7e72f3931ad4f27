#include "cache/schema.h"

#include <SQLiteCpp/Savepoint.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include <map>

#include "cache/store_error.h"

namespace foldtune {
namespace {

constexpr const char* kTables = R"sql(
PRAGMA application_id = 0x464C4454;

CREATE TABLE device (
  id                    INTEGER PRIMARY KEY,
  fingerprint           TEXT NOT NULL UNIQUE,
  kind                  TEXT NOT NULL,
  name                  TEXT NOT NULL,
  architecture          TEXT NOT NULL,
  multiprocessor_count  INTEGER NOT NULL CHECK (multiprocessor_count >= 0),
  memory_clock_khz      INTEGER NOT NULL CHECK (memory_clock_khz >= 0),
  memory_bus_bits       INTEGER NOT NULL CHECK (memory_bus_bits >= 0),
  l2_bytes              INTEGER NOT NULL CHECK (l2_bytes >= 0),
  driver                TEXT NOT NULL
) STRICT;

CREATE TABLE run (
  id                    INTEGER PRIMARY KEY,
  device_id             INTEGER NOT NULL REFERENCES device (id),
  template_fingerprint  TEXT NOT NULL,
  compiler              TEXT NOT NULL,
  foldtune_version      TEXT NOT NULL,
  command               TEXT NOT NULL,
  seed                  TEXT NOT NULL,  -- decimal: SQLite's integers do not hold 64 unsigned bits
  read_bandwidth_gbps   REAL NOT NULL CHECK (read_bandwidth_gbps >= 0),
  started_at            TEXT NOT NULL
) STRICT;
CREATE INDEX run_by_key ON run (device_id, template_fingerprint, compiler);

CREATE TABLE problem (
  id                    INTEGER PRIMARY KEY,
  family                TEXT NOT NULL,
  op                    TEXT NOT NULL,
  element_type          TEXT NOT NULL,
  accumulator_type      TEXT NOT NULL,
  alignment             TEXT NOT NULL,
  determinism           TEXT NOT NULL,
  options               TEXT NOT NULL,
  size_class            INTEGER NOT NULL,
  UNIQUE (family, op, element_type, accumulator_type, alignment, determinism, options, size_class)
) STRICT;

CREATE TABLE config (
  id                    INTEGER PRIMARY KEY,
  params                TEXT NOT NULL UNIQUE
                        CHECK (json_valid(params) AND json_type(params) = 'object')
) STRICT;

CREATE TABLE measurement (
  id                    INTEGER PRIMARY KEY,
  run_id                INTEGER NOT NULL REFERENCES run (id),
  problem_id            INTEGER NOT NULL REFERENCES problem (id),
  config_id             INTEGER NOT NULL REFERENCES config (id),
  measured_at           TEXT NOT NULL,
  element_count         INTEGER NOT NULL CHECK (element_count >= 0),
  input_bytes           INTEGER NOT NULL CHECK (input_bytes >= 0),
  is_default            INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  round                 INTEGER NOT NULL CHECK (round >= 0),
  outcome               TEXT NOT NULL CHECK (outcome IN ('ok', 'compile_error', 'load_error',
                                             'launch_error', 'wrong_result', 'timing_error',
                                             'out_of_memory', 'crashed', 'timeout')),
  failure               TEXT NOT NULL,
  samples_us            TEXT NOT NULL
                        CHECK (json_valid(samples_us) AND json_type(samples_us) = 'array'),
  median_us             REAL NOT NULL CHECK (median_us >= 0),
  mad_us                REAL NOT NULL CHECK (mad_us >= 0),
  discarded_samples     INTEGER NOT NULL CHECK (discarded_samples >= 0),
  hot_us                REAL NOT NULL CHECK (hot_us >= 0),
  stream_us             REAL NOT NULL CHECK (stream_us >= 0),
  latency_us            REAL NOT NULL CHECK (latency_us >= 0),
  registers             INTEGER NOT NULL CHECK (registers >= 0),
  shared_bytes          INTEGER NOT NULL CHECK (shared_bytes >= 0),
  local_bytes           INTEGER NOT NULL CHECK (local_bytes >= 0),
  occupancy             REAL NOT NULL CHECK (occupancy BETWEEN 0 AND 1),
  compile_ms            REAL NOT NULL CHECK (compile_ms >= 0),
  sm_clock_mhz          INTEGER NOT NULL CHECK (sm_clock_mhz >= 0),
  memory_clock_mhz      INTEGER NOT NULL CHECK (memory_clock_mhz >= 0),
  CHECK (outcome <> 'ok' OR (median_us > 0 AND failure = ''))
) STRICT;
-- All measurements of a problem in a run, or those of a configuration.
CREATE INDEX measurement_by_problem ON measurement (problem_id, run_id, config_id);

-- Which measurement is the best of a problem, without a look at all the others: kept by triggers,
-- whoever writes. It is by runs, so that what a run is of need not be known here.
CREATE TABLE best_of_run (
  problem_id            INTEGER NOT NULL,
  run_id                INTEGER NOT NULL,
  round                 INTEGER NOT NULL,
  median_us             REAL NOT NULL,
  measurement_id        INTEGER NOT NULL,
  PRIMARY KEY (problem_id, run_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER measurement_added AFTER INSERT ON measurement WHEN NEW.outcome = 'ok' BEGIN
  INSERT INTO best_of_run
  VALUES (NEW.problem_id, NEW.run_id, NEW.round, NEW.median_us, NEW.id)
  ON CONFLICT (problem_id, run_id) DO UPDATE
  SET round = excluded.round, median_us = excluded.median_us,
    measurement_id = excluded.measurement_id
  WHERE (-excluded.round, excluded.median_us, -excluded.measurement_id)
      < (-round, median_us, -measurement_id);
END;

CREATE TRIGGER measurement_removed AFTER DELETE ON measurement WHEN OLD.outcome = 'ok' BEGIN
  DELETE FROM best_of_run
  WHERE problem_id = OLD.problem_id AND run_id = OLD.run_id AND measurement_id = OLD.id;
  INSERT INTO best_of_run
  SELECT problem_id, run_id, round, median_us, id FROM measurement
  WHERE problem_id = OLD.problem_id AND run_id = OLD.run_id AND outcome = 'ok'
    AND NOT EXISTS (SELECT 1 FROM best_of_run
                    WHERE problem_id = OLD.problem_id AND run_id = OLD.run_id)
  ORDER BY round DESC, median_us, id DESC LIMIT 1;
END;

CREATE TRIGGER measurement_changed
AFTER UPDATE OF id, run_id, problem_id, outcome, round, median_us ON measurement BEGIN
  DELETE FROM best_of_run
  WHERE problem_id = OLD.problem_id AND run_id = OLD.run_id AND measurement_id = OLD.id;
  INSERT INTO best_of_run
  SELECT problem_id, run_id, round, median_us, id FROM measurement
  WHERE problem_id = OLD.problem_id AND run_id = OLD.run_id AND outcome = 'ok'
    AND NOT EXISTS (SELECT 1 FROM best_of_run
                    WHERE problem_id = OLD.problem_id AND run_id = OLD.run_id)
  ORDER BY round DESC, median_us, id DESC LIMIT 1;
  INSERT INTO best_of_run
  SELECT NEW.problem_id, NEW.run_id, NEW.round, NEW.median_us, NEW.id WHERE NEW.outcome = 'ok'
  ON CONFLICT (problem_id, run_id) DO UPDATE
  SET round = excluded.round, median_us = excluded.median_us,
    measurement_id = excluded.measurement_id
  WHERE (-excluded.round, excluded.median_us, -excluded.measurement_id)
      < (-round, median_us, -measurement_id);
END;

-- Compiled kernels, a cache. The image is the last column, so that nothing else reads its pages.
CREATE TABLE kernel (
  id                    INTEGER PRIMARY KEY,
  program               TEXT NOT NULL,
  architecture          TEXT NOT NULL,
  compiler              TEXT NOT NULL,
  template_fingerprint  TEXT NOT NULL,
  name                  TEXT NOT NULL,
  lowered_names         TEXT NOT NULL
                        CHECK (json_valid(lowered_names) AND json_type(lowered_names) = 'array'),
  compile_ms            REAL NOT NULL CHECK (compile_ms >= 0),
  used_at               TEXT NOT NULL,
  image_bytes           INTEGER NOT NULL CHECK (image_bytes = length(image)),
  hash                  TEXT NOT NULL,
  image                 BLOB NOT NULL,
  UNIQUE (program, architecture, compiler)
) STRICT;
-- All that the size of the cache is kept by.
CREATE INDEX kernel_by_use ON kernel (used_at, id, image_bytes);

CREATE VIEW result AS
SELECT
  m.id AS measurement_id, m.measured_at, m.run_id,
  d.fingerprint AS device_fingerprint, d.kind AS device_kind, d.name AS device_name,
  d.architecture AS device_architecture, d.multiprocessor_count AS device_multiprocessor_count,
  d.memory_clock_khz AS device_memory_clock_khz, d.memory_bus_bits AS device_memory_bus_bits,
  d.l2_bytes AS device_l2_bytes, d.driver AS device_driver,
  r.template_fingerprint, r.compiler, r.foldtune_version, r.command, r.seed, r.started_at,
  r.read_bandwidth_gbps,
  p.family, p.op, p.element_type, p.accumulator_type, p.alignment, p.determinism, p.options,
  p.size_class, m.element_count, m.input_bytes, c.params, m.is_default, m.round, m.outcome,
  m.failure, m.median_us, m.mad_us, m.discarded_samples,
  nullif(m.hot_us, 0) AS hot_us, nullif(m.stream_us, 0) AS stream_us,
  nullif(m.latency_us, 0) AS latency_us,
  CASE WHEN m.outcome = 'ok' THEN m.input_bytes / m.median_us / 1e3 END AS bandwidth_gbps,
  CASE WHEN m.outcome = 'ok' AND r.read_bandwidth_gbps > 0
       THEN 100.0 * (m.input_bytes / m.median_us / 1e3) / r.read_bandwidth_gbps
       END AS percent_of_read_bandwidth,
  m.registers, m.shared_bytes, m.local_bytes, m.occupancy, m.compile_ms, m.sm_clock_mhz,
  m.memory_clock_mhz, m.samples_us
FROM measurement m
JOIN run r ON r.id = m.run_id
JOIN device d ON d.id = r.device_id
JOIN problem p ON p.id = m.problem_id
JOIN config c ON c.id = m.config_id;

CREATE VIEW best AS
SELECT * FROM result WHERE measurement_id IN (
  SELECT measurement_id FROM (
    SELECT b.measurement_id, row_number() OVER (
      PARTITION BY r.device_id, r.template_fingerprint, r.compiler, b.problem_id
      ORDER BY b.round DESC, b.median_us, b.measurement_id DESC) AS place
    FROM best_of_run b JOIN run r ON r.id = b.run_id)
  WHERE place = 1);
)sql";

int integer(const SQLite::Database& database, const char* query) {
  SQLite::Statement statement(database, query);
  statement.executeStep();
  return statement.getColumn(0).getInt();
}

/// The statements of all tables, indexes, triggers and views, by kind and name: "view best".
std::map<std::string, std::string> objects_of(SQLite::Database& database) {
  std::map<std::string, std::string> objects;
  SQLite::Statement rows(
      database, "SELECT type || ' ' || name, sql FROM sqlite_schema WHERE sql IS NOT NULL");
  while (rows.executeStep()) {
    objects.emplace(rows.getColumn(0).getString(), rows.getColumn(1).getString());
  }
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
        "as it is; choose another file with --db or FOLDTUNE_DB",
        path.string()));
  }
  if (version != kSchemaVersion) {
    throw StoreError(fmt::format(
        "cannot open the tuning database {}: its schema is of version {}, and this Foldtune reads "
        "version {} alone; it was left as it is: choose another file with --db or FOLDTUNE_DB, or "
        "export its measurements with the Foldtune that wrote it",
        path.string(), version, kSchemaVersion));
  }
  return true;
}

void ensure_schema(SQLite::Database& database, const std::filesystem::path& path) {
  if (has_schema(database, path)) return;
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  // Asked again, now that nobody else can write: another process may have been faster.
  if (has_schema(database, path)) return;
  database.exec(kTables);
  database.exec(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
  transaction.commit();
}

std::vector<SchemaFault> schema_faults(SQLite::Database& database) {
  SQLite::Database blank(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  blank.exec(kTables);
  const std::map<std::string, std::string> objects = objects_of(database);
  std::vector<SchemaFault> faults;
  for (const auto& [name, sql] : objects_of(blank)) {
    const auto found = objects.find(name);
    if (found != objects.end() && found->second == sql) continue;
    faults.push_back({.object = name, .is_missing = found == objects.end()});
  }
  return faults;
}

}  // namespace foldtune
