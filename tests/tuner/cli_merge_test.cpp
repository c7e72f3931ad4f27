// foldtune merge: its summary, its exit code, and what it refuses.
#include <SQLiteCpp/Database.h>

#include <filesystem>

#include "tests/catch.h"
#include "tests/tuner/program.h"
#include "tests/tuner/tuned_database.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("merge makes one database of several, and a second time changes nothing") {
  const Workplace place;
  const std::string all = place.file("all.db");
  store(place.file("a.db"), {stored_sum(20, 5), stored_sum(22, 9)});
  store(place.file("b.db"), {stored_sum(20, 4)}, run_on("NVIDIA H200"));
  const std::vector<std::string> arguments{"merge", all, place.file("a.db"), place.file("b.db")};
  const Outcome first = place.run(arguments);
  CAPTURE(first.out, first.err);
  CHECK(first.exit_code == 0);
  CHECK_THAT(first.out, ContainsSubstring("a.db: 2 added, 0 already there, 0 refused"));
  CHECK_THAT(first.out,
             ContainsSubstring("the best changed for 0 problems, and is the first for 2"));
  CHECK_THAT(first.out, ContainsSubstring("b.db: 1 added, 0 already there, 0 refused"));
  CHECK_THAT(first.out,
             ContainsSubstring("the best changed for 1 problem, and is the first for 0"));
  const Outcome second = place.run(arguments);
  CHECK(second.exit_code == 0);
  CHECK_THAT(second.out, ContainsSubstring("a.db: 0 added, 2 already there, 0 refused"));
  CHECK(place.run({"check", "--db", all}).exit_code == 0);
  CHECK_FALSE(std::filesystem::exists(place.database()));
}

TEST_CASE("merge says what it refuses, adds the rest, and fails") {
  const Workplace place;
  store(place.file("a.db"), {stored_sum(20, 5), stored_sum(22, 9)});
  SQLite::Database(place.file("a.db"), SQLite::OPEN_READWRITE)
      .exec("UPDATE measurement SET samples_us = '[\"x\"]' WHERE measurement_id = 1");
  const Outcome result = place.run({"merge", place.file("all.db"), place.file("a.db")});
  CHECK(result.exit_code == kDatabase);
  CHECK_THAT(result.out, ContainsSubstring("a.db: 1 added, 0 already there, 1 refused"));
  CHECK_THAT(result.out, ContainsSubstring("refused measurement 1: its samples"));
}

TEST_CASE("merge wants two files, that are two") {
  const Workplace place;
  store(place.database(), {stored_sum(20, 5)});
  CHECK(place.run({"merge", place.database()}).exit_code == kUsage);
  const Outcome same = place.run({"merge", place.database(), place.database()});
  CHECK(same.exit_code == kDatabase);
  CHECK_THAT(same.err, ContainsSubstring("same file"));
  const Outcome missing = place.run({"merge", place.file("new.db"), place.file("none.db")});
  CHECK(missing.exit_code == kDatabase);
  CHECK_THAT(missing.err, ContainsSubstring("no such file"));
  CHECK_FALSE(std::filesystem::exists(place.file("new.db")));
}

}  // namespace
}  // namespace foldtune::test
