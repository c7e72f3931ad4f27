// What people and scripts see who open the file with plain SQLite.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "cache/columns.h"
#include "tests/cache/records.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

/// A database with a few results of two devices, and a plain connection to it.
class PlainSql {
 public:
  PlainSql()
      : store_(open_sqlite_store(folder_.file("tuning.db"), OpenMode::read_write)),
        database_(folder_.file("tuning.db"), SQLite::OPEN_READWRITE) {
    const auto other = store_->begin_run(run_on(device("NVIDIA H100")));
    const auto run = store_->begin_run(run_on(device()));
    store_->put(other, success(20, R"({"id":0})", 1));
    store_->put(run, success(20, R"({"id":1})", 5));
    store_->put(run, success(20, R"({"id":2})", 4));
    store_->put(run, success(20, R"({"id":3})", 4.5, /*round=*/3));
    store_->put(run, success(20, R"({"id":4})", 4.5, /*round=*/3));
    store_->put(run, success(22, R"({"id":5})", 16));
    store_->put(run, failure(22, R"({"id":6})", Outcome::wrong_result));
  }

  ConfigStore& store() { return *store_; }
  std::string text(const std::string& query) { return database_.execAndGet(query).getString(); }
  bool is_null(const std::string& query) { return database_.execAndGet(query).isNull(); }
  SQLite::Database& database() { return database_; }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<ConfigStore> store_;
  SQLite::Database database_;
};

TEST_CASE("the view best is what best() and find() return") {
  PlainSql sql;
  SQLite::Statement rows(sql.database(),
                         "SELECT device_fingerprint, template_fingerprint, compiler, bucket,"
                         " params, median_us FROM best ORDER BY device_name, input_bytes");
  const auto best = sql.store().best();
  std::size_t count = 0;
  while (rows.executeStep()) {
    REQUIRE(count < best.size());
    CHECK(rows.getColumn(4).getString() == best[count].measurement.params);
    const TuningKey key{.device_fingerprint = rows.getColumn(0).getString(),
                        .driver = device().driver,
                        .template_fingerprint = rows.getColumn(1).getString(),
                        .compiler = rows.getColumn(2).getString(),
                        .problem = sum_of_size(std::stoi(rows.getColumn(3).getString()))};
    const auto match = find(sql.store(), key);
    REQUIRE(match);
    CHECK(match->quality == MatchQuality::exact);
    CHECK(match->params == rows.getColumn(4).getString());
    CHECK(match->median_us == rows.getColumn(5).getDouble());
    ++count;
  }
  CHECK(count == 3);
  CHECK(count == best.size());
}

TEST_CASE("the best follows what plain SQL does to the measurements") {
  PlainSql sql;
  const auto best_ids = [&] {
    return sql.text(
        "SELECT group_concat(measurement_id) FROM (SELECT measurement_id FROM best"
        " ORDER BY 1)");
  };
  CHECK(best_ids() == "1,5,6");
  sql.database().exec("DELETE FROM measurement WHERE measurement_id = 5");
  CHECK(best_ids() == "1,4,6");
  CHECK(found_params(sql.store(), key_of_size(20)) == R"({"id":3})");
  sql.database().exec("UPDATE measurement SET round = 1 WHERE measurement_id = 4");
  CHECK(best_ids() == "1,3,6");
  sql.database().exec("UPDATE measurement SET median_us = 0.5 WHERE measurement_id = 2");
  CHECK(best_ids() == "1,2,6");
  sql.database().exec("UPDATE measurement SET outcome = 'crashed' WHERE measurement_id = 2");
  CHECK(best_ids() == "1,3,6");
  sql.database().exec("DELETE FROM measurement");
  CHECK(sql.text("SELECT count(*) FROM best") == "0");
}

TEST_CASE("the view result has one row for each measurement, failures included") {
  PlainSql sql;
  CHECK(sql.text("SELECT count(*) FROM result") == "7");
  CHECK(sql.text("SELECT failure FROM result WHERE outcome = 'wrong_result'") == "because");
  CHECK(sql.text("SELECT json_extract(params, '$.id') FROM result WHERE round = 3") == "3");
  CHECK(sql.text("SELECT seed FROM result") == "-1");  // 2^64 - 1
}

