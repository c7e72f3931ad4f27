#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cache/columns.h"
#include "cache/config_store.h"
#include "cache/queries.h"
#include "cache/record_check.h"
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

// SQLite takes a negative limit for none, so no number of results may become one.
constexpr std::size_t kMostRelated = std::size_t{1} << 32;

/// Reads the row that kFind has come to.
Match read_match(const SQLite::Statement& row, const TuningKey& asked) {
  Match match{.measurement_id = row.getColumn(0).getInt64(),
              .round = row.getColumn(1).getInt(),
              .median_us = row.getColumn(2).getDouble(),
              .count = static_cast<std::uint64_t>(row.getColumn(3).getInt64()),
              .measured_at = row.getColumn(4).getString(),
              .size_class = row.getColumn(5).getInt(),
              .driver = row.getColumn(6).getString(),
              .compiler = row.getColumn(7).getString(),
              .params = row.getColumn(8).getString(),
              .imported_from = row.getColumn(9).getString()};
  if (match.size_class != asked.problem.size_class) match.quality = MatchQuality::near_size;
  match.is_marked = match.driver != asked.driver || !match.imported_from.empty() ||
                    (!asked.compiler.empty() && match.compiler != asked.compiler);
  return match;
}

/// As `ConfigStore::find` has it, among the best of each key.
std::optional<Match> best_match(std::vector<Match> matches, const TuningKey& asked) {
  const auto key = [](const Match& match) {
    return std::tie(match.size_class, match.driver, match.compiler);
  };
  std::ranges::sort(matches, {}, [&](const Match& match) {
    return std::tuple_cat(key(match), std::tuple(!match.imported_from.empty(), -match.round,
                                                 match.median_us, -match.measurement_id));
  });
  const auto is_of_same_key = [&](const Match& a, const Match& b) { return key(a) == key(b); };
  matches.erase(std::unique(matches.begin(), matches.end(), is_of_same_key), matches.end());
  const auto best = std::ranges::min_element(matches, {}, [&](const Match& match) {
    return std::tuple(std::abs(match.size_class - asked.problem.size_class), match.is_marked,
                      rank_of(match.imported_from, match.size_class, match.measurement_id));
  });
  if (best == matches.end()) return std::nullopt;
  return std::move(*best);
}

class SqliteStore final : public ConfigStore {
 public:
  SqliteStore(std::shared_ptr<SqliteConnection> connection, Notify notify)
      : connection_(std::move(connection)),
        notify_(std::move(notify)),
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
            fmt::format("cannot store a measurement: run {} is not one of the tuning database {}; "
                        "call begin_run first",
                        run, connection_->path().string()));
      }
      return writer(database).insert_measurement(run, row);
    });
  }

  std::optional<Match> find(const TuningKey& key) const override {
    return connection_->read("look up a configuration in", [&](SQLite::Database& database) {
      SQLite::Statement rows(database, kFind);
      rows.bind(":device_fingerprint", key.device_fingerprint);
      rows.bind(":template_fingerprint", key.template_fingerprint);
      rows.bind(":near_size_classes", kNearSizeClasses);
      bind_problem(rows, key.problem);
      std::vector<Match> matches;
      while (rows.executeStep()) matches.push_back(read_match(rows, key));
      return best_match(std::move(matches), key);
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

  std::vector<StoredResult> related(const TuningKey& key, std::size_t most) const override {
    const auto limit = static_cast<std::int64_t>(std::min<std::size_t>(most, kMostRelated));
    return fetch("read related results of", kRelated, [&](SQLite::Statement& statement) {
      bind_key(statement, key);
      statement.bind(":near_size_classes", kNearSizeClasses);
      statement.bind(":most", limit);
    });
  }

  void require_in_place() override { connection_->require_written(); }

  std::shared_ptr<KernelStore> kernels() const override { return kernels_; }

 private:
  RowWriter& writer(SQLite::Database& database) {
    if (!writer_) writer_.emplace(database);
    return *writer_;
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
    if (fetched.left_out > 0) {
      notify_(fmt::format(
          "{} of the rows of the tuning database {} {} no measurement and left out, the first of "
          "them {}; foldtune doctor says more",
          fetched.left_out, connection_->path().string(), fetched.left_out == 1 ? "is" : "are",
          fetched.first_fault));
    }
    return std::move(fetched.results);
  }

  const std::shared_ptr<SqliteConnection> connection_;
  const Notify notify_;
  const std::shared_ptr<KernelStore> kernels_;
  std::optional<RowWriter> writer_;
};

}  // namespace

std::unique_ptr<ConfigStore> open_sqlite_store(const std::string& path, OpenMode mode,
                                               const OpenOptions& options) {
  return std::make_unique<SqliteStore>(std::make_shared<SqliteConnection>(path, mode, options),
                                       options.notify);
}

std::unique_ptr<ConfigStore> open_memory_store() {
  return std::make_unique<SqliteStore>(std::make_shared<SqliteConnection>(), note_once);
}

}  // namespace foldtune
