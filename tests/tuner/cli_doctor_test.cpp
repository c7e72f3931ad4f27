// foldtune doctor: what it finds, and its exit code.
#include <SQLiteCpp/Database.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/tuner/program.h"
#include "tests/tuner/tuned_database.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;

/// The status of the first finding of the area; "none" without one.
std::string status_of(const Json& report, const std::string& area) {
  for (const Json& finding : report["findings"]) {
    if (finding["area"] == area) return finding["status"];
  }
  return "none";
}

std::string text_of(const Json& report, const std::string& area) {
  for (const Json& finding : report["findings"]) {
    if (finding["area"] == area) return finding["text"];
  }
  return "none";
}

/// On this machine, whatever it has of CUDA: a driver that does not work is nothing to do with the
/// test.
class DoctorTest {
 protected:
  Json diagnose(int exit_code, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"doctor", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome result = place_.run(arguments);
    CAPTURE(result.out, result.err);
    CHECK(result.exit_code == exit_code);
    return Json::parse(result.out);
  }

  Workplace place_;
};

TEST_CASE_METHOD(DoctorTest, "doctor: nothing is broken where nothing was tuned yet") {
  const Json report = diagnose(0);
  CHECK(report["problems"] == 0);
  CHECK(status_of(report, "cpu") == "ok");
  CHECK(status_of(report, "database") == "note");
  const Outcome text = place_.run({"doctor"});
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.out,
             ContainsSubstring("ok       cpu: ") && ContainsSubstring("nothing is broken"));
}

TEST_CASE_METHOD(DoctorTest, "doctor: works without NVRTC and the toolkit") {
  place_.set("FOLDTUNE_NVRTC", "/nowhere");
  place_.set("FOLDTUNE_TOOLKIT", "/nowhere");
  const Json report = diagnose(0);
  CHECK(status_of(report, "nvrtc") == "note");
  CHECK(status_of(report, "toolkit") == "note");
}

TEST_CASE_METHOD(DoctorTest, "doctor: a machine without foldtune-worker cannot tune") {
  CHECK(status_of(diagnose(0), "worker") == "ok");
  place_.set("FOLDTUNE_WORKER", "/nowhere/foldtune-worker");
  const Json report = diagnose(kUnavailable);
  CHECK(status_of(report, "worker") == "problem");
  CHECK_THAT(text_of(report, "worker"), ContainsSubstring("/nowhere/foldtune-worker"));
  place_.set("FOLDTUNE_WORKER", "/bin/true");
  CHECK_THAT(text_of(diagnose(kUnavailable), "worker"),
             ContainsSubstring("not the foldtune-worker of this"));
}

TEST_CASE_METHOD(DoctorTest, "doctor: tells of a database that could not be made") {
  place_.set("FOLDTUNE_DB", "/proc/nowhere/tuning.db");
  CHECK(status_of(diagnose(kDatabase), "database") == "problem");
}

TEST_CASE_METHOD(DoctorTest, "doctor: tells of the database and the kernels in it") {
  store(place_.database(), {stored_sum(20, 5), stored_sum(22, 9)});
  const std::string before = read_file(place_.database());
  const Json report = diagnose(0);
  CHECK(status_of(report, "database") == "ok");
  CHECK_THAT(text_of(report, "database"),
             ContainsSubstring("is sound: ") &&
                 ContainsSubstring("2 measurements, 2 results for these kernels"));
  CHECK(status_of(report, "kernels") == "ok");
  CHECK_THAT(text_of(report, "kernels"), ContainsSubstring("0 kernels kept, 0 B of at most 256"));
  CHECK(read_file(place_.database()) == before);
}

TEST_CASE_METHOD(DoctorTest, "doctor: looks at a database alone, whatever the machine") {
  store(place_.file("other.db"), {stored_sum(20, 5)});
  place_.set("PATH", place_.path());  // no device is usable
  place_.set("CXX", "");
  CHECK(status_of(diagnose(0, {"--db", place_.file("other.db")}), "cpu") == "none");
  CHECK(status_of(diagnose(kDatabase, {"--db", place_.database()}), "database") == "problem");
}