TEST_CASE("bandwidth is in 10^9 bytes per second, and in percent of what the run measured") {
  PlainSql sql;
  const std::string where = " FROM result WHERE params = '{\"id\":5}'";  // 2^24 bytes in 16 us.
  CHECK(sql.text("SELECT round(bandwidth_gbps, 3)" + where) == "1048.576");
  CHECK(sql.text("SELECT round(percent_of_read_bandwidth, 4)" + where) == "26.2144");
  CHECK(sql.is_null("SELECT bandwidth_gbps FROM result WHERE outcome <> 'ok'"));
  sql.database().exec("UPDATE run SET read_bandwidth_gbps = NULL");
  CHECK(sql.is_null("SELECT percent_of_read_bandwidth" + where));
}

TEST_CASE("times that were not measured are NULL in the views") {
  PlainSql sql;
  CHECK(sql.is_null("SELECT hot_us FROM result"));
  CHECK(sql.is_null("SELECT stream_us FROM result"));
  CHECK(sql.is_null("SELECT latency_us FROM best"));
  sql.database().exec("UPDATE measurement SET hot_us = 0.5, stream_us = 3, latency_us = 9");
  CHECK(sql.text("SELECT hot_us || ' ' || stream_us || ' ' || latency_us FROM best") ==
        "0.5 3.0 9.0");
}

TEST_CASE("equal problems and configurations are stored once") {
  PlainSql sql;
  const auto run = sql.store().begin_run(run_on(device()));
  sql.store().put(run, success(20, R"({ "id" : 1 })", 5));
  CHECK(sql.text("SELECT count(*) FROM problem") == "2");
  CHECK(sql.text("SELECT count(*) FROM config") == "7");
}

TEST_CASE("the database itself refuses values of another type") {
  PlainSql sql;
  const auto refuses = [&](const char* statement) {
    return sql.database().tryExec(statement) != SQLite::OK;
  };
  CHECK(refuses("UPDATE measurement SET median_us = 'fast'"));
  CHECK(refuses("UPDATE measurement SET round = 1.5"));
  CHECK(refuses("UPDATE measurement SET outcome = NULL"));
  CHECK_FALSE(refuses("UPDATE measurement SET registers = 32"));
  CHECK_FALSE(refuses("UPDATE measurement SET hot_us = NULL"));
}

TEST_CASE("a row edited into nonsense by hand is left out, and no other") {
  PlainSql sql;
  const std::size_t all = sql.store().measurements().size();
  sql.database().exec("UPDATE measurement SET samples_us = '[\"fast\"]' WHERE measurement_id = 2");
  CHECK(sql.store().measurements().size() == all - 1);
  sql.database().exec("UPDATE measurement SET outcome = 'fine'");
  CHECK(sql.store().measurements().empty());
}

std::string spaced(const std::string& text) { return text.empty() ? "" : " " + text; }

/// The rows of the table in docs/database.md that cache/columns.h describes.
std::string documented_columns() {
  std::string lines;
  const auto add = [&](const ColumnInfo& column, const auto&) {
    lines += fmt::format("| `{}` |{} |{}{} |\n", column.name, spaced(column.unit),
                         spaced(column.meaning), column.is_optional ? "; NULL: not measured" : "");
  };
  const StoredResult row;
  visit_run(row, add);
  visit_measurement(row, add);
  add(kImportedFromColumn, row.imported_from);
  return lines;
}

TEST_CASE("docs/database.md has the columns as cache/columns.h describes them") {
  std::ifstream file(FOLDTUNE_DOCS "/database.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string columns = documented_columns();
  CAPTURE(columns);
  CHECK(contains(text, columns));
}

TEST_CASE("the views have every column, and name it as it is described") {
  PlainSql sql;
  const StoredResult row;
  const auto check = [&](const ColumnInfo& column, const auto&) {
    CHECK_NOTHROW(sql.database().exec(fmt::format("SELECT {} FROM best", column.name)));
  };
  visit_run(row, check);
  visit_measurement(row, check);
}

}  // namespace
}  // namespace foldtune::test
