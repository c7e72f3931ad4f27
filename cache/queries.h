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

// What `find` may take of one bucket. A process may run it once, so the time to prepare it counts:
// it asks for no column that a look-up has no use for, ranks nothing, and goes by the tables, since
// views and a free order of joins take SQLite twice as long. CROSS JOIN keeps the order.
inline constexpr const char* kFind = R"sql(
SELECT m.measurement_id, m.round, m.median_us, m.shape, m.input_bytes, m.measured_at, p.bucket,
  r.device_name, r.device_driver, r.compiler, c.params, m.imported_from,
  :sees_pins AND m.measurement_id IN (SELECT measurement_id FROM pin)
FROM problem p
CROSS JOIN measurement m ON m.problem_id = p.problem_id
CROSS JOIN run r ON r.run_id = m.run_id
CROSS JOIN config c ON c.config_id = m.config_id
WHERE p.family = :family AND p.problem = :problem AND p.layout = :layout AND p.bucket = :bucket
  AND p.conditions = :conditions AND p.template_fingerprint = :template_fingerprint
  AND m.round > 1 AND m.outcome = 'ok'
  AND (r.device_fingerprint = :device_fingerprint OR :device_fingerprint = '')
  AND (NOT :pinned_only OR m.measurement_id IN (SELECT measurement_id FROM pin))
)sql";

// Whether there are pins for a problem. A pin is one of a choice: others, which somebody wrote, are
// nothing.
inline constexpr const char* kHasPins = R"sql(
SELECT EXISTS (
  SELECT 1 FROM pin CROSS JOIN measurement USING (measurement_id)
  WHERE family = :family AND problem = :problem AND template_fingerprint = :template_fingerprint
    AND device_fingerprint = :device_fingerprint AND round > 1 AND outcome = 'ok')
)sql";

inline constexpr const char* kNewest =
    "FROM result WHERE measurement_id IN (SELECT measurement_id FROM measurement "
    "ORDER BY measurement_id DESC LIMIT :most) ORDER BY measurement_id";

inline constexpr const char* kPinnedResults =
    "FROM result WHERE measurement_id IN (SELECT measurement_id FROM pin) ORDER BY measurement_id";

// Where `find` goes on if there is nothing. What the index alone tells: of whatever device.
inline constexpr const char* kBuckets = R"sql(
SELECT bucket FROM problem
WHERE family = :family AND problem = :problem AND layout = :layout
  AND conditions = :conditions AND template_fingerprint = :template_fingerprint
)sql";

// Each from the one before, so that the index is asked once for each and not for all of its rows.
inline constexpr const char* kProblemsOfFamily = R"sql(
WITH RECURSIVE each(problem) AS (
  SELECT min(problem) FROM problem WHERE family = :family
  UNION ALL
  SELECT (SELECT min(problem) FROM problem WHERE family = :family AND problem > each.problem)
  FROM each WHERE each.problem IS NOT NULL)
SELECT problem FROM each WHERE problem IS NOT NULL
)sql";

inline constexpr const char* kBest = R"sql(
FROM best
ORDER BY device_name, device_fingerprint, family, problem, layout, conditions, input_bytes,
  bucket, template_fingerprint, device_driver, compiler
)sql";

inline constexpr const char* kMeasurements = "FROM result ORDER BY measurement_id";

inline constexpr const char* kChoicesOfProblem = R"sql(
FROM result WHERE measurement_id IN (
  SELECT m.measurement_id
  FROM problem p CROSS JOIN measurement m ON m.problem_id = p.problem_id
  WHERE p.family = :family AND p.problem = :problem AND p.layout = :layout AND p.bucket = :bucket
    AND p.conditions = :conditions AND m.round > 1 AND m.outcome = 'ok')
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
    AND p.family = :family AND p.problem = :problem AND p.layout = :layout AND p.bucket = :bucket
    AND p.conditions = :conditions AND p.template_fingerprint = :template_fingerprint)
ORDER BY measurement_id
)sql";

// What tells how like a key the best results of its family are, the newest first.
inline constexpr const char* kRelated = R"sql(
SELECT measurement_id, problem, layout, bucket, input_bytes, template_fingerprint,
  device_fingerprint, device_driver, compiler, conditions
FROM best WHERE family = ? ORDER BY measurement_id DESC
)sql";

// Of ids in a JSON list, in its order.
inline constexpr const char* kMeasurementsById = R"sql(
FROM json_each(:ids) CROSS JOIN result ON measurement_id = value ORDER BY key
)sql";

}  // namespace foldtune
