#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cache/config_store.h"
#include "cache/record_check.h"
#include "cache/row_reader.h"
#include "cache/row_writer.h"
#include "cache/sqlite_connection.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

// A run that measured a problem costs one step, so the time of a look-up does not depend on how
// many configurations were tried. CROSS JOIN keeps the order: SQLite knows nothing of the tables'
// sizes.
constexpr const char* kFind = R"sql(
WITH candidate AS (
  SELECT b.measurement_id, abs(p.size_class - :size_class) AS distance, p.size_class,
    d.fingerprint <> :device_fingerprint OR r.compiler <> :compiler AS is_marked,
    row_number() OVER (
      PARTITION BY p.id, d.id, r.compiler
      ORDER BY b.round DESC, b.median_us, b.measurement_id DESC) AS place
  FROM problem p
  CROSS JOIN best_of_run b ON b.problem_id = p.id
  CROSS JOIN run r ON r.id = b.run_id
  CROSS JOIN device d ON d.id = r.device_id
  WHERE p.family = :family AND p.op = :op AND p.element_type = :element_type
    AND p.accumulator_type = :accumulator_type AND p.alignment = :alignment
    AND p.determinism = :determinism AND p.options = :options
    AND p.size_class BETWEEN :size_class - :near_size_classes AND :size_class + :near_size_classes
    AND r.template_fingerprint = :template_fingerprint
    AND ((d.fingerprint = :device_fingerprint AND r.compiler = :compiler)
      OR (d.kind, d.name, d.architecture, d.multiprocessor_count, d.memory_clock_khz,
          d.memory_bus_bits, d.l2_bytes)
       = (:kind, :name, :architecture, :multiprocessor_count, :memory_clock_khz, :memory_bus_bits,
          :l2_bytes))
)
SELECT * FROM result WHERE measurement_id = (
  SELECT measurement_id FROM candidate WHERE place = 1
  ORDER BY distance, is_marked, size_class, measurement_id DESC LIMIT 1)
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

// `tier` is the contract's number. As in kFind, a pair of a run and a problem costs one step.
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

// Without a device nothing is bound, and NULL is equal to no column.
void bind_hardware(SQLite::Statement& statement, const std::optional<DeviceRecord>& device) {
  if (!device) return;
  statement.bind(":kind", device->kind);
  statement.bind(":name", device->name);
  statement.bind(":architecture", device->architecture);
  statement.bind(":multiprocessor_count", device->multiprocessor_count);
  statement.bind(":memory_clock_khz", device->memory_clock_khz);
  statement.bind(":memory_bus_bits", device->memory_bus_bits);
  statement.bind(":l2_bytes", device->l2_bytes);
}

// SQLite takes a negative limit for none, so no number of results may become one.
constexpr std::size_t kMostRelated = std::size_t{1} << 32;

bool is_of(const RunRecord& run, const TuningKey& key) {
  return run.device.fingerprint() == key.device_fingerprint && run.compiler == key.compiler;
}

class SqliteStore final : public ConfigStore {
 public:
  SqliteStore(const std::string& path, OpenMode mode) : connection_(path, mode) {}

  RunId begin_run(const RunRecord& run) override {
    return connection_.write("store a run in", [this, record = checked(run)](SQLite::Database& database) {
      return writer(database).insert_run(record, utc_now());
    });
  }

  void put(RunId run, const MeasurementRecord& measurement) override {
    const MeasurementRecord record = checked(measurement);
    connection_.write("store a measurement in", [&](SQLite::Database& database) {
      if (!writer(database).has_run(run)) {
        throw StoreError(
            fmt::format("cannot store a measurement: run {} is not one of the tuning database {}; "
                        "call begin_run first",
                        run, connection_.path().string()));
      }
      return writer(database).insert_measurement(run, record, utc_now());
    });
  }

  std::optional<Match> find(const TuningKey& key) const override {
    const auto found =
        fetch("look up a configuration in", kFind, [&](SQLite::Statement& statement) {
          bind_key(statement, key);
          bind_hardware(statement, key.device);
          statement.bind(":near_size_classes", kNearSizeClasses);
        });
    if (found.empty()) return std::nullopt;
    const StoredResult& result = found.front();
    const bool is_exact = result.measurement.problem.size_class == key.problem.size_class;
    return Match{.quality = is_exact ? MatchQuality::exact : MatchQuality::near_size,
                 .is_marked = !is_of(result.run, key),
                 .result = result};
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
  RowWriter& writer(SQLite::Database& database) {
    if (!writer_) writer_.emplace(database);
    return *writer_;
  }

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
  std::optional<RowWriter> writer_;
};

}  // namespace

std::unique_ptr<ConfigStore> open_sqlite_store(const std::string& path, OpenMode mode) {
  return std::make_unique<SqliteStore>(path, mode);
}

}  // namespace foldtune
