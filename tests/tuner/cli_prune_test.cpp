// foldtune prune: its rules, what it prints, and what it refuses.
#include <SQLiteCpp/Database.h>

#include <filesystem>

#include "tests/catch.h"
#include "tests/tuner/program.h"
#include "tests/tuner/tuned_database.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("prune --other-kernels removes what was measured with other kernels, a dry run nothing") {
  const Workplace place;
  store(place.database(), {stored_sum(20, 5)});
  store(place.database(),
        {with_kernels("older", stored_sum(20, 5)), with_kernels("older", stored_sum(22, 9))},
        run_on("NVIDIA H100"));
  const std::string group =
      "NVIDIA H100 (driver 580.1), nvrtc 13.0, other kernels than those here: "
      "2 measurements of 2 problems";
  const Outcome dry = place.run({"prune", "--other-kernels", "--dry-run"});
  CAPTURE(dry.out, dry.err);
  CHECK(dry.exit_code == 0);
  CHECK_THAT(dry.out, ContainsSubstring(group));
  CHECK_THAT(dry.out, ContainsSubstring("would remove 2 measurements"));
  const Outcome wet = place.run({"prune", "--other-kernels"});
  CHECK(wet.exit_code == 0);
  CHECK_THAT(wet.out, ContainsSubstring(group));
  CHECK_THAT(wet.out, ContainsSubstring("\nremoved 2 measurements"));
  CHECK_THAT(place.run({"prune", "--other-kernels"}).out,
             ContainsSubstring("removed 0 measurements"));
  CHECK_THAT(wet.out, ContainsSubstring(" KiB before, ") && ContainsSubstring(" KiB after"));
  CHECK_THAT(place.run({"doctor", "--db", place.database()}).out,
             ContainsSubstring("1 measurement,"));
}

TEST_CASE("prune --older-than keeps the best, and --device does not") {
  const Workplace place;
  store(place.database(), {stored_sum(20, 5), stored_sum(20, 4)});
  CHECK_THAT(place.run({"prune", "--older-than", "1"}).out,
             ContainsSubstring("removed 0 measurements\n"));
  SQLite::Database(place.database(), SQLite::OPEN_READWRITE)
      .exec("UPDATE measurement SET measured_at = '2026-01-31T12:00:00Z'");
  CHECK_THAT(place.run({"prune", "--older-than", "1"}).out,
             ContainsSubstring("removed 1 measurement; 1 more stays"));
  CHECK_THAT(place.run({"prune", "--device", "h200"}).out,
             ContainsSubstring("removed 1 measurement\n"));
}

TEST_CASE("prune without a rule makes the file smaller, and removes nothing") {
  const Workplace place;
  std::vector<MeasurementRecord> many(100, stored_sum(20, 5));
  store(place.database(), many);
  SQLite::Database(place.database(), SQLite::OPEN_READWRITE)
      .exec("DELETE FROM measurement WHERE measurement_id > 1; PRAGMA wal_checkpoint(TRUNCATE)");
  const auto size = std::filesystem::file_size(place.database());
  CHECK(place.run({"prune", "--dry-run"}).out == "would remove nothing: no rule is given\n");
  CHECK(std::filesystem::file_size(place.database()) == size);
  const Outcome result = place.run({"prune"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, !ContainsSubstring("removed"));
  CHECK(std::filesystem::file_size(place.database()) < size);
  CHECK_THAT(place.run({"show"}).out, ContainsSubstring("sum f32 2^20"));
}

TEST_CASE("prune wants sensible rules, and a database") {
  const Workplace place;
  const Outcome none = place.run({"prune"});
  CHECK(none.exit_code == kDatabase);
  CHECK_THAT(none.err, ContainsSubstring("no such file"));
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"prune", "--dry-run"}, {"prune", "--dry-run", "--json"}}) {
    const Outcome dry = place.run(arguments);
    CHECK(dry.exit_code == kDatabase);
    CHECK(dry.out.empty());
    CHECK_THAT(dry.err, ContainsSubstring("no such file"));
  }
  const std::string empty = place.write("empty.db", "");
  CHECK(place.run({"prune", "--db", empty}).exit_code == kDatabase);
  CHECK(read_file(empty).empty());
  const std::string notes = place.write("notes", "no database\n");
  CHECK(place.run({"prune", "--dry-run", "--db", notes}).exit_code == kDatabase);
  CHECK(place.run({"prune", "--device", ""}).exit_code == kUsage);
  CHECK(place.run({"prune", "--older-than", "-1"}).exit_code == kUsage);
  CHECK(place.run({"prune", "--other-kernels"}).exit_code == kDatabase);
  CHECK_FALSE(std::filesystem::exists(place.database()));
}

}  // namespace
}  // namespace foldtune::test
