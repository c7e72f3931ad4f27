// foldtune doctor: what it finds, and its exit code.
#include <SQLiteCpp/Database.h>

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
  CHECK_THAT(result.out, ContainsSubstring("measurement 1: the tunable block_size is missing") &&
                             ContainsSubstring("measurement 2: ") &&
                             ContainsSubstring("\n2 problems\n"));
  // Of other kernel sources it knows no tunables.
  database.exec("UPDATE run SET template_fingerprint = 'older'");
  CHECK(place_.run({"doctor"}).exit_code == 0);
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
  RunRecord other = run_on();
  other.template_fingerprint = "older";
  store(place_.file("bundle.db"), {stored_sum(20, 5)}, other);
  CHECK_THAT(text_of(diagnose(kDatabase), "bundle"), ContainsSubstring("other kernels"));
  store(place_.file("bundle.db"), {stored_sum(20, 5)});
  CHECK(status_of(diagnose(0), "bundle") == "ok");
}

}  // namespace
}  // namespace foldtune::test
