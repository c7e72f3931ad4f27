#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cache/columns.h"
#include "cache/config_store.h"
#include "cache/queries.h"
#include "cache/record_check.h"
#include "cache/related.h"
#include "cache/rows.h"
#include "cache/sqlite_connection.h"
#include "cache/sqlite_kernels.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

void bind_problem(SQLite::Statement& statement, const ProblemKey& problem) {
  visit_columns(problem, [&](const ColumnInfo& column, const auto& field) {
    statement.bind(std::string(":") + column.name, field);
  });
}

void bind_key(SQLite::Statement& statement, const TuningKey& key) {
  statement.bind(":device_fingerprint", key.device_fingerprint);
  statement.bind(":driver", key.driver);
  statement.bind(":template_fingerprint", key.template_fingerprint);
  statement.bind(":compiler", key.compiler);
  bind_problem(statement, key.problem);
}

/// Reads the row that kFind has come to.
Match read_match(const SQLite::Statement& row, const TuningKey& asked) {
  Match match{.measurement_id = row.getColumn(0).getInt64(),
              .round = row.getColumn(1).getInt(),
              .median_us = row.getColumn(2).getDouble(),
              .shape = row.getColumn(3).getString(),
              .bytes = static_cast<std::uint64_t>(row.getColumn(4).getInt64()),
              .measured_at = row.getColumn(5).getString(),
              .bucket = row.getColumn(6).getString(),
              .device = row.getColumn(7).getString(),
              .driver = row.getColumn(8).getString(),
              .compiler = row.getColumn(9).getString(),
              .params = row.getColumn(10).getString(),
              .imported_from = row.getColumn(11).getString(),
              .is_pinned = row.getColumn(12).getInt() != 0};
  if (match.bucket != asked.problem.bucket) match.quality = MatchQuality::near_size;
  match.is_stale = match.driver != asked.driver || !match.imported_from.empty() ||
                   (!asked.compiler.empty() && match.compiler != asked.compiler);
  return match;
}

/// What may be taken of some buckets. `find` is kFind of the key.
std::vector<Match> matches_in(const std::vector<std::string>& buckets, const TuningKey& key,
                              SQLite::Statement& find) {
  std::vector<Match> matches;
  for (const std::string& bucket : buckets) {
    find.bind(":bucket", bucket);
    while (find.executeStep()) matches.push_back(read_match(find, key));
    find.reset();
  }
  return matches;
}

/// Those with results of other shapes, by their distance.
std::map<int, std::vector<std::string>> near_buckets(SQLite::Database& database,
                                                     const TuningKey& key,
                                                     const BucketDistance& distance) {
  SQLite::Statement rows(database, kBuckets);
  rows.bind(":family", key.problem.family);
  rows.bind(":problem", key.problem.problem);
  rows.bind(":layout", key.problem.layout);
  rows.bind(":conditions", key.problem.conditions);
  rows.bind(":template_fingerprint", key.template_fingerprint);
  std::map<int, std::vector<std::string>> buckets;
  while (rows.executeStep()) {
    const std::string bucket = rows.getColumn(0).getString();
    const std::optional<int> far = distance(bucket);
    if (far) buckets[*far].push_back(bucket);
  }
  return buckets;
}

/// As `ConfigStore::find` has it, among the best of each key in buckets that are equally near.
std::optional<Match> best_match(std::vector<Match> matches) {
  // Of one bucket the size says nothing.
  const bool is_of_one_bucket =
      std::ranges::all_of(matches, [&](const Match& m) { return m.bucket == matches[0].bucket; });
  const auto key = [](const Match& match) {
    return std::tie(match.bucket, match.device, match.driver, match.compiler);
  };
  std::ranges::sort(matches, {}, [&](const Match& match) {
    return std::tuple_cat(key(match), std::tuple(!match.imported_from.empty(), -match.round,
                                                 match.median_us, -match.measurement_id));
  });
  const auto is_of_same_key = [&](const Match& a, const Match& b) { return key(a) == key(b); };
  matches.erase(std::unique(matches.begin(), matches.end(), is_of_same_key), matches.end());
  const auto best = std::ranges::min_element(matches, {}, [&](const Match& match) {
    // A pin holds whatever the driver.
    return std::tuple(
        match.is_stale && !match.is_pinned,
        rank_of(match.imported_from, is_of_one_bucket ? 0 : match.bytes, match.measurement_id));
  });
  if (best == matches.end()) return std::nullopt;
  return std::move(*best);
}

