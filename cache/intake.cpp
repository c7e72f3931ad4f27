#include "cache/intake.h"

#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <map>
#include <utility>

#include "cache/record_check.h"
#include "cache/schema.h"

namespace foldtune {
namespace {

/// Returns how many were added. Runs are looked up anew for each part: between two someone may have
/// removed one.
std::size_t add_rows(SQLite::Database& database, const std::vector<ResultRow>& rows) {
  RowWriter writer(database);
  std::map<std::int64_t, ConfigStore::RunId> runs;  // by the rows' ids
  std::size_t added = 0;
  for (const ResultRow& row : rows) {
    StoredResult result = row.result;
    result.measurement = checked(std::move(result.measurement));
    const auto [run, is_new] = runs.emplace(result.run_id, 0);
    if (is_new) {
      const auto found = writer.find_run(result);
      run->second = found ? *found : writer.insert_run(result);
    }
    if (writer.find_measurement(run->second, result)) continue;
    writer.insert_measurement(run->second, result);
    ++added;
  }
  return added;
}

}  // namespace

Intake::Intake(const std::string& path, Mode mode)
    : connection_(mode == Mode::add ? SqliteConnection(path, OpenMode::read_write)
                                    : SqliteConnection(SqliteConnection::CopyOf{path})),
      best_before_(best_ids()),
      devices_before_(count_devices()) {}

void Intake::add(const std::vector<ResultRow>& rows) {
  const std::size_t added = connection_.write(
      "add measurements to", [&](SQLite::Database& database) { return add_rows(database, rows); });
  added_ += added;
  known_ += rows.size() - added;
}

IntakeReport Intake::report() const {
  const std::vector<std::int64_t> best = best_ids();
  const auto is_new = [&](std::int64_t id) {
    return !std::ranges::binary_search(best_before_, id);
  };
  IntakeReport report{.added = added_, .known = known_};
  report.new_devices = count_devices() - devices_before_;
  // No problem loses its best, so there is one more for each that is new.
  report.new_problems = best.size() - best_before_.size();
  report.changed_problems =
      static_cast<std::size_t>(std::ranges::count_if(best, is_new)) - report.new_problems;
  return report;
}

std::vector<std::int64_t> Intake::best_ids() const {
  return connection_.read("read the best results of", [](SQLite::Database& database) {
    std::vector<std::int64_t> ids;
    SQLite::Statement rows(database, with_views() + "SELECT measurement_id FROM best ORDER BY 1");
    while (rows.executeStep()) ids.push_back(rows.getColumn(0).getInt64());
    return ids;
  });
}

std::size_t Intake::count_devices() const {
  return connection_.read("count the devices of", [](SQLite::Database& database) {
    const auto count = database.execAndGet("SELECT count(DISTINCT device_fingerprint) FROM run");
    return static_cast<std::size_t>(count.getInt64());
  });
}

}  // namespace foldtune
