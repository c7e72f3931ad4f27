// foldtune report: the page holds what the database does, and nothing of it gets out of its place.
#include <SQLiteCpp/Database.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/tuner/program.h"
#include "tests/tuner/tuned_database.h"
#include "tuner/text/format.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;

constexpr const char* kHostile = "</script><img src=x onerror=alert(1)><!-- & \" ' \xff";

/// The text between the first `begin` and the next `end`.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  REQUIRE(from != std::string::npos);
  const std::size_t to = text.find(end, from + begin.size());
  REQUIRE(to != std::string::npos);
  return text.substr(from + begin.size(), to - from - begin.size());
}

Json data_of(const std::string& page) {
  return Json::parse(between(page, "<script type=\"application/json\" id=\"data\">", "</script>"));
}

int occurrences(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

/// Makes the page of `place.database()`, and reads it back.
Json report(const Workplace& place, std::vector<std::string> more = {}) {
  const std::string page = place.file("report.html");
  std::vector<std::string> arguments{"report", "-o", page};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = place.run(arguments);
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, ContainsSubstring("wrote " + page));
  return data_of(read_file(page));
}

/// The params of a configuration that the page knows by its number.
Json params_of(const Json& data, const Json& config) {
  const Json& places = data["configs"][config.get<std::size_t>()];
  Json params = Json::object();
  std::size_t next = 1;
  for (const Json& tunable : data["shapes"][places[0].get<std::size_t>()]["tunables"]) {
    params[tunable["name"].get<std::string>()] =
        tunable["values"][places[next++].get<std::size_t>()];
  }
  return params;
}

/// A problem with a screening, a comparison and a choice, a smaller one, and failures.
void store_example(const std::string& path) {
  const Workload large = sum_of(1 << 20);
  MeasurementRecord untuned = success(large, with_block_size(512), {6, 6.2, 6.4}, 1);
  untuned.is_default = true;
  TunedDatabase(path).add(
      run_on(),
      {success(large, with_block_size(64), {5}, kScreened),
       success(large, with_block_size(128), {4.1234567}, kScreened),
       failure(large, with_block_size(256), foldtune::Outcome::wrong_result,
               "off by 2.5e+07 of 4\nin detail"),
       failure(large, with_block_size(32), foldtune::Outcome::wrong_result, "off by 13 of 4.5"),
       failure(large, with_block_size(1024), foldtune::Outcome::crashed, kHostile), untuned,
       success(large, with_block_size(128), {4, 4.25, 4.5}, 1),
       success(large, with_block_size(128), {4, 4.25, 4.5}, 2),
       success(sum_of(1 << 12), with_block_size(64), {1.5})});
}

TEST_CASE("Report's page holds what the database does") {
  const Workplace place;
  store_example(place.database());
  const Json data = report(place);
  REQUIRE(data["devices"].size() == 1);
  const Json& device = data["devices"][0];
  CHECK(device["name"] == "NVIDIA Test");
  CHECK(device["driver"] == "580.1");
  CHECK(device["compiler"] == "nvrtc 13.0");
  CHECK(device["has_these_kernels"] == true);
  CHECK(device["measurements"] == 9);
  CHECK(device["failed"] == 3);
  CHECK(device["read_bandwidth_gbps"] == 4000);
  REQUIRE(device["runs"].size() == 1);
  CHECK(device["runs"][0]["command"] == run_on().command);
  CHECK(device["runs"][0]["measurements"] == 9);

  const auto bests = open_sqlite_store(place.database(), OpenMode::read_only)->best();
  REQUIRE(device["bests"].size() == bests.size());
  for (std::size_t i = 0; i < bests.size(); ++i) {
    const MeasurementRecord& m = bests[i].measurement;
    const Json& best = device["bests"][i];
    CHECK(data["operations"][best["operation"].get<std::size_t>()]["label"] == "sum f32");
    CHECK(best["shape"] == m.shape);
    CHECK(best["n"] == std::stod(m.shape));
    CHECK(best["bytes"] == m.bytes);
    CHECK(best["us"] == m.median_us);
    CHECK(best["gbps"] == double(m.bytes) / m.median_us / 1e3);
    CHECK(best["percent_of_read_bandwidth"].get<double>() ==
          Approx(double(m.bytes) / m.median_us / 1e3 / 40));
    CHECK(best["measured_at"] == bests[i].measured_at);
    CHECK(params_of(data, best["config"]) == Json::parse(m.params));
  }
}

TEST_CASE("Report's page has the default's time, the landscape and the floor of the limit") {
  const Workplace place;
  store_example(place.database());
  const Json data = report(place);
  const Json& device = data["devices"][0];
  const Json& small = device["bests"][0];
  const Json& large = device["bests"][1];
  CHECK(small["default_us"].is_null());
  CHECK(large["default_us"] == 6.2);
  CHECK(device["launch_floor"] == Json{{"us", 1.5}, {"best", 0}});

  const Json& landscape = large["landscape"];
  REQUIRE(landscape["configs"].size() == 3);
  CHECK(landscape["us"] == Json{4.1235, 5, 6.2});  // to five digits, the fastest first
  CHECK(params_of(data, landscape["configs"][0])["block_size"] == 128);
  CHECK(landscape["failed"].size() == 3);
  CHECK(landscape["left_out"] == 0);
}