/// What is wrong with a match, as far as `find` has read its row; empty if nothing.
std::string fault_of_match(const Match& match, const TuningKey& asked) {
  StoredResult row;
  row.measured_at = match.measured_at;
  row.measurement.problem = asked.problem;
  row.measurement.problem.bucket = match.bucket;
  row.measurement.shape = match.shape;
  row.measurement.bytes = match.bytes;
  row.measurement.params = match.params;
  row.measurement.round = match.round;
  row.measurement.median_us = match.median_us;
  return fault_of_stored_measurement(row);
}

/// Takes the best that is a measurement. Only what would be taken is looked at: that is one row as
/// a rule.
std::optional<Match> best_sound_match(std::vector<Match> matches, const TuningKey& key,
                                      RefusedRows& left_out) {
  while (std::optional<Match> best = best_match(matches)) {
    const std::string fault = fault_of_match(*best, key);
    if (fault.empty()) return best;
    left_out.add(best->measurement_id, fault);
    std::erase_if(matches,
                  [&](const Match& match) { return match.measurement_id == best->measurement_id; });
  }
  return std::nullopt;
}

class SqliteStore final : public ConfigStore {
 public:
  SqliteStore(std::shared_ptr<SqliteConnection> connection, Notify notify, Pins pins)
      : connection_(std::move(connection)),
        notify_(std::move(notify)),
        pins_(pins),
        kernels_(std::make_shared<SqliteKernels>(connection_)) {}

  RunId begin_run(const RunRecord& run) override {
    StoredResult row;
    row.run = checked(run);
    row.started_at = utc_now();
    row.device_fingerprint = run.device.fingerprint();
    return connection_->write("store a run in", [&](SQLite::Database& database) {
      return writer(database).insert_run(row);
    });
  }

  void put(RunId run, const MeasurementRecord& measurement) override {
    StoredResult row;
    row.measurement = checked(measurement);
    row.measured_at = utc_now();
    connection_->write("store a measurement in", [&](SQLite::Database& database) {
      if (!writer(database).has_run(run)) {
        throw StoreError(
            fmt::format("cannot store a measurement: its run {} is not in the tuning database {}: "
                        "someone has removed it meanwhile; run the command again",
                        run, connection_->path().string()));
      }
      return writer(database).insert_measurement(run, row);
    });
  }

  std::optional<Match> find(const TuningKey& key, const BucketDistance& distance) const override {
    RefusedRows left_out;
    auto found = connection_->read("look up a configuration in", [&](SQLite::Database& database) {
      left_out = {};
      SQLite::Statement find(database, kFind);
      find.bind(":device_fingerprint", key.device_fingerprint);
      find.bind(":template_fingerprint", key.template_fingerprint);
      find.bind(":pinned_only", static_cast<int>(takes_pinned_only(database, key)));
      find.bind(":sees_pins", static_cast<int>(pins_ != Pins::ignored));
      bind_problem(find, key.problem);
      auto best = best_sound_match(matches_in({key.problem.bucket}, key, find), key, left_out);
      if (best) return best;
      for (const auto& [far, buckets] : near_buckets(database, key, distance)) {
        best = best_sound_match(matches_in(buckets, key, find), key, left_out);
        if (best) break;
      }
      return best;
    });
    tell_of(left_out);
    return found;
  }

  std::vector<std::string> problems_of(const std::string& family) const override {
    return connection_->read("list the problems of", [&](SQLite::Database& database) {
      SQLite::Statement rows(database, kProblemsOfFamily);
      rows.bind(":family", family);
      std::vector<std::string> problems;
      while (rows.executeStep()) problems.push_back(rows.getColumn(0).getString());
      return problems;
    });
  }

  bool has_pins(const TuningKey& key) const override {
    return connection_->read(
        "look up pins in", [&](SQLite::Database& database) { return has_pins_of(database, key); });
  }

