/// What the store asks SQLite. None of it may look at all measurements, of which there may be
/// millions; the tests of scale hold it to that.
#pragma once

namespace foldtune {

// The best result of each run that `find` may take. Such a run costs one step, so the time of a
// look-up does not depend on how many configurations were tried. CROSS JOIN keeps the order: SQLite
// knows nothing of the tables' sizes. A process may run it once, so the time to prepare it counts;
// a query that ranks the rows, too, takes three times as long.
inline constexpr const char* kCandidates = R"sql(
SELECT b.measurement_id, b.round, b.median_us, p.size_class, r.device_id, r.compiler,
  d.fingerprint <> :device_fingerprint OR :compiler NOT IN ('', r.compiler) AS is_marked
FROM problem p
CROSS JOIN best_of_run b ON b.problem_id = p.id
CROSS JOIN run r ON r.id = b.run_id
CROSS JOIN device d ON d.id = r.device_id
WHERE p.family = :family AND p.op = :op AND p.element_type = :element_type
  AND p.accumulator_type = :accumulator_type AND p.alignment = :alignment
  AND p.determinism = :determinism AND p.options = :options
  AND p.size_class BETWEEN :size_class - :near_size_classes AND :size_class + :near_size_classes
  AND r.template_fingerprint = :template_fingerprint
  AND ((d.fingerprint = :device_fingerprint AND :compiler IN ('', r.compiler))
    OR (d.kind, d.name, d.architecture, d.multiprocessor_count, d.memory_clock_khz,
        d.memory_bus_bits, d.l2_bytes)
     = (:kind, :name, :architecture, :multiprocessor_count, :memory_clock_khz, :memory_bus_bits,
        :l2_bytes))
)sql";

// The row of the view `result`, as far as it is read. To prepare a query of the view takes three
// times as long, since SQLite expands views and chooses the order of joins.
inline constexpr const char* kResult = R"sql(
SELECT m.id AS measurement_id, m.run_id, r.started_at, d.fingerprint AS device_fingerprint,
  d.kind AS device_kind, d.name AS device_name, d.architecture AS device_architecture,
  d.multiprocessor_count AS device_multiprocessor_count,
  d.memory_clock_khz AS device_memory_clock_khz, d.memory_bus_bits AS device_memory_bus_bits,
  d.l2_bytes AS device_l2_bytes, d.driver AS device_driver, r.template_fingerprint, r.compiler,
  r.foldtune_version, r.command, r.seed, r.read_bandwidth_gbps, p.family, p.op, p.element_type,
  p.accumulator_type, p.alignment, p.determinism, p.options, p.size_class, m.measured_at,
  m.element_count, m.input_bytes, c.params, m.is_default, m.round, m.outcome, m.failure,
  m.samples_us, m.median_us, m.mad_us, m.discarded_samples, m.hot_us, m.stream_us, m.latency_us,
  m.registers, m.shared_bytes, m.local_bytes, m.occupancy, m.compile_ms, m.sm_clock_mhz,
  m.memory_clock_mhz
FROM measurement m
CROSS JOIN run r ON r.id = m.run_id
CROSS JOIN device d ON d.id = r.device_id
CROSS JOIN problem p ON p.id = m.problem_id
CROSS JOIN config c ON c.id = m.config_id
WHERE m.id = :measurement_id
)sql";

inline constexpr const char* kBest = R"sql(
SELECT * FROM best
ORDER BY device_name, device_fingerprint, family, op, element_type, accumulator_type, alignment,
  determinism, options, size_class, template_fingerprint, compiler
)sql";

inline constexpr const char* kChoicesOfProblem = R"sql(
SELECT * FROM result WHERE measurement_id IN (
  SELECT m.id
  FROM problem p
  JOIN measurement m ON m.problem_id = p.id
  WHERE p.family = :family AND p.op = :op AND p.element_type = :element_type
    AND p.accumulator_type = :accumulator_type AND p.alignment = :alignment
    AND p.determinism = :determinism AND p.options = :options AND p.size_class = :size_class
    AND m.round > 1)
ORDER BY measurement_id
)sql";

// Both indexes are used: run_by_key, then measurement_by_problem. In another order SQLite would go
// through the measurements of all runs.
inline constexpr const char* kMeasurementsOfKey = R"sql(
SELECT * FROM result WHERE measurement_id IN (
  SELECT m.id
  FROM device d
  CROSS JOIN run r ON r.device_id = d.id
  CROSS JOIN problem p
  CROSS JOIN measurement m ON m.problem_id = p.id AND m.run_id = r.id
  WHERE d.fingerprint = :device_fingerprint
    AND r.template_fingerprint = :template_fingerprint AND r.compiler = :compiler
    AND p.family = :family AND p.op = :op AND p.element_type = :element_type
    AND p.accumulator_type = :accumulator_type AND p.alignment = :alignment
    AND p.determinism = :determinism AND p.options = :options AND p.size_class = :size_class)
ORDER BY measurement_id
)sql";

// `tier` is the contract's number. As in kCandidates, a pair of a run and a problem costs one step.
inline constexpr const char* kRelated = R"sql(
WITH near AS (
  SELECT id, size_class, op, element_type,
    (op, element_type, accumulator_type, alignment, determinism, options) =
      (:op, :element_type, :accumulator_type, :alignment, :determinism, :options) AS same,
    abs(size_class - :size_class) AS distance
  FROM problem
  WHERE family = :family
), origin AS (
  SELECT r.id, r.device_id, r.template_fingerprint, r.compiler,
    (d.fingerprint, r.template_fingerprint, r.compiler) =
      (:device_fingerprint, :template_fingerprint, :compiler) AS same
  FROM run r JOIN device d ON d.id = r.device_id
), pair AS (
  SELECT o.id AS run_id, o.device_id, o.template_fingerprint, o.compiler, n.id AS problem_id,
    n.size_class, n.distance,
    n.op <> :op AS other_op, n.element_type <> :element_type AS other_type,
    CASE WHEN NOT o.same THEN 3 WHEN n.same THEN 1 ELSE 2 END AS tier
  FROM origin o JOIN near n ON CASE WHEN o.same AND n.same THEN n.distance > 0
                                    ELSE (o.same OR n.same) AND n.distance <= :near_size_classes END
), ranked AS (
  SELECT b.measurement_id AS id, pair.*, row_number() OVER (
    PARTITION BY device_id, template_fingerprint, compiler, pair.problem_id
    ORDER BY b.round DESC, b.median_us, b.measurement_id DESC) AS place
  FROM pair
  JOIN best_of_run b ON b.problem_id = pair.problem_id AND b.run_id = pair.run_id
), likest AS (
  SELECT id, row_number() OVER (
    ORDER BY tier, distance, other_op, other_type, size_class, id DESC) AS place
  FROM ranked WHERE place = 1
  ORDER BY place LIMIT :most
)
SELECT result.* FROM likest JOIN result ON measurement_id = likest.id ORDER BY likest.place
)sql";

}  // namespace foldtune
