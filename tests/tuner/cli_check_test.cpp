// foldtune check: what it prints, and its exit code.
#include <SQLiteCpp/Database.h>

#include "tests/catch.h"
#include "tests/tuner/program.h"
#include "tests/tuner/tuned_database.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

void exec(const std::string& file, const std::string& statement) {
  SQLite::Database(file, SQLite::OPEN_READWRITE).exec(statement);
}

TEST_CASE("check says that a sound database is sound, and does not touch it") {
  const Workplace place;
  store(place.database(), {stored_sum(20, 5), stored_sum(22, 9)});
  const std::string before = read_file(place.database());
  const Outcome result = place.run({"check"});
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, ContainsSubstring("is sound: 2 measurements"));
  CHECK(read_file(place.database()) == before);
}

TEST_CASE("check prints a line for each finding, and fails") {
  const Workplace place;
  store(place.database(), {stored_sum(20, 5), stored_sum(22, 9)});
  exec(place.database(), "UPDATE config SET params = '{\"warp_size\":32}'");
  const Outcome result = place.run({"check"});
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == kDatabase);
  CHECK_THAT(result.out, ContainsSubstring("measurement 1: the tunable block_size is missing"));
  CHECK_THAT(result.out, ContainsSubstring("measurement 2: "));
  CHECK_THAT(result.out, ContainsSubstring("is not sound: 2 found"));
}

TEST_CASE("check knows no tunables of other kernel sources") {
  const Workplace place;
  store(place.database(), {stored_sum(20, 5)});
  exec(place.database(),
       "UPDATE config SET params = '{\"warp_size\":32}';"
       "UPDATE run SET template_fingerprint = 'older'");
  CHECK(place.run({"check"}).exit_code == 0);
}

TEST_CASE("check of a file that is not there, or no database, is an error") {
  const Workplace place;
  const Outcome missing = place.run({"check"});
  CHECK(missing.exit_code == kDatabase);
  CHECK_THAT(missing.err, ContainsSubstring("no such file"));
  const Outcome notes = place.run({"check", "--db", place.write("notes", "These are my notes.\n")});
  CHECK(notes.exit_code == kDatabase);
  CHECK_THAT(notes.err, ContainsSubstring("not a database"));
}

}  // namespace
}  // namespace foldtune::test