TEST_CASE("Report's page counts failures by reason, and shows their texts as they are") {
  const Workplace place;
  store_example(place.database());
  const Json data = report(place);
  const Json& failures = data["devices"][0]["failures"];
  REQUIRE(failures.size() == 2);
  CHECK(failures[0]["outcome"] == "wrong_result");
  CHECK(failures[0]["times"] == 2);
  CHECK(failures[0]["problems"] == 1);
  CHECK(failures[0]["configs"] == 2);
  CHECK(failures[0]["reason"] == "off by 13 of 4.5");
  CHECK(failures[1]["reason"] == "</script><img src=x onerror=alert(1)><!-- & \" ' \uFFFD");
}

TEST_CASE("No text of the database ends the script that it stands in") {
  const Workplace place;
  TunedDatabase(place.database());
  const std::string page = place.file("report.html");
  report(place);
  const std::string empty_page = read_file(page);

  const MeasurementRecord record = success(sum_of(1 << 20), with_block_size(64), {2});
  RunRecord run = run_on("NVIDIA <b>Test</b>");
  run.command = kHostile;
  TunedDatabase(place.database()).add(run, {record});
  const Json data = report(place);
  CHECK(data["devices"][0]["name"] == "NVIDIA <b>Test</b>");
  const std::string full_page = read_file(page);
  for (const char* text : {"</script", "<script", "<!--", "<img", "<b>"}) {
    CAPTURE(text);
    CHECK(occurrences(full_page, text) == occurrences(empty_page, text));
  }
}

TEST_CASE("Report keeps devices, drivers and kernels apart, the newest first") {
  const Workplace place;
  const RunRecord older = run_on("NVIDIA Older");
  store(place.database(), {stored_sum(20, 2)}, older);
  store(place.database(), {with_kernels("0123456789abcdef", stored_sum(20, 3))}, older);
  SQLite::Database(place.database(), SQLite::OPEN_READWRITE)
      .exec("UPDATE measurement SET measured_at = '2020-01-01T00:00:00Z' WHERE run_id = 1");
  const Json data = report(place);
  REQUIRE(data["devices"].size() == 2);
  CHECK(data["devices"][0]["has_these_kernels"] == false);
  CHECK(data["devices"][1]["has_these_kernels"] == true);
  CHECK(data["devices"][1]["bests"][0]["us"] == 2);
  CHECK(report(place, {"--op", "max"})["devices"].empty());
}

TEST_CASE("The page of an empty database is a page, too") {
  const Workplace place;
  TunedDatabase(place.database());
  CHECK(report(place)["devices"].empty());
  CHECK_THAT(read_file(place.file("report.html")), ContainsSubstring("foldtune tune --op sum"));
}

TEST_CASE("Report writes to stdout, too, and changes nothing in the database") {
  const Workplace place;
  store_example(place.database());
  const std::string before = read_file(place.database());
  const Outcome outcome = place.run({"report", "-o", "-"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK(data_of(outcome.out)["devices"].size() == 1);
  CHECK_THAT(outcome.out, Catch::Matchers::StartsWith("<!doctype html>") &&
                              Catch::Matchers::EndsWith("</html>\n"));
  CHECK(read_file(place.database()) == before);
}

TEST_CASE("Report's --json has the page's size and what it leaves out") {
  const Workplace place;
  store_example(place.database());
  const std::string page = place.file("report.html");
  const Outcome outcome = place.run({"report", "-o", page, "--json"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK(Json::parse(outcome.out) == Json{{"file", page},
                                         {"bytes", std::filesystem::file_size(page)},
                                         {"left_out", Json::array()}});
}

TEST_CASE("Report says what is wrong, and leaves an earlier page as it is") {
  const Workplace place;
  store_example(place.database());
  const std::string page = place.write("report.html", "an earlier page");
  const auto fails = [&](const std::vector<std::string>& arguments, int code,
                         const std::string& what) {
    CAPTURE(what);
    const Outcome outcome = place.run(arguments);
    CHECK(outcome.exit_code == code);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, ContainsSubstring(what));
    CHECK(read_file(page) == "an earlier page");
  };
  fails({"report"}, kUsage, "--output is required");
  fails({"report", "-o", "-", "--json"}, kUsage, "name a file with -o");
  fails({"report", "-o", page, "--type", "f31"}, kUsage, "--type: there is no 'f31'");
  fails({"report", "-o", page, "--db", place.file("none")}, kDatabase, place.file("none"));
  fails({"report", "-o", page, "--db", place.write("text", "no database")}, kDatabase, "text");
  fails({"report", "-o", page + "/page.html"}, kFile, "writing the page");
  fails({"report", "-o", place.path().string()}, kFile, "no regular file");
  REQUIRE(::mkfifo(place.file("pipe").c_str(), 0600) == 0);
  fails({"report", "-o", place.file("pipe")}, kFile, "no regular file");
  const std::string before = read_file(place.database());
  fails({"report", "-o", place.database()}, kFile, "it is what is read; name another file");
  CHECK(read_file(place.database()) == before);
  SQLite::Database(place.database(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 1000");
  fails({"report", "-o", page}, kDatabase, "version 1000");
  for (const auto& entry : std::filesystem::directory_iterator(place.path())) {
    CHECK(entry.path().extension() != ".tmp");
  }
}

}  // namespace
}  // namespace foldtune::test
