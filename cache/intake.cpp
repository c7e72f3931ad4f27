#include "cache/intake.h"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/Transaction.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "cache/row_adder.h"
#include "cache/row_writer.h"
#include "cache/schema.h"
#include "cache/sqlite_connection.h"

namespace foldtune {
namespace {

constexpr const char* kDoing = "add measurements to";

std::size_t count_rows(SQLite::Database& database, const std::string& table) {
  return static_cast<std::size_t>(database.execAndGet("SELECT count(*) FROM " + table).getInt64());
}

/// Within a transaction, so that what is counted is what these rows brought. Runs are looked up
/// anew for each: between two transactions someone may have removed one.
IntakeReport add_rows(SQLite::Database& database, RowWriter& writer,
                      const std::vector<ResultRow>& rows) {
  const std::size_t devices = count_rows(database, "device");
  const std::size_t problems = count_rows(database, "problem");
  IntakeReport report;
  RowAdder adder(writer);
  for (const ResultRow& row : rows) ++(adder.add(row) ? report.added : report.known);
  report.new_devices = count_rows(database, "device") - devices;
  report.new_problems = count_rows(database, "problem") - problems;
  return report;
}

void add_to(IntakeReport& sum, const IntakeReport& part) {
  sum.added += part.added;
  sum.known += part.known;
  sum.new_devices += part.new_devices;
  sum.new_problems += part.new_problems;
}

class FileIntake final : public Intake {
 public:
  explicit FileIntake(const std::string& path) : connection_(path, OpenMode::read_write) {}

  void add(const std::vector<ResultRow>& rows) override {
    add_to(report_, connection_.write(kDoing, [&](SQLite::Database& database) {
      if (!writer_) writer_.emplace(database);
      return add_rows(database, *writer_, rows);
    }));
  }
  IntakeReport report() const override { return report_; }

 private:
  SqliteConnection connection_;
  std::optional<RowWriter> writer_;
  IntakeReport report_;
};

/// Without a name: it is kept in memory or, where it is large, on disk, and goes away with the
/// connection.
SQLite::Database copy_of(const std::filesystem::path& path) {
  SQLite::Database copy("", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  std::error_code ignored;
  if (std::filesystem::file_size(path, ignored) > 0 && !ignored) {
    SqliteConnection(path.string(), OpenMode::read_only).read("copy", [&](SQLite::Database& from) {
      SQLite::Backup(copy, from).executeStep();
      return true;
    });
  }
  ensure_schema(copy, path);
  return copy;
}

class RehearsedIntake final : public Intake {
 public:
  explicit RehearsedIntake(const std::string& path) : path_(path), copy_(copy_of(path_)) {}

  void add(const std::vector<ResultRow>& rows) override {
    try {
      SQLite::Transaction transaction(copy_);
      const IntakeReport part = add_rows(copy_, writer_, rows);
      transaction.commit();
      add_to(report_, part);
    } catch (const SQLite::Exception& error) {
      throw describe(error, kDoing, path_);
    }
  }
  IntakeReport report() const override { return report_; }

 private:
  std::filesystem::path path_;
  SQLite::Database copy_;
  RowWriter writer_{copy_};
  IntakeReport report_;
};

}  // namespace

std::unique_ptr<Intake> open_intake(const std::string& path) {
  return std::make_unique<FileIntake>(path);
}

std::unique_ptr<Intake> rehearse_intake(const std::string& path) {
  return std::make_unique<RehearsedIntake>(path);
}

}  // namespace foldtune
