// foldtune export: what is in its file, and that import makes the same database of it.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "tests/catch.h"
#include "tests/tuner/exchanged_file.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

TEST_CASE("export and import make an equal database") {
  const Workplace place;
  store_variety(place.database());
  const Outcome exported = place.run({"export", "-o", place.file("all.json")});
  CAPTURE(exported.out, exported.err);
  CHECK(exported.exit_code == 0);
  CHECK(exported.out.empty());
  CHECK_THAT(exported.err, ContainsSubstring("exported 6 measurements of 3 runs on 2 devices"));

  const std::string copy = place.file("copy.db");
  const Outcome imported = place.run({"import", place.file("all.json"), "--db", copy});
  CAPTURE(imported.out, imported.err);
  CHECK(imported.exit_code == 0);
  CHECK(contents(copy).size() == kVarietyRows);
  CHECK(contents(copy) == contents(place.database()));
  CHECK(place.run({"doctor", "--db", copy}).exit_code == 0);

  const Outcome again = place.run({"export", "--db", copy});
  json first = read_export(place.file("all.json"));
  json second = json::parse(again.out);
  first.erase("exported_at");
  second.erase("exported_at");
  CHECK(second == first);
}

TEST_CASE("An exported file names its format, its version and where it is from") {
  const Workplace place;
  store(place.database(), {stored_sum(20, 5)});
  const json file = json::parse(place.run({"export"}).out);
  CHECK(file["format"] == "foldtune-tuning");
  CHECK(file["version"] == 6);
  CHECK(file["foldtune_version"].is_string());
  CHECK(file["exported_at"].get<std::string>().size() == 20);
  REQUIRE(file["runs"].size() == 1);
  REQUIRE(file["measurements"].size() == 1);
  CHECK(file["runs"][0]["device_name"] == "NVIDIA H200");
  CHECK(file["measurements"][0]["run_id"] == file["runs"][0]["run_id"]);
  CHECK(file["measurements"][0]["params"]["block_size"].is_number());
  CHECK(file["measurements"][0]["hot_us"].is_null());
  CHECK(file["hashes"].size() == 2);
}

std::size_t exported_rows(const Workplace& place, std::vector<std::string> options) {
  options.insert(options.begin(), "export");
  const Outcome result = place.run(options);
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  const json file = json::parse(result.out);
  // Nothing is there that no measurement refers to.
  std::set<int> runs;
  for (const json& row : file["measurements"]) runs.insert(row["run_id"].get<int>());
  CHECK(file["runs"].size() == runs.size());
  return file["measurements"].size();
}

TEST_CASE("export takes the filters of show, and the best alone") {
  const Workplace place;
  store_variety(place.database());
  store(place.database(), {stored_sum(20, 4)});
  CHECK(exported_rows(place, {}) == kVarietyRows + 1);
  CHECK(exported_rows(place, {"--op", "max,histogram"}) == 2);
  CHECK(exported_rows(place, {"--op", "custom"}) == 1);
  CHECK(exported_rows(place, {"--type", "f16"}) == 2);
  CHECK(exported_rows(place, {"--device", "h100"}) == 2);
  CHECK(exported_rows(place, {"--op", "sum", "--type", "f32", "--device", "h200"}) == 4);
  CHECK(exported_rows(place, {"--best", "--op", "sum"}) == 2);
  CHECK(exported_rows(place, {"--device", "none"}) == 0);
  CHECK(place.run({"export", "--op", "nonsense"}).exit_code == kUsage);
}

TEST_CASE("export leaves out what is no measurement, and says so") {
  const Workplace place;
  store(place.database(), {stored_sum(20, 5), stored_sum(22, 9)});
  SQLite::Database(place.database(), SQLite::OPEN_READWRITE)
      .exec("UPDATE measurement SET samples_us = '[\"x\"]' WHERE measurement_id = 1");
  const Outcome result = place.run({"export"});
  CHECK(result.exit_code == kDatabase);
  CHECK_THAT(result.err, ContainsSubstring("exported 1 measurement of 1 run on 1 device"));
  CHECK_THAT(result.err, ContainsSubstring("left out measurement 1: its samples"));
  CHECK(json::parse(result.out)["measurements"].size() == 1);
}

TEST_CASE("export leaves out what import would refuse") {
  const Workplace place;
  store(place.database(), {stored_sum(20, 5), stored_sum(22, 9)});
  SQLite::Database(place.database(), SQLite::OPEN_READWRITE)
      .exec(GENERATE("UPDATE measurement SET measured_at = '2026-02-30T24:61:61Z'",
                     "UPDATE measurement SET median_us = 5e-324", "UPDATE problem SET layout = ''",
                     "UPDATE problem SET bucket = '28'") +
            std::string(" WHERE problem_id = 1"));
  const Outcome exported = place.run({"export", "-o", place.file("all.json")});
  CAPTURE(exported.err);
  CHECK(exported.exit_code == kDatabase);
  CHECK_THAT(exported.err, ContainsSubstring("exported 1 measurement") &&
                               ContainsSubstring("left out measurement 1: "));
  CHECK(place.run({"import", place.file("all.json"), "--db", place.file("b.db")}).exit_code == 0);
}

