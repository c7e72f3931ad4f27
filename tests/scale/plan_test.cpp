// How SQLite goes about what has to stay fast in a database of years: by its indexes, and never
// through all measurements. And what docs/database.md shows runs.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "cache/queries.h"
#include "runtime/lookup/lookup.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"
#include "tests/scale/generated_database.h"

namespace foldtune::test {
namespace {

/// The plans do not depend on how many rows there are, since nothing ANALYZEs the database.
constexpr std::uint64_t kRows = 120'000;

/// A generated database of four origins, made once for all tests.
const std::string& database_file() {
  static const TemporaryFolder folder;
  static const std::string file = [] {
    std::vector<Origin> origins = gpu_origins();
    origins.erase(origins.begin(), origins.end() - 4);
    std::string path = folder.file("tuning.db");
    generate_database(path, kRows, origins);
    return path;
  }();
  return file;
}

/// "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)" and so on, a line for each step.
std::vector<std::string> plan_of(const std::string& query) {
  SQLite::Database database(database_file());
  SQLite::Statement plan(database, "EXPLAIN QUERY PLAN " + query);
  std::vector<std::string> steps;
  while (plan.executeStep()) steps.push_back(plan.getColumn(3).getString());
  return steps;
}

void check_no_scan_of_measurements(const std::string& query) {
  const std::vector<std::string> plan = plan_of(query);
  CAPTURE(query, plan);
  CHECK_FALSE(plan.empty());
  for (const std::string& step : plan) {
    // What was chosen, which is little, may be gone through.
    const bool is_scan = (step.starts_with("SCAN m ") || step.starts_with("SCAN measurement")) &&
                         !step.ends_with("INDEX measurement_by_choice");
    CHECK_FALSE(is_scan);
  }
}

void check_step(const std::string& query, const std::string& wanted) {
  const std::vector<std::string> plan = plan_of(query);
  CAPTURE(query, plan, wanted);
  bool is_there = false;
  for (const std::string& step : plan) is_there = is_there || step.starts_with(wanted);
  CHECK(is_there);
}

TEST_CASE("Scale: no query of the store goes through all measurements") {
  check_no_scan_of_measurements(kFind);
  for (const char* const query :
       {kBest, kMeasurementsOfKey, kChoicesOfProblem, kMeasurementsById}) {
    check_no_scan_of_measurements(select_results(query));
  }
  check_no_scan_of_measurements(with_views() + kRelated);
  check_no_scan_of_measurements("SELECT * FROM best WHERE family = 'reduce' AND bucket = '80'");
  check_no_scan_of_measurements("SELECT * FROM result WHERE measurement_id = 7");
}

TEST_CASE("Scale: a look-up goes from the problem to what was chosen for it") {
  const std::string index =
      "USING COVERING INDEX sqlite_autoindex_problem_1 (family=? AND problem=?";
  check_step(kFind, "SEARCH p " + index +
                        " AND layout=? AND bucket=? AND conditions=? AND template_fingerprint=?)");
  const std::string by_family = "USING COVERING INDEX sqlite_autoindex_problem_1 (family=?";
  check_step(kProblemsOfFamily, "SEARCH problem " + by_family + " AND problem>?)");
  check_step(kBuckets, "SEARCH problem " + index + " AND layout=?)");
  check_step(kFind, "SEARCH m USING INDEX measurement_by_choice (problem_id=?)");
  check_step(kFind, "SEARCH r USING INTEGER PRIMARY KEY");
  check_step(kFind, "SEARCH c USING INTEGER PRIMARY KEY");
}

TEST_CASE(
    "Scale: what is tried of a problem, and whether a measurement is known, are in the index") {
  const std::string index = "USING INDEX measurement_by_problem (problem_id=?";
  const std::string covering = "USING COVERING INDEX measurement_by_problem (problem_id=?";
  check_step(select_results(kMeasurementsOfKey), "SEARCH m " + covering + " AND run_id=?)");
  check_step(
      "SELECT measurement_id FROM measurement WHERE run_id IS ? AND problem_id IS ? AND config_id"
      " IS ? AND measured_at IS ?",
      "SEARCH measurement " + index + " AND run_id=? AND config_id=?)");
}

TEST_CASE("Scale: the rows of the views come in the order of the file, without a sort") {
  for (const std::string& step : plan_of("SELECT * FROM result ORDER BY measurement_id")) {
    CHECK(step.find("TEMP B-TREE") == std::string::npos);
  }
}

TEST_CASE("Scale: a generated database is one, and its best results are those of all its rows") {
  const auto store = open_sqlite_store(database_file(), OpenMode::read_only);
  SQLite::Database database(database_file());
  CHECK(database.execAndGet("SELECT count(*) FROM measurement").getInt64() == kRows);
  CHECK(database.execAndGet("PRAGMA integrity_check").getString() == "ok");
  SQLite::Statement expected(database, R"sql(
    SELECT count(DISTINCT device_fingerprint || device_driver || template_fingerprint || compiler
                          || problem_id)
    FROM result WHERE outcome = 'ok' AND round > 1)sql");
  REQUIRE(expected.executeStep());
  CHECK(store->best().size() == static_cast<std::size_t>(expected.getColumn(0).getInt64()));
  const StoredResult best = store->best().front();
  CHECK(store->choices_of(best.measurement.problem).size() >= 1);
}

/// What stands between "```sql" and "```" in the file.
std::vector<std::string> sql_of(const std::string& file) {
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const std::string begin = "```sql\n";
  std::vector<std::string> blocks;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    at += begin.size();
    blocks.push_back(text.substr(at, text.find("```", at) - at));
  }
  return blocks;
}

TEST_CASE("Scale: the queries that docs/database.md shows run, and have answers") {
  SQLite::Database database(database_file(), SQLite::OPEN_READWRITE);
  database.exec("BEGIN");  // which is not ended: the last one deletes
  constexpr std::size_t kShown = 10;
  const std::vector<std::string> blocks = sql_of(std::string(FOLDTUNE_DOCS) + "/database.md");
  CHECK(blocks.size() >= kShown);
  for (const std::string& sql : blocks) {
    CAPTURE(sql);
    if (!sql.starts_with("SELECT") && !sql.starts_with("WITH")) {
      CHECK_NOTHROW(database.exec(sql));
      continue;
    }
    SQLite::Statement statement(database, sql);
    CHECK(statement.executeStep());
  }
}

}  // namespace
}  // namespace foldtune::test
