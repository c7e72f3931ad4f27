/// What the store asks SQLite. None of it may look at all measurements, of which there may be
/// millions; the tests of scale hold it to that. Those that begin with FROM give rows of the view
/// `result`. The views are the schema's own, not the file's (`with_views`).
#pragma once

#include <string>

#include "cache/rows.h"
#include "cache/schema.h"

namespace foldtune {

/// The statement for a query that begins with FROM.
inline std::string select_results(const char* query) {
  return with_views() + "SELECT " + result_columns() + " " + query;
}

// What `find` may take. A process may run it once, so the time to prepare it counts: it asks for no
// column that a look-up has no use for, ranks nothing, and goes by the tables, since views and a
// free order of joins take SQLite twice as long. CROSS JOIN keeps the order.
inline constexpr const char* kFind = R"sql(
SELECT m.measurement_id, m.round, m.median_us, m.element_count, m.measured_at, p.size_class,
  r.device_driver, r.compiler, c.params, m.imported_from
FROM problem p
CROSS JOIN measurement m ON m.problem_id = p.problem_id
CROSS JOIN run r ON r.run_id = m.run_id
CROSS JOIN config c ON c.config_id = m.config_id
WHERE p.family = :family AND p.op = :op AND p.element_type = :element_type
  AND p.accumulator_type = :accumulator_type AND p.alignment = :alignment
  AND p.determinism = :determinism AND p.options = :options
  AND p.size_class BETWEEN :size_class - :near_size_classes AND :size_class + :near_size_classes
  AND p.template_fingerprint = :template_fingerprint
  AND m.round > 1 AND m.outcome = 'ok'
  AND r.device_fingerprint = :device_fingerprint
)sql";

inline constexpr const char* kBest = R"sql(
FROM best
ORDER BY device_name, device_fingerprint, family, op, element_type, accumulator_type, alignment,
  determinism, options, size_class, template_fingerprint, device_driver, compiler
)sql";

inline constexpr const char* kMeasurements = "FROM result ORDER BY measurement_id";

inline constexpr const char* kChoicesOfProblem = R"sql(
FROM result WHERE measurement_id IN (
  SELECT m.measurement_id
  FROM problem p CROSS JOIN measurement m ON m.problem_id = p.problem_id
  WHERE p.family = :family AND p.op = :op AND p.element_type = :element_type
    AND p.accumulator_type = :accumulator_type AND p.alignment = :alignment
    AND p.determinism = :determinism AND p.options = :options AND p.size_class = :size_class
    AND m.round > 1 AND m.outcome = 'ok')
ORDER BY measurement_id
)sql";

// All runs are looked at, of which there are few, then measurement_by_problem.
inline constexpr const char* kMeasurementsOfKey = R"sql(
FROM result WHERE measurement_id IN (
  SELECT m.measurement_id
  FROM run r
  CROSS JOIN problem p
  CROSS JOIN measurement m ON m.problem_id = p.problem_id AND m.run_id = r.run_id
  WHERE r.device_fingerprint = :device_fingerprint AND r.device_driver = :driver
    AND r.compiler = :compiler
    AND p.family = :family AND p.op = :op AND p.element_type = :element_type
    AND p.accumulator_type = :accumulator_type AND p.alignment = :alignment
    AND p.determinism = :determinism AND p.options = :options AND p.size_class = :size_class
    AND p.template_fingerprint = :template_fingerprint)
ORDER BY measurement_id
)sql";

// `tier` is the contract's number.
inline constexpr const char* kRelated = R"sql(
FROM result JOIN (
  SELECT measurement_id, row_number() OVER (
    ORDER BY tier, distance, other_op, other_type, size_class, measurement_id DESC) AS place
  FROM (
    SELECT *, row_number() OVER (
      PARTITION BY problem_id, device_fingerprint, device_driver, compiler
      ORDER BY imported_from <> '', round DESC, median_us, measurement_id DESC) AS place_in_key,
      CASE WHEN NOT is_origin THEN 3 WHEN is_problem THEN 1 ELSE 2 END AS tier
    FROM (SELECT *, is_place AND (NOT is_problem OR has_kernels) AS is_origin FROM (
      SELECT m.measurement_id, m.imported_from, m.round, m.median_us, m.problem_id, p.size_class,
        r.device_fingerprint, r.device_driver, r.compiler,
        abs(p.size_class - :size_class) AS distance,
        p.op <> :op AS other_op, p.element_type <> :element_type AS other_type,
        (p.op, p.element_type, p.accumulator_type, p.alignment, p.determinism, p.options) =
          (:op, :element_type, :accumulator_type, :alignment, :determinism, :options)
          AS is_problem,
        p.template_fingerprint = :template_fingerprint AS has_kernels,
        (r.device_fingerprint, r.device_driver, r.compiler) =
          (:device_fingerprint, :driver, :compiler) AS is_place
      FROM problem p
      CROSS JOIN measurement m ON m.problem_id = p.problem_id
      CROSS JOIN run r ON r.run_id = m.run_id
      WHERE p.family = :family AND m.round > 1 AND m.outcome = 'ok'))
    WHERE CASE WHEN is_origin AND is_problem THEN distance > 0
               ELSE (is_origin OR is_problem) AND distance <= :near_size_classes END)
  WHERE place_in_key = 1
  ORDER BY place LIMIT :most) USING (measurement_id)
ORDER BY place
)sql";

}  // namespace foldtune
