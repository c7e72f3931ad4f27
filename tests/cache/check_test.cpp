// A sound database is found sound, and everything that was done to one by hand is found.
#include "cache/check.h"

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "tests/cache/kernels.h"
#include "tests/cache/records.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

/// Config of "templates-1" are known if they have an "id", and a run is if it has a version.
const CheckRules kRules{
    .fault_of_run =
        [](const StoredResult& row) {
          return std::string(row.run.foldtune_version.empty() ? "no version" : "");
        },
    .fault_of_measurement =
        [](const StoredResult& row) {
          const bool is_known = row.measurement.template_fingerprint != "templates-1" ||
                                contains(row.measurement.params, "\"id\"");
          return std::string(is_known ? "" : "no id");
        }};

/// A database with two successes and a failure, and what is done to it by hand.
class Checked {
 public:
  Checked() {
    const auto store = open_sqlite_store(file(), OpenMode::read_write);
    const auto run = store->begin_run(run_on(device()));
    store->put(run, success(20, R"({"id":1})", 5));
    store->put(run, success(22, R"({"id":2})", 4, /*round=*/3));
    store->put(run, failure(22, R"({"id":1})", Outcome::crashed));
  }

  std::string file() const { return folder_.file("tuning.db"); }
  void exec(const std::string& statement) const {
    SQLite::Database database(file(), SQLite::OPEN_READWRITE);
    database.exec("PRAGMA foreign_keys = OFF");
    database.exec(statement);
  }
  std::vector<std::string> findings() const {
    std::vector<std::string> lines;
    for (const CheckFinding& finding : check_database(file(), kRules).findings) {
      CHECK_FALSE(finding.remedy.empty());
      lines.push_back(finding.text + "; " + finding.remedy);
    }
    return lines;
  }

  /// Checks that there is one finding that says all of this, and a remedy.
  void check_finding(const std::string& where, const std::string& what) const {
    const auto all = findings();
    CAPTURE(all, where, what);
    const bool is_there = std::ranges::any_of(all, [&](const std::string& line) {
      return line.starts_with(where + ": ") && contains(line, what) && contains(line, "; ") &&
             !contains(line, "\n");
    });
    CHECK(is_there);
  }

 private:
  TemporaryFolder folder_;
};

TEST_CASE("a database that the store made is sound") {
  const Checked database;
  const CheckReport report = check_database(database.file(), kRules);
  CHECK(report.findings.empty());
  CHECK(report.measurements == 3);
}

TEST_CASE("a kernel that was changed is found, and one that was not is none") {
  const Checked database;
  open_sqlite_store(database.file(), OpenMode::read_write)
      ->kernels()
      ->put(kernel_of(key_of("a")), kNoLimit);
  CHECK(check_database(database.file(), kRules).kernels == 1);
  CHECK(database.findings().empty());
  database.exec("UPDATE kernel SET image = CAST('A cubin' AS BLOB)");
  database.check_finding("kernel 1", "its hash");
}

TEST_CASE("what users add to the schema is no fault") {
  const Checked database;
  database.exec("CREATE VIEW mine AS SELECT params FROM best; CREATE TABLE notes (text); ANALYZE");
  database.exec("CREATE TABLE kept (m REFERENCES measurement); INSERT INTO kept VALUES (99)");
  CHECK(database.findings().empty());
}

