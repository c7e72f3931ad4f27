/// What made a database of version 2 one of version 3, and so every one of version 3: a copy that
/// does not follow cache/migrations.cpp.
#pragma once

namespace foldtune::test {

inline constexpr const char* kSchemaVersion3 = R"sql(
-- A CHECK constraint cannot be altered, so the table is built anew.
DROP VIEW best;
DROP VIEW result;

CREATE TABLE new_measurement (
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
INSERT INTO new_measurement
SELECT id, run_id, problem_id, config_id, measured_at, element_count, input_bytes, is_default,
  round, outcome, failure, samples_us, median_us, 0, 0, 0, 0, 0, registers, shared_bytes,
  local_bytes, occupancy, compile_ms, sm_clock_mhz, memory_clock_mhz
FROM measurement;

DROP TABLE measurement;
PRAGMA legacy_alter_table = ON;  -- or views that users made over ours, now missing, forbid it
ALTER TABLE new_measurement RENAME TO measurement;
PRAGMA legacy_alter_table = OFF;

-- Walked from its start, it gives the best measurement of a problem in a run.
CREATE INDEX measurement_by_rank ON measurement (problem_id, run_id, round DESC, median_us, id DESC)
  WHERE outcome = 'ok';
-- All measurements of a problem in a run.
CREATE INDEX measurement_by_problem ON measurement (problem_id, run_id);

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
  SELECT id FROM (
    SELECT m.id, row_number() OVER (
      PARTITION BY r.device_id, r.template_fingerprint, r.compiler, m.problem_id
      ORDER BY m.round DESC, m.median_us, m.id DESC) AS place
    FROM measurement m JOIN run r ON r.id = m.run_id
    WHERE m.outcome = 'ok')
  WHERE place = 1);
PRAGMA user_version = 3;
)sql";

}  // namespace foldtune::test