  bool finds_pinned_only() const override { return pins_ == Pins::only; }

  std::vector<StoredResult> newest(std::size_t most) const override {
    return fetch("read the newest measurements of", kNewest, [&](SQLite::Statement& statement) {
      statement.bind(":most", static_cast<std::int64_t>(most));
    });
  }

  std::vector<StoredResult> best() const override {
    return fetch("read the best results of", kBest);
  }

  std::vector<StoredResult> measurements_where(
      const std::function<bool(const StoredResult&)>& is_wanted) const override {
    return fetch(
        "read the measurements of", kMeasurements, [](SQLite::Statement&) {}, is_wanted);
  }

  std::vector<StoredResult> choices_of(const ProblemKey& problem) const override {
    return fetch("read the choices for a problem in", kChoicesOfProblem,
                 [&](SQLite::Statement& statement) { bind_problem(statement, problem); });
  }

  std::vector<StoredResult> measurements_of(const TuningKey& key) const override {
    return fetch("read the measurements of a problem in", kMeasurementsOfKey,
                 [&](SQLite::Statement& statement) { bind_key(statement, key); });
  }

  std::vector<StoredResult> related(const TuningKey& key, const BucketDistance& distance,
                                    std::size_t most) const override {
    constexpr std::string_view kDoing = "read related results of";
    const auto ids = connection_->read(kDoing, [&](SQLite::Database& database) {
      return related_ids(database, key, distance, most);
    });
    return fetch(kDoing, kMeasurementsById, [&](SQLite::Statement& statement) {
      statement.bind(":ids", nlohmann::json(ids).dump());
    });
  }

  void require_in_place() override { connection_->require_written(); }

  std::shared_ptr<KernelStore> kernels() const override { return kernels_; }

 private:
  RowWriter& writer(SQLite::Database& database) {
    if (!writer_) writer_.emplace(database);
    return *writer_;
  }

  static bool has_pins_of(SQLite::Database& database, const TuningKey& key) {
    SQLite::Statement statement(database, kHasPins);
    statement.bind(":family", key.problem.family);
    statement.bind(":problem", key.problem.problem);
    statement.bind(":template_fingerprint", key.template_fingerprint);
    statement.bind(":device_fingerprint", key.device_fingerprint);
    statement.executeStep();
    return statement.getColumn(0).getInt() != 0;
  }

  bool takes_pinned_only(SQLite::Database& database, const TuningKey& key) const {
    return pins_ == Pins::only || (pins_ == Pins::obeyed && has_pins_of(database, key));
  }

  void tell_of(const RefusedRows& left_out) const {
    if (left_out.rows == 0) return;
    notify_(fmt::format(
        "{} of the rows of the tuning database {} {} no measurement and left out, the first of "
        "them {}; foldtune doctor says more",
        left_out.rows, connection_->path().string(), left_out.rows == 1 ? "is" : "are",
        left_out.first));
  }

  std::vector<StoredResult> fetch(
      std::string_view doing, const char* query,
      const std::function<void(SQLite::Statement&)>& bind = [](SQLite::Statement&) {},
      const std::function<bool(const StoredResult&)>& is_wanted = nullptr) const {
    FetchedResults fetched = connection_->read(doing, [&](SQLite::Database& database) {
      SQLite::Statement statement(database, select_results(query));
      bind(statement);
      return fetch_results(statement, is_wanted);
    });
    tell_of(fetched.left_out);
    return std::move(fetched.results);
  }

  const std::shared_ptr<SqliteConnection> connection_;
  const Notify notify_;
  const Pins pins_;
  const std::shared_ptr<KernelStore> kernels_;
  std::optional<RowWriter> writer_;
};

}  // namespace

std::unique_ptr<ConfigStore> open_sqlite_store(const std::string& path, OpenMode mode,
                                               const OpenOptions& options) {
  return std::make_unique<SqliteStore>(std::make_shared<SqliteConnection>(path, mode, options),
                                       options.notify, options.pins);
}

std::unique_ptr<ConfigStore> open_memory_store() {
  return std::make_unique<SqliteStore>(std::make_shared<SqliteConnection>(), note_once,
                                       Pins::obeyed);
}

}  // namespace foldtune
