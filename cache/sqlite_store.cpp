#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cache/config_store.h"
#include "cache/queries.h"
#include "cache/record_check.h"
#include "cache/row_reader.h"
#include "cache/row_writer.h"
#include "cache/sqlite_connection.h"
#include "cache/sqlite_kernels.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

void bind_problem(SQLite::Statement& statement, const ProblemKey& problem) {
  statement.bind(":family", problem.family);
  statement.bind(":op", problem.op);
  statement.bind(":element_type", problem.element_type);
  statement.bind(":accumulator_type", problem.accumulator_type);
  statement.bind(":alignment", problem.alignment);
  statement.bind(":determinism", problem.determinism);
  statement.bind(":options", problem.options);
  statement.bind(":size_class", problem.size_class);
}

void bind_key(SQLite::Statement& statement, const TuningKey& key) {
  statement.bind(":device_fingerprint", key.device_fingerprint);
  statement.bind(":template_fingerprint", key.template_fingerprint);
  statement.bind(":compiler", key.compiler);
  bind_problem(statement, key.problem);
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

/// A row of kCandidates.
struct Candidate {
  std::int64_t measurement_id;
  int round;
  double median_us;
  int size_class;
  std::int64_t device;
  std::string compiler;
  bool is_marked;

  auto key() const { return std::tie(size_class, device, compiler); }
  auto rank_in_key() const { return std::tuple(-round, median_us, -measurement_id); }
};

std::vector<Candidate> fetch_candidates(SQLite::Database& database, const TuningKey& key) {
  SQLite::Statement rows(database, kCandidates);
  bind_key(rows, key);
  bind_hardware(rows, key.device);
  rows.bind(":near_size_classes", kNearSizeClasses);
  std::vector<Candidate> candidates;
  while (rows.executeStep()) {
    candidates.push_back({.measurement_id = rows.getColumn(0).getInt64(),
                          .round = rows.getColumn(1).getInt(),
                          .median_us = rows.getColumn(2).getDouble(),
                          .size_class = rows.getColumn(3).getInt(),
                          .device = rows.getColumn(4).getInt64(),
                          .compiler = rows.getColumn(5).getString(),
                          .is_marked = rows.getColumn(6).getInt() != 0});
  }
  return candidates;
}

/// As `ConfigStore::find` has it, among the best of each key.
std::optional<Candidate> best_candidate(std::vector<Candidate> candidates, const TuningKey& asked) {
  std::ranges::sort(candidates, [](const Candidate& left, const Candidate& right) {
    return std::tuple_cat(left.key(), left.rank_in_key()) <
           std::tuple_cat(right.key(), right.rank_in_key());
  });
  const auto has_same_key = [](const Candidate& left, const Candidate& right) {
    return left.key() == right.key();
  };
  candidates.erase(std::unique(candidates.begin(), candidates.end(), has_same_key),
                   candidates.end());
  const auto best = std::ranges::min_element(candidates, {}, [&](const Candidate& candidate) {
    return std::tuple(std::abs(candidate.size_class - asked.problem.size_class),
                      candidate.is_marked, -candidate.size_class, -candidate.measurement_id);
  });
  if (best == candidates.end()) return std::nullopt;
  return *best;
}

class SqliteStore final : public ConfigStore {
 public:
  explicit SqliteStore(std::shared_ptr<SqliteConnection> connection)
      : connection_(std::move(connection)),
        kernels_(std::make_shared<SqliteKernels>(connection_)) {}

  RunId begin_run(const RunRecord& run) override {
    return connection_->write("store a run in",
                              [this, record = checked(run)](SQLite::Database& database) {
                                return writer(database).insert_run(record, utc_now());
                              });
  }

  void put(RunId run, const MeasurementRecord& measurement) override {
    const MeasurementRecord record = checked(measurement);
    connection_->write("store a measurement in", [&](SQLite::Database& database) {
      if (!writer(database).has_run(run)) {
        throw StoreError(
            fmt::format("cannot store a measurement: run {} is not one of the tuning database {}; "
                        "call begin_run first",
                        run, connection_->path().string()));
      }
      return writer(database).insert_measurement(run, record, utc_now());
    });
  }

  std::optional<Match> find(const TuningKey& key) const override {
    return connection_->read(
        "look up a configuration in", [&](SQLite::Database& database) -> std::optional<Match> {
          const SQLite::Transaction snapshot(database);  // for both queries
          const std::optional<Candidate> found =
              best_candidate(fetch_candidates(database, key), key);
          if (!found) return std::nullopt;
          SQLite::Statement statement(database, kResult);
          statement.bind(":measurement_id", found->measurement_id);
          std::vector<StoredResult> results = fetch_results(statement);
          if (results.empty()) return std::nullopt;
          const bool is_exact = found->size_class == key.problem.size_class;
          return Match{.quality = is_exact ? MatchQuality::exact : MatchQuality::near_size,
                       .is_marked = found->is_marked,
                       .result = std::move(results.front())};
        });
  }

  std::vector<StoredResult> best() const override {
    return fetch("read the best results of", kBest);
  }

  std::vector<StoredResult> measurements_where(
      const std::function<bool(const StoredResult&)>& is_wanted) const override {
    return connection_->read("read the measurements of", [&](SQLite::Database& database) {
      SQLite::Statement statement(database, "SELECT * FROM result ORDER BY measurement_id");
      return fetch_results(statement, is_wanted);
    });
  }

  std::vector<StoredResult> choices_of(const ProblemKey& problem) const override {
    return fetch("read the choices for a problem in", kChoicesOfProblem,
                 [&](SQLite::Statement& statement) { bind_problem(statement, problem); });
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

  std::shared_ptr<KernelStore> kernels() const override { return kernels_; }

 private:
  RowWriter& writer(SQLite::Database& database) {
    if (!writer_) writer_.emplace(database);
    return *writer_;
  }

  template <typename Bind>
  std::vector<StoredResult> fetch(std::string_view doing, const char* query, Bind bind) const {
    return connection_->read(doing, [&](SQLite::Database& database) {
      SQLite::Statement statement(database, query);
      bind(statement);
      return fetch_results(statement);
    });
  }

  std::vector<StoredResult> fetch(std::string_view doing, const char* query) const {
    return fetch(doing, query, [](SQLite::Statement&) {});
  }

  const std::shared_ptr<SqliteConnection> connection_;
  const std::shared_ptr<KernelStore> kernels_;
  std::optional<RowWriter> writer_;
};

}  // namespace

std::unique_ptr<ConfigStore> open_sqlite_store(const std::string& path, OpenMode mode,
                                               const OpenOptions& options) {
  return std::make_unique<SqliteStore>(std::make_shared<SqliteConnection>(path, mode, options));
}

std::unique_ptr<ConfigStore> open_memory_store() {
  return std::make_unique<SqliteStore>(std::make_shared<SqliteConnection>());
}

}  // namespace foldtune
