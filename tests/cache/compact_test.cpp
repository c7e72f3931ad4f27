// A database that is compacted is smaller, and holds the same.
#include "cache/compact.h"

#include <SQLiteCpp/Database.h>

#include <filesystem>

#include "tests/cache/records.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

TEST_CASE("compacting gives back what deleted rows took, and keeps the others") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  {
    const auto store = open_sqlite_store(file, OpenMode::read_write);
    const auto run = store->begin_run(run_on(device()));
    MeasurementRecord large = success(20, R"({"id":1})", 5);
    large.samples_us.assign(1000, 5.125);
    for (int i = 0; i < 100; ++i) store->put(run, large);
    store->put(run, success(22, R"({"id":2})", 4));
  }
  SQLite::Database(file, SQLite::OPEN_READWRITE)
      .exec("DELETE FROM measurement WHERE measurement_id <= 100");

  const CompactReport report = compact_database(file);
  CHECK(report.bytes_before > 500'000);
  CHECK(report.bytes_after < 200'000);
  CHECK(std::filesystem::file_size(file) == report.bytes_after);
  const auto left = open_sqlite_store(file, OpenMode::read_only)->measurements();
  REQUIRE(left.size() == 1);
  CHECK(left.front().measurement == success(22, R"({"id":2})", 4));
}

TEST_CASE("compacting makes no database, and leaves the file of another program") {
  const TemporaryFolder folder;
  const std::string file = folder.file("other.db");
  CHECK(contains(error_of([&] { compact_database(file); }), "no such file"));
  CHECK_FALSE(std::filesystem::exists(file));
  SQLite::Database(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE t (a)");
  CHECK(contains(error_of([&] { compact_database(file); }), "another program"));
}

}  // namespace
}  // namespace foldtune::test