TEST_CASE_METHOD(DoctorTest, "doctor: each fault of a row is a problem") {
  store(place_.database(), {stored_sum(20, 5), stored_sum(22, 9)});
  SQLite::Database database(place_.database(), SQLite::OPEN_READWRITE);
  database.exec("UPDATE config SET params = '{\"warp_size\":32}'");
  const Outcome result = place_.run({"doctor"});
  CHECK(result.exit_code == kDatabase);
  CHECK_THAT(result.out,
             ContainsSubstring("measurement 1: of its params, the tunable block_size is missing") &&
                 ContainsSubstring("measurement 2: ") && ContainsSubstring("\n2 problems\n"));
  const Json diagnosis = diagnose(kDatabase);
  for (const Json& finding : diagnosis["findings"]) {
    if (finding["status"] != "problem") continue;
    CHECK_THAT(finding["text"].get<std::string>(), !ContainsSubstring("delete the row"));
    CHECK_THAT(finding["remedy"].get<std::string>(), ContainsSubstring("delete the row"));
  }
  // Of other kernel sources it knows no tunables.
  database.exec("UPDATE problem SET template_fingerprint = 'older'");
  CHECK(place_.run({"doctor"}).exit_code == 0);
}

TEST_CASE_METHOD(DoctorTest, "doctor: results of a family that is not known are one note") {
  store(place_.database(),
        {with_kernels("theirs", stored_sum(20, 5)), with_kernels("theirs", stored_sum(22, 9))});
  SQLite::Database(place_.database(), SQLite::OPEN_READWRITE)
      .exec("UPDATE problem SET family = 'mine'");
  const Outcome result = place_.run({"doctor", "--db", place_.database()});
  CAPTURE(result.out);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, ContainsSubstring("note     database: ") &&
                             ContainsSubstring("2 measurements of the family mine") &&
                             ContainsSubstring("--family") && !ContainsSubstring("delete"));
  // So they are exported, for those who have its file.
  CHECK_THAT(place_.run({"export", "-o", place_.file("all.json")}).err,
             ContainsSubstring("exported 2 measurements"));
}