TEST_CASE("export replaces a file as a whole, or leaves it") {
  const Workplace place;
  place.write("all.json", "precious");
  CHECK(place.run({"export", "-o", place.file("all.json")}).exit_code == kDatabase);  // no database
  CHECK(read_file(place.file("all.json")) == "precious");
  store(place.database(), {stored_sum(20, 5)});
  CHECK(place.run({"export", "-o", place.file("all.json")}).exit_code == 0);
  CHECK(read_export(place.file("all.json"))["measurements"].size() == 1);
  CHECK(place.run({"export", "-o", place.file("none/all.json")}).exit_code == kFile);
  const Outcome folder = place.run({"export", "-o", place.path().string()});
  CHECK(folder.exit_code == kFile);
  CHECK_THAT(folder.err, ContainsSubstring("no regular file"));
  CHECK(place.run({"export", "-o", "/dev/full"}).exit_code == kFile);
  // As /dev/stdout is, where the standard output is a pipe.
  int pipe[2] = {};
  REQUIRE(::pipe(pipe) == 0);
  const std::string end = fmt::format("/proc/{}/fd/{}", ::getpid(), pipe[1]);
  CHECK_THAT(place.run({"export", "-o", end}).err,
             ContainsSubstring("no regular file; name one, or - for the standard output"));
  ::close(pipe[0]);
  ::close(pipe[1]);
  for (const auto& entry : std::filesystem::directory_iterator(place.path())) {
    CHECK(entry.path().extension() != ".tmp");
  }
}

/// Every way to write over `target`, of which each has to be refused.
void require_untouched(const Workplace& place, const std::string& target) {
  const std::string before = read_file(target);
  const std::vector<std::vector<std::string>> commands{
      {"export", "-o", target},
      {"export", "--best", "--output", target},
      {"bundle", "-o", target},
      {"landscape", "--op", "sum", "--type", "f32", "--n", "2^20", "--kernel-tuner", target}};
  for (const auto& command : commands) {
    const Outcome outcome = place.run(command);
    INFO(command.front() << " to " << target << ": " << outcome.err);
    CHECK(outcome.exit_code == kFile);
    CHECK(read_file(target) == before);
  }
}

TEST_CASE("No output replaces a database, whatever its name is spelt like") {
  const Workplace place;
  store(place.database(), {stored_sum(20, 5)});
  store(place.file("other.db"), {stored_sum(20, 5)});
  std::filesystem::create_symlink("tuning.db", place.file("link"));
  std::filesystem::create_symlink("link", place.file("link-to-link"));
  std::filesystem::create_hard_link(place.database(), place.file("hard"));
  require_untouched(place, place.database());
  require_untouched(place, place.path() / "." / ".." / place.path().filename() / "tuning.db");
  require_untouched(place, place.file("link"));
  require_untouched(place, place.file("link-to-link"));
  require_untouched(place, place.file("hard"));
  require_untouched(place, place.file("other.db"));
  place.write("tuning.db-wal", "");
  require_untouched(place, place.file("tuning.db-wal"));
}

TEST_CASE("What an output replaces keeps its mode, and a link to it stays") {
  const Workplace place;
  store(place.database(), {stored_sum(20, 5)});
  const std::string file = place.write("all.json", "old");
  ::chmod(file.c_str(), 0640);
  std::filesystem::create_symlink("all.json", place.file("link.json"));
  REQUIRE(place.run({"export", "-o", place.file("link.json")}).exit_code == 0);
  CHECK(std::filesystem::is_symlink(place.file("link.json")));
  CHECK(read_export(file)["measurements"].size() == 1);
  CHECK(std::filesystem::status(file).permissions() == std::filesystem::perms(0640));
  std::filesystem::create_symlink("new.json", place.file("dangling.json"));
  REQUIRE(place.run({"export", "-o", place.file("dangling.json")}).exit_code == 0);
  CHECK(read_export(place.file("new.json"))["measurements"].size() == 1);
  std::filesystem::create_symlink("loop.json", place.file("loop.json"));
  CHECK(place.run({"export", "-o", place.file("loop.json")}).exit_code == kFile);
}

TEST_CASE("An output does not follow another user's link") {
  if (::geteuid() != 0) return;  // only root can make one
  const Workplace place;
  store(place.database(), {stored_sum(20, 5)});
  const std::string victim = place.write("victim", "precious");
  std::filesystem::create_symlink("victim", place.file("planted"));
  REQUIRE(::lchown(place.file("planted").c_str(), 65534, 65534) == 0);
  CHECK(place.run({"export", "-o", place.file("planted")}).exit_code == kFile);
  CHECK(read_file(victim) == "precious");
}

TEST_CASE("An output that fails leaves nothing beside its target") {
  const Workplace place;
  store(place.database(), {stored_sum(20, 5)});
  SQLite::Database(place.database(), SQLite::OPEN_READWRITE).exec("DROP TABLE config");
  CHECK(place.run({"export", "-o", place.file("all.json")}).exit_code == kDatabase);
  for (const auto& entry : std::filesystem::directory_iterator(place.path())) {
    CHECK(entry.path().filename().string().starts_with("tuning.db"));
  }
}

TEST_CASE("export reads a database in a folder that is read-only") {
  const Workplace place;
  const std::filesystem::path folder = place.path() / "frozen";
  std::filesystem::create_directory(folder);
  store(folder / "tuning.db", {stored_sum(20, 5)});
  ::chmod((folder / "tuning.db").c_str(), 0444);
  ::chmod(folder.c_str(), 0555);
  ::chmod(place.path().c_str(), 0755);
  const Outcome frozen = place.run_as_nobody({"export", "--db", folder / "tuning.db"});
  CAPTURE(frozen.err);
  CHECK(frozen.exit_code == 0);
  CHECK(json::parse(frozen.out)["measurements"].size() == 1);
  ::chmod(folder.c_str(), 0755);
}

}  // namespace
}  // namespace foldtune::test
