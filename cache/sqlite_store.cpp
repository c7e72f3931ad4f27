#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <algorithm>

#include "cache/config_store.h"
#include "cache/record_check.h"
#include "cache/sqlite_connection.h"
#include "cache/sqlite_rows.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

// The inner query takes one step into an index for each run and size class, so that the time of a
// look-up does not depend on how many configurations were tried.
constexpr const char* kFind = R"sql(
SELECT * FROM result WHERE measurement_id = (
  SELECT m.id
  FROM device d
  JOIN run r ON r.device_id = d.id
  JOIN problem p
  JOIN measurement m ON m.id = (
    SELECT id FROM measurement
    WHERE problem_id = p.id AND run_id = r.id AND outcome = 'ok'
    ORDER BY round DESC, median_us, id DESC LIMIT 1)
  WHERE d.fingerprint = :device_fingerprint
    AND r.template_fingerprint = :template_fingerprint AND r.compiler = :compiler
    AND p.family = :family AND p.op = :op AND p.element_type = :element_type
    AND p.accumulator_type = :accumulator_type AND p.alignment = :alignment
    AND p.determinism = :determinism AND p.options = :options
    AND p.size_class BETWEEN :size_class - :near_size_classes AND :size_class + :near_size_classes
  ORDER BY abs(p.size_class - :size_class), p.size_class, m.round DESC, m.median_us, m.id DESC
  LIMIT 1)
)sql";

constexpr const char* kBest = R"sql(
SELECT * FROM best
ORDER BY device_name, device_fingerprint, family, op, element_type, accumulator_type, alignment,
  determinism, options, size_class, template_fingerprint, compiler
)sql";

// Both indexes are used: run_by_key, then measurement_by_problem.
constexpr const char* kMeasurementsOfKey = R"sql(
SELECT * FROM result WHERE measurement_id IN (
  SELECT m.id
  FROM device d
  JOIN run r ON r.device_id = d.id
  JOIN problem p
  JOIN measurement m ON m.problem_id = p.id AND m.run_id = r.id
  WHERE d.fingerprint = :device_fingerprint
    AND r.template_fingerprint = :template_fingerprint AND r.compiler = :compiler
    AND p.family = :family AND p.op = :op AND p.element_type = :element_type
    AND p.accumulator_type = :accumulator_type AND p.alignment = :alignment
    AND p.determinism = :determinism AND p.options = :options AND p.size_class = :size_class)
ORDER BY measurement_id
)sql";

// `tier` is the contract's number. As in kFind, a pair of a run and a problem costs one step into
// measurement_by_rank, however many configurations were tried.
constexpr const char* kRelated = R"sql(
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
  SELECT m.id, pair.*, row_number() OVER (
    PARTITION BY device_id, template_fingerprint, compiler, pair.problem_id
    ORDER BY m.round DESC, m.median_us, m.id DESC) AS place
  FROM pair
  JOIN measurement m ON m.id = (
    SELECT id FROM measurement
    WHERE problem_id = pair.problem_id AND run_id = pair.run_id AND outcome = 'ok'
    ORDER BY round DESC, median_us, id DESC LIMIT 1)
), likest AS (
  SELECT id, row_number() OVER (
    ORDER BY tier, distance, other_op, other_type, size_class, id DESC) AS place
  FROM ranked WHERE place = 1
  ORDER BY place LIMIT :most
)
SELECT result.* FROM likest JOIN result ON measurement_id = likest.id ORDER BY likest.place
)sql";

void bind_key(SQLite::Statement& statement, const TuningKey& key) {
  statement.bind(":device_fingerprint", key.device_fingerprint);
  statement.bind(":template_fingerprint", key.template_fingerprint);
  statement.bind(":compiler", key.compiler);
  statement.bind(":family", key.problem.family);
  statement.bind(":op", key.problem.op);
  statement.bind(":element_type", key.problem.element_type);
  statement.bind(":accumulator_type", key.problem.accumulator_type);
  statement.bind(":alignment", key.problem.alignment);
  statement.bind(":determinism", key.problem.determinism);
  statement.bind(":options", key.problem.options);
  statement.bind(":size_class", key.problem.size_class);
}

// SQLite takes a negative limit for none, so no number of results may become one.
constexpr std::size_t kMostRelated = std::size_t{1} << 32;

bool has_run(SQLite::Database& database, ConfigStore::RunId run) {
  SQLite::Statement statement(database, "SELECT 1 FROM run WHERE id = ?");
  statement.bind(1, run);
  return statement.executeStep();
}

class SqliteStore final : public ConfigStore {
 public:
  SqliteStore(const std::string& path, OpenMode mode, const OpenOptions& options)
      : connection_(path, mode, OldSchema::refuse, options) {}

  RunId begin_run(const RunRecord& run) override {
    return connection_.write("store a run in", [record = checked(run)](SQLite::Database& database) {
      return insert_run(database, record, utc_now());
    });
  }

  void put(RunId run, const MeasurementRecord& measurement) override {
    const MeasurementRecord record = checked(measurement);
    connection_.write("store a measurement in", [&](SQLite::Database& database) {
      if (!has_run(database, run)) {
        throw StoreError(
            fmt::format("cannot store a measurement: run {} is not one of the tuning database {}; "
                        "call begin_run first",
                        run, connection_.path().string()));
      }
      return insert_measurement(database, run, record, utc_now());
    });
  }

  std::optional<Match> find(const TuningKey& key) const override {
    const auto found =
        fetch("look up a configuration in", kFind, [&](SQLite::Statement& statement) {
          bind_key(statement, key);
          statement.bind(":near_size_classes", kNearSizeClasses);
        });
    if (found.empty()) return std::nullopt;
    const bool is_exact = found.front().measurement.problem.size_class == key.problem.size_class;
    return Match{is_exact ? MatchQuality::exact : MatchQuality::near_size, found.front()};
  }

  std::vector<StoredResult> best() const override {
    return fetch("read the best results of", kBest);
  }

  std::vector<StoredResult> measurements() const override {
    return fetch("read the measurements of", "SELECT * FROM result ORDER BY measurement_id");
  }

  std::vector<StoredResult> measurements_of(const TuningKey& key) const override {
    return fetch("read the measurements of a problem in", kMeasurementsOfKey,
                 [&](SQLite::Statement& statement) { bind_key(statement, key); });
  }

  std::vector<StoredResult> related(const TuningKey& key, std::size_t most) const override {
    const auto limit = static_cast<std::int64_t>(std::min<std::size_t>(most, kMostRelated));
    return fetch("read related results of", kRelated, [&](SQLite::Statement& statement) {
      bind_key(statement, key);
      statement.bind(":near_size_classes", kNearSizeClasses);
      statement.bind(":most", limit);
    });
  }

 private:
  template <typename Bind>
  std::vector<StoredResult> fetch(std::string_view doing, const char* query, Bind bind) const {
    return connection_.read(doing, [&](SQLite::Database& database) {
      SQLite::Statement statement(database, query);
      bind(statement);
      return fetch_results(statement);
    });
  }

  std::vector<StoredResult> fetch(std::string_view doing, const char* query) const {
    return fetch(doing, query, [](SQLite::Statement&) {});
  }

  SqliteConnection connection_;
};

}  // namespace

std::unique_ptr<ConfigStore> open_sqlite_store(const std::string& path, OpenMode mode,
                                               const OpenOptions& options) {
  return std::make_unique<SqliteStore>(path, mode, options);
}

}  // namespace foldtune
