#include "cache/merge.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "cache/row_adder.h"
#include "cache/row_reader.h"
#include "cache/row_writer.h"
#include "cache/sqlite_connection.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

constexpr const char* kDoing = "merge measurements into";

void require_two_files(const std::string& into, const std::string& from) {
  std::error_code ignored;  // A file that is not there is no other's.
  if (std::filesystem::equivalent(into, from, ignored)) {
    throw StoreError(fmt::format(
        "cannot merge the tuning database {} into {}: they are the same file; name another source",
        from, into));
  }
}

/// The ids of the best measurements, ascending.
std::vector<std::int64_t> best_ids(SQLite::Database& database) {
  std::vector<std::int64_t> ids;
  SQLite::Statement statement(database, "SELECT measurement_id FROM best ORDER BY 1");
  while (statement.executeStep()) ids.push_back(statement.getColumn(0).getInt64());
  return ids;
}

/// Takes the rows of a source into the target, within a transaction of the caller's.
class Merging {
 public:
  Merging(SQLite::Database& target, const std::filesystem::path& path)
      : target_(target), path_(path), writer_(target), best_before_(best_ids(target)) {
    target_.exec("SAVEPOINT source");
  }

  /// What was taken of the source before is given back: it has changed meanwhile.
  void restart() {
    with_own_errors([&] { target_.exec("ROLLBACK TO source"); });
    adder_.emplace(writer_);
    report_ = {};
  }

  void take(const ResultRow& row) {
    const std::string reason = reason_to_refuse(row);
    if (!reason.empty()) {
      refuse(fmt::format("measurement {}: {}", row.measurement_id, reason));
      return;
    }
    with_own_errors([&] { ++(adder_->add(row) ? report_.added : report_.known); });
  }

  void refuse(std::string line) { report_.refused.push_back(std::move(line)); }

  MergeReport finish() {
    target_.exec("RELEASE source");
    // No problem loses its best, so there is one more for each that is new.
    const std::vector<std::int64_t> best_after = best_ids(target_);
    report_.new_problems = best_after.size() - best_before_.size();
    report_.changed_problems =
        static_cast<std::size_t>(std::ranges::count_if(
            best_after,
            [&](std::int64_t id) { return !std::ranges::binary_search(best_before_, id); })) -
        report_.new_problems;
    return std::move(report_);
  }

 private:
  /// Or they would be taken for the source's, which is being read.
  template <typename Work>
  void with_own_errors(Work work) try {
    work();
  } catch (const SQLite::Exception& error) {
    throw describe(error, kDoing, path_);
  }

  SQLite::Database& target_;
  const std::filesystem::path& path_;
  RowWriter writer_;
  std::optional<RowAdder> adder_;  ///< of the present reading of the source
  std::vector<std::int64_t> best_before_;
  MergeReport report_;
};

/// One row at a time: a source may be larger than the memory.
void take_rows(Merging& merging, SQLite::Database& source) {
  const SQLite::Transaction snapshot(source);
  std::int64_t connected = 0;
  SQLite::Statement statement(source, "SELECT * FROM result ORDER BY measurement_id");
  const RowReader reader(statement);
  for (; statement.executeStep(); ++connected) merging.take(reader.read());
  const std::int64_t all = source.execAndGet("SELECT count(*) FROM measurement").getInt64();
  for (; connected < all; ++connected) {  // The view leaves these out.
    merging.refuse("a measurement whose run, device, problem or configuration is not there");
  }
}

}  // namespace

MergeReport merge_database(const std::string& into, const std::string& from) {
  require_two_files(into, from);
  // The source first: where it cannot be read, no target is made.
  const SqliteConnection source(from, OpenMode::read_only);
  const auto read_source = [&](auto use) {
    return source.read("read the measurements of", [&](SQLite::Database& database) {
      use(database);
      return true;
    });
  };
  SqliteConnection target(into, OpenMode::read_write);
  return target.write(kDoing, [&](SQLite::Database& database) {
    Merging merging(database, target.path());
    read_source([&](SQLite::Database& rows) {
      merging.restart();
      take_rows(merging, rows);
    });
    return merging.finish();
  });
}

}  // namespace foldtune