TEST_CASE_METHOD(DoctorTest, "doctor: a database that programs cannot use is a problem") {
  SECTION("no database") {
    place_.write("tuning.db", "These are my notes, and they are long enough for a header.\n");
  }
  SECTION("of another version") {
    store(place_.database(), {stored_sum(20, 5)});
    SQLite::Database(place_.database(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
  }
  SECTION("damaged") {
    store(place_.database(), {stored_sum(20, 5)});
    std::string bytes = read_file(place_.database());
    bytes.replace(4096, 2000, 2000, '\xff');
    place_.write("tuning.db", bytes);
  }
  const Json report = diagnose(kDatabase);
  CHECK(report["problems"] >= 1);
  CHECK(status_of(report, "database") == "problem");
}

TEST_CASE_METHOD(DoctorTest, "doctor: a place that tune cannot make a database in is a problem") {
  namespace fs = std::filesystem;
  const auto check = [&](const std::string& database, const std::string& reason) {
    place_.set("FOLDTUNE_DB", database);
    const Json report = diagnose(kDatabase);
    CHECK(status_of(report, "database") == "problem");
    CHECK_THAT(text_of(report, "database"), ContainsSubstring(reason));
    CHECK(place_.run({"tune", "--device", "cpu", "--n", "1K"}).exit_code == kDatabase);
  };
  check(place_.write("notes", "text") + "/tuning.db", "notes is not a folder");
  check(place_.path() / "notes/more/tuning.db", "Not a directory");
  check(place_.path(), "it is a folder");
  place_.set("FOLDTUNE_DB", place_.path() / "new/folder/tuning.db");
  CHECK(status_of(diagnose(0), "database") == "note");
  CHECK_FALSE(fs::exists(place_.path() / "new"));

  fs::create_directory(place_.path() / "fixed");
  fs::permissions(place_.path() / "fixed", fs::perms::owner_read | fs::perms::owner_exec |
                                               fs::perms::others_read | fs::perms::others_exec);
  fs::permissions(place_.path(), fs::perms::owner_all | fs::perms::others_exec);
  place_.set("FOLDTUNE_DB", place_.path() / "fixed/new/tuning.db");
  place_.set("TMPDIR", "/tmp");  // for the compiler
  const Outcome bound = place_.run_as_nobody({"doctor"});
  CHECK(bound.exit_code == kDatabase);
  CHECK_THAT(bound.out, ContainsSubstring("it cannot be made: " + place_.file("fixed") +
                                          ": Permission denied"));
}

TEST_CASE_METHOD(DoctorTest, "doctor: a disk without space for a log is a problem") {
  store(place_.database(), {stored_sum(20, 5)});
  const auto doctor = [&](const std::string& database) {
    const std::string command = "FOLDTUNE_DB='" + database +
                                "' '" FOLDTUNE_PROGRAM "' doctor | cat > '" + place_.file("out") +
                                "'";
    // Enough for the log's index, and not for a log.
    constexpr rlim_t kMaxFileBytes = 48 << 10;
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const rlimit small{.rlim_cur = kMaxFileBytes, .rlim_max = before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    const int status = std::system(command.c_str());
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    REQUIRE(status == 0);
    return read_file(place_.file("out"));
  };
  CHECK_THAT(
      doctor(place_.database()),
      ContainsSubstring("problem  database: ") &&
          ContainsSubstring("cannot be written: " + place_.path().string() + ": File too large"));
  CHECK_THAT(
      doctor(place_.file("none.db")),
      ContainsSubstring("it cannot be made: " + place_.path().string() + ": File too large"));
}

TEST_CASE_METHOD(DoctorTest,
                 "doctor: a cache without a sensible limit is a problem, one of 0 not") {
  store(place_.database(), {stored_sum(20, 5)});
  place_.set("FOLDTUNE_CACHE_BYTES", "0");
  CHECK(status_of(diagnose(0), "kernels") == "note");
  place_.set("FOLDTUNE_CACHE_BYTES", "much");
  CHECK(status_of(diagnose(kDatabase), "kernels") == "problem");
}

TEST_CASE_METHOD(DoctorTest,
                 "doctor: a bundle that is not there, or of other kernels, is a problem") {
  place_.set("FOLDTUNE_BUNDLE", place_.file("bundle.db"));
  CHECK(status_of(diagnose(kDatabase), "bundle") == "problem");
  store(place_.file("bundle.db"), {with_kernels("older", stored_sum(20, 5))}, run_on());
  CHECK_THAT(text_of(diagnose(kDatabase), "bundle"),
             ContainsSubstring("no results of the kernels of this"));
  store(place_.file("bundle.db"), {stored_sum(20, 5)});
  CHECK(status_of(diagnose(0), "bundle") == "ok");
}

TEST_CASE_METHOD(DoctorTest, "doctor: a value that no tuning stores is a problem, in any column") {
  const std::vector<std::pair<std::string, std::string>> edits{
      {"UPDATE measurement SET shape = '0'", "shape"},
      {"UPDATE measurement SET shape = '0'; UPDATE problem SET bucket = '0'", "shape"},
      {"UPDATE measurement SET shape = '9223372036854775807'", "shape"},
      {"UPDATE measurement SET shape = '-1'", "shape"},
      {"UPDATE measurement SET shape = '1048576x1'", "shape"},
      {"UPDATE problem SET bucket = '4611686018427387904'", "bucket"},
      {"UPDATE problem SET bucket = '-1'", "bucket"},
      {"UPDATE problem SET bucket = '21'", "bucket"},
      {"UPDATE problem SET problem = replace(problem, 'op=sum', 'op=summ')", "op"},
      {"UPDATE problem SET problem = replace(problem, 'type=f32', 'type=f31')", "type"},
      {"UPDATE problem SET problem = replace(problem, 'accumulator=f32', 'accumulator=')",
       "accumulator"},
      {"UPDATE problem SET problem = 'no fields'", "problem"},
      {"UPDATE problem SET layout = '3'", "layout"},
      {"UPDATE problem SET problem = problem || ' determinism=never'", "determinism"},
      {"UPDATE problem SET family = 'x'", "family"},
      {"UPDATE problem SET problem = problem || ' nan=maybe'", "nan"},
      {"UPDATE measurement SET measured_at = '9999-99-99T99:99:99Z'", "measured_at"},
      {"UPDATE run SET started_at = '2026-02-30T00:00:00Z'", "started_at"},
      {"UPDATE measurement SET is_default = 7", "is_default"},
      {"UPDATE measurement SET round = -9223372036854775808", "round"},
      {"UPDATE measurement SET registers = 4294967297", "registers"},
      {"UPDATE measurement SET median_us = 9e999", "median_us"},
      {"UPDATE measurement SET mad_us = -1", "mad_us"},
      {"UPDATE run SET device_multiprocessor_count = 1099511627776", "device_multiprocessor_count"},
      {"UPDATE config SET params = '{}'", "params"},
      {"UPDATE config SET params = 'no JSON'", "params"},
      {"UPDATE config SET params = printf('{\"a\":%.100000c0%.100000c}', '[', ']')", "params"}};
  store(place_.database(), {stored_sum(20, 5)});
  const std::string sound = read_file(place_.database());
  for (const auto& [edit, column] : edits) {
    place_.write("tuning.db", sound);
    SQLite::Database(place_.database(), SQLite::OPEN_READWRITE).exec(edit);
    const Outcome result = place_.run({"doctor", "--db", place_.database()});
    CAPTURE(edit, result.out);
    CHECK(result.exit_code == kDatabase);
    CHECK_THAT(result.out, ContainsSubstring(column));
  }
}

TEST_CASE_METHOD(DoctorTest,
                 "Rows that are no measurements are left out with a note, by every verb") {
  const std::vector<std::string> problem{"--op", "sum", "--type", "f32", "--n", "2^10"};
  const auto with_problem = [&](std::vector<std::string> command) {
    command.insert(command.end(), problem.begin(), problem.end());
    return command;
  };
  const std::vector<std::string> tune =
      with_problem({"tune", "--device", "cpu", "--max-evals", "2"});
  REQUIRE(place_.run(tune).exit_code == 0);
  const std::string sound = read_file(place_.database());
  // What each verb says of a row that it reads, of the best ones alone or of all.
  const std::vector<std::vector<std::string>> of_best{
      {"show", "--json"},
      {"diff", place_.database(), place_.database()},
      {"revalidate", "--device", "cpu", "--dry-run"}};
  std::vector<std::vector<std::string>> of_all{
      {"show", "--all", "--json"},
      {"show", "--all"},
      with_problem({"why"}),
      with_problem({"landscape"}),
      {"export", "-o", place_.file("out.json")},
      {"import", place_.database(), "--db", place_.file("other.db")},
      tune};
  if (place_.run({"report", "--help"}).exit_code == 0) {
    of_all.push_back({"report", "-o", place_.file("page.html")});
  }
  const std::vector<std::vector<std::string>> of_none{
      {"prune", "--older-than", "0", "--dry-run"},
      {"bundle", "-o", place_.file("bundle.db")}};  // of GPUs
  enum class Fault { in_all, in_one, in_space };
  for (const auto& [edit, fault] : std::vector<std::pair<std::string, Fault>>{
           {"UPDATE config SET params = 'no JSON' WHERE config_id = 1", Fault::in_all},
           {"UPDATE config SET params = '[1]' WHERE config_id = 1", Fault::in_all},
           {"UPDATE config SET params = '{\"block_size\":1e999}' WHERE config_id = 1",
            Fault::in_all},
           {"UPDATE config SET params = '{\"block_size\":3}' WHERE config_id = 1", Fault::in_space},
           {"UPDATE measurement SET samples_us = '{' WHERE measurement_id = 1", Fault::in_one},
           {"UPDATE measurement SET median_us = -5 WHERE measurement_id = 1", Fault::in_one},
           {"UPDATE measurement SET round = 2147483647 WHERE measurement_id = 1",
            Fault::in_space}}) {
    const auto check = [&, &edit = edit](const std::vector<std::string>& command, bool has_note) {
      place_.write("tuning.db", sound);
      SQLite::Database(place_.database(), SQLite::OPEN_READWRITE).exec(edit);
      std::filesystem::remove(place_.file("other.db"));
      const Outcome result = place_.run(command);
      CAPTURE(edit, command.front(), result.out, result.err);
      CHECK((result.exit_code == 0 || result.exit_code == kUsage || result.exit_code == kDatabase));
      CHECK_THAT(result.err, !ContainsSubstring("unexpected"));
      if (command.back() == "--json") CHECK(Json::accept(result.out));
      if (!has_note) return;
      CHECK_THAT(result.err + result.out,
                 ContainsSubstring("left out") || ContainsSubstring("refused measurement 1"));
    };
    for (const auto& command : of_best) check(command, fault == Fault::in_all);
    for (const auto& command : of_all) {
      const bool reads_params = command.front() == "tune" || command.front() == "landscape";
      check(command,
            fault != Fault::in_space || (reads_params && edit.starts_with("UPDATE config")));
    }
    for (const auto& command : of_none) check(command, false);
  }
}

}  // namespace
}  // namespace foldtune::test