TEST_CASE("an empty file, and one of another version, are an error, and stay as they are") {
  const TemporaryFolder folder;
  const std::string file = folder.file("other.db");
  std::string what = "nothing is in it yet";
  SECTION("an empty one") { std::ofstream(file).flush(); }
  SECTION("an older version") {
    open_sqlite_store(file, OpenMode::read_write);
    SQLite::Database(file, SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 5");
    what = "version 5";
  }
  CHECK(contains(error_of([&] { check_database(file, kRules); }), what));
}

TEST_CASE("values that no store would keep are found") {
  const Checked database;
  const auto check = [&](const std::string& statement, const std::string& where,
                         const std::string& what) {
    CAPTURE(statement);
    database.exec(statement);
    database.check_finding(where, what);
  };
  check("UPDATE run SET foldtune_version = ''", "run 1 (NVIDIA H200)", "no version");
  check("UPDATE run SET started_at = 'today'", "run 1 (NVIDIA H200)", "\"today\"");
  check("UPDATE measurement SET measured_at = '' WHERE measurement_id = 1", "measurement 1",
        "its measured_at");
  check("UPDATE measurement SET samples_us = '[1,\"x\"]' WHERE measurement_id = 1", "measurement 1",
        "samples");
  check("UPDATE measurement SET samples_us = '[-1]' WHERE measurement_id = 2", "measurement 2",
        "negative");
  check("UPDATE measurement SET samples_us = '[]', occupancy = 2 WHERE measurement_id = 2",
        "measurement 2", "occupancy");
  check("UPDATE measurement SET outcome = 'bad' WHERE measurement_id = 3", "measurement 3",
        "no outcome \"bad\"");
  check("UPDATE config SET params = '[1]' WHERE config_id = 1", "config 1", "not a JSON object");
  database.check_finding("measurement 1", "not a JSON object");
  check("UPDATE config SET params = '{\"b\":1, \"a\":1}' WHERE config_id = 2", "config 2",
        "unsorted");
  check("UPDATE run SET read_bandwidth_gbps = -1", "run 1 (NVIDIA H200)", "read_bandwidth_gbps");
  check("UPDATE run SET device_multiprocessor_count = 1", "run 1 (NVIDIA H200)", "fingerprint");
}

TEST_CASE("texts of a problem that no family writes are found") {
  const Checked database;
  const auto check = [&](const char* column, const std::string& text, const std::string& what) {
    CAPTURE(column, text);
    const std::string kept = SQLite::Database(database.file())
                                 .execAndGet(fmt::format("SELECT {} FROM problem", column))
                                 .getString();
    const auto set = [&](const std::string& value) {
      database.exec(
          fmt::format("UPDATE problem SET {} = '{}' WHERE problem_id = 1", column, value));
    };
    set(text);
    database.check_finding("problem 1", what);
    database.check_finding("measurement 1", what);
    set(kept);
    CHECK(database.findings().empty());
  };
  check("family", "re\nduce", "its family has control characters");
  check("layout", std::string(1001, 'x'), "1001 bytes");
  for (const char* const text :
       {"sum", "op=", "=sum", "op=sum ", "op=sum  type=f32", "op=a op=b"}) {
    check("problem", text, "name=value");
  }
  for (const char* const text : {"", "x", "20x", "x20", "020", "-1", "1x1x1x1x1", "20 "}) {
    check("bucket", text, "is not of the form");
  }
  check("bucket", "257", "above 256");
}

TEST_CASE("a shape is as many numbers as its bucket, and not of nothing") {
  const Checked database;
  const auto check = [&](const std::string& shape, const std::string& what) {
    database.exec("UPDATE measurement SET shape = '" + shape + "' WHERE measurement_id = 1");
    database.check_finding("measurement 1", what);
  };
  check("0", "no elements");
  check("4096x256", "another number of extents");
  check("1e6", "is not of the form");
  check("9300000000000000000", "above");
  check("99999999999999999999", "is not of the form");
}

TEST_CASE("tunables are looked at where the kernel sources are this Foldtune's") {
  const Checked database;
  database.exec("UPDATE config SET params = '{\"size\":1}' WHERE config_id = 2");
  database.check_finding("measurement 2", "no id");
  database.exec("UPDATE problem SET template_fingerprint = 'templates-0'");
  CHECK(database.findings().empty());
}

TEST_CASE("references to rows that are not there are found") {
  const Checked database;
  database.exec("DELETE FROM config WHERE config_id = 2");
  database.check_finding("measurement 2", "the config that it refers to is not there");
}

TEST_CASE("a schema that was changed is found") {
  const Checked database;
  database.exec("DROP INDEX measurement_by_problem");
  database.check_finding("index measurement_by_problem", "missing");
  database.exec("DROP VIEW best; CREATE VIEW best AS SELECT 1");
  database.check_finding("view best", "not as the schema has it");
  database.exec("CREATE TRIGGER thief AFTER INSERT ON measurement BEGIN SELECT 1; END");
  database.check_finding("trigger thief", "none of the schema");
  database.exec("CREATE INDEX mine ON measurement (abs(median_us))");
  database.check_finding("index mine", "none of the schema");
  database.check_finding("rows", "not looked at");
}

TEST_CASE("a damaged file is found, and left as it is") {
  constexpr int kDamage = 3 * 4096;
  const Checked database;
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  {
    std::fstream bytes(database.file(), std::ios::binary | std::ios::in | std::ios::out);
    bytes.seekp(kDamage);
    bytes << std::string(4096, 'x');
  }
  const auto findings = database.findings();
  CAPTURE(findings);
  REQUIRE_FALSE(findings.empty());
  CHECK(contains(findings.front(), "file: "));
}

TEST_CASE("a file that is no database of ours is an error, and so is one that is not there") {
  const TemporaryFolder folder;
  const std::string file = folder.file("other.db");
  CHECK(contains(error_of([&] { check_database(file, kRules); }), "no such file"));
  SQLite::Database(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE t (a)");
  CHECK(contains(error_of([&] { check_database(file, kRules); }), "another program"));
}

}  // namespace
}  // namespace foldtune::test
