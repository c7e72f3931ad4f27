// foldtune show: its orders, its CSV, and the devices that it chooses as other verbs do.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/tuner/program.h"
#include "tests/tuner/tuned_database.h"
#include "tests/tuner/tuned_on_cpu.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

/// The records of a CSV text, by RFC 4180.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> records(1, {""});
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& field = records.back().back();
    if (is_quoted && text[i] == '"' && text[i + 1] == '"') {
      field += text[++i];
    } else if (text[i] == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && text[i] == ',') {
      records.back().emplace_back();
    } else if (!is_quoted && text[i] == '\n') {
      records.push_back({""});
    } else {
      field += text[i];
    }
  }
  records.pop_back();  // after the last end of line
  return records;
}

/// Three problems, of which the slowest has the highest bandwidth, in two runs.
void make_database(const Workplace& place) {
  TunedDatabase database(place.database());
  database.add(run_on(), {success(sum_of(1 << 24), with_block_size(128), {20})});
  database.add(run_on(), {success(sum_of(1 << 20), with_block_size(512), {3}),
                          success(sum_of(1 << 12), with_block_size(64), {1.5}),
                          failure(sum_of(1 << 12), with_block_size(1024),
                                  foldtune::Outcome::wrong_result, "it is 3,\nnot \"4\"")});
}

std::vector<int> shown_classes(const Workplace& place, const std::vector<std::string>& options) {
  std::vector<std::string> arguments{"show", "--json"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  std::vector<int> classes;
  for (const auto& row : nlohmann::json::parse(place.run(arguments).out)) {
    classes.push_back(std::stoi(row["bucket"].get<std::string>()));
  }
  return classes;
}

TEST_CASE("Show sorts by problem, time, bandwidth or age") {
  const Workplace place;
  make_database(place);
  CHECK(shown_classes(place, {}) == std::vector{48, 80, 96});
  CHECK(shown_classes(place, {"--sort", "problem"}) == std::vector{48, 80, 96});
  CHECK(shown_classes(place, {"--sort", "us"}) == std::vector{48, 80, 96});
  CHECK(shown_classes(place, {"--sort", "gbps"}) == std::vector{96, 80, 48});
  CHECK(shown_classes(place, {"--all"}) == std::vector{96, 80, 48, 48});
  CHECK(shown_classes(place, {"--all", "--sort", "age"}) == std::vector{48, 48, 80, 96});
  CHECK(shown_classes(place, {"--all", "--sort", "gbps"}) == std::vector{96, 80, 48, 48});
  const auto rows =
      nlohmann::json::parse(place.run({"show", "--all", "--json", "--sort", "us"}).out);
  CHECK(rows.back()["outcome"] == "wrong_result");
  const std::string text = place.run({"show", "--sort", "gbps"}).out;
  CHECK(text.find("sum f32 2^24") < text.find("sum f32 2^12"));
}

TEST_CASE("Show writes as CSV what it writes as JSON") {
  const Workplace place;
  make_database(place);
  const Outcome csv = place.run({"show", "--all", "--csv"});
  CHECK(csv.exit_code == 0);
  CHECK(csv.err.empty());
  const auto records = parse_csv(csv.out);
  const auto rows = nlohmann::ordered_json::parse(place.run({"show", "--all", "--json"}).out);
  REQUIRE(records.size() == rows.size() + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> names;
    std::vector<std::string> values;
    for (const auto& item : rows[i].items()) {
      const auto& value = item.value();
      names.push_back(item.key());
      values.push_back(value.is_null()     ? ""
                       : value.is_string() ? value.get<std::string>()
                                           : value.dump());
    }
    CHECK(records[0] == names);
    CHECK(records[i + 1] == values);
  }
  CHECK_THAT(csv.out, ContainsSubstring("\"it is 3,\nnot \"\"4\"\"\""));
}

TEST_CASE("CSV of nothing is its header") {
  const Workplace place;
  make_database(place);
  const auto records = parse_csv(place.run({"show", "--csv", "--device", "no such device"}).out);
  REQUIRE(records.size() == 1);
  CHECK(std::ranges::find(records[0], "median_us") != records[0].end());
}

TEST_CASE("Show refuses CSV and JSON together, and an order that there is not") {
  const Workplace place;
  const Outcome both = place.run({"show", "--csv", "--json"});
  CHECK(both.exit_code == kUsage);
  CHECK_THAT(both.err, ContainsSubstring("--csv") && ContainsSubstring("--json"));
  const Outcome unknown = place.run({"show", "--sort", "size"});
  CHECK(unknown.exit_code == kUsage);
  CHECK_THAT(unknown.err, ContainsSubstring("no order 'size'; there is problem, us, gbps, age"));
}

/// Names as an enemy would write them into a database, and controls that none may reach a terminal.
constexpr const char* kHostileText =
    "H\x1b]0;owned\x07\x1b[2J\xc2\x9b\xe2\x80\xae\xff\nfoldtune: error: no\r";

bool is_harmless(const std::string& text) {
  const bool has_control = std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n') || byte == 0x7f || byte == 0xff;
  });
  return !has_control && text.find("\xc2\x9b") == std::string::npos &&
         text.find("\xe2\x80\xae") == std::string::npos &&
         text.find("\nfoldtune: error: no") == std::string::npos;
}

TEST_CASE("No text of a database acts on the terminal that shows it") {
  Workplace place;
  RunRecord run = run_on(kHostileText);
  run.compiler = run.command = run.foldtune_version = run.device.driver = kHostileText;
  run.device.architecture = kHostileText;
  MeasurementRecord failed =
      failure(sum_of(1 << 12), with_block_size(1024), foldtune::Outcome::crashed, kHostileText);
  TunedDatabase(place.database())
      .add(run, {success(sum_of(1 << 12), with_block_size(64), {1.5}), failed, stored_sum(14, 2)});
  // No store takes such names, but whoever writes a file may.
  SQLite::Database database(place.database(), SQLite::OPEN_READWRITE);
  SQLite::Statement rename(database,
                           "UPDATE problem SET family = ?1, layout = ?1 WHERE bucket = '56'");
  rename.bind(1, kHostileText);
  REQUIRE(rename.exec() == 1);
  const std::string named = place.file(std::string("a") + kHostileText);
  const std::vector<std::vector<std::string>> commands{
      {"show"},
      {"show", "--all"},
      {"show", "--all", "--csv"},
      {"show", "--all", "--json"},
      {"show", "--db", named},
      {"why", "--op", "sum", "--type", "f32", "--n", "4096"},
      {"why", "--op", "sum", "--type", "f32", "--n", "4096", "--json"},
      {"diff", place.database(), place.database()},
      {"landscape", "--op", "sum", "--type", "f32", "--n", "4096"},
      {"prune", "--older-than", "0", "--dry-run"},
      {"doctor", "--db", place.database()},
      {"import", "--db", place.file("other.db"), place.database()},
      {"import", "--db", place.file("other.db"), named},
      {"export", "-o", place.file("missing") + "/" + kHostileText},
      {kHostileText},
      {"show", "--op", kHostileText},
      {"run", "--op", "sum", "--type", "f32", "--device", "cpu", named}};
  for (const auto& command : commands) {
    const Outcome outcome = place.run(command);
    INFO(command.size() << " arguments\n" << outcome.out << outcome.err);
    CHECK(outcome.exit_code != 1);
    CHECK(is_harmless(outcome.out));
    CHECK(is_harmless(outcome.err));
    if (command.back() == "--json") CHECK(nlohmann::json::accept(outcome.out));
  }
}

TEST_CASE("Every verb that chooses rows by their device takes cpu, and parts of names") {
  const Workplace place;
  copy_tuned(place);
  store(place.database(), {success(sum_of(1000), with_block_size(64), {5})}, run_on("NVIDIA Cpu"));
  const auto json_of = [&](std::vector<std::string> arguments, const std::string& device) {
    arguments.insert(arguments.end(), {"--json", "--device", device});
    const Outcome outcome = place.run(arguments);
    CAPTURE(arguments, outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return nlohmann::json::parse(outcome.out);
  };
  const auto kinds_in = [&](const nlohmann::json& rows) {
    std::set<std::string> kinds;
    for (const auto& row : rows) kinds.insert(row["device_kind"]);
    return kinds;
  };
  const std::set<std::string> cpu{"cpu"};
  for (const std::string verb : {"show", "why", "landscape"}) {
    const std::vector<std::string> whole =
        verb == "show" ? std::vector<std::string>{verb}
                       : std::vector<std::string>{verb, "--op", "sum", "--n", "1000"};
    CHECK(kinds_in(json_of(whole, "cpu")) == cpu);
    CHECK(kinds_in(json_of(whole, "nvidia c")) == std::set<std::string>{"cuda"});
  }
  CHECK(kinds_in(json_of({"diff", place.database(), place.database()}, "cpu")["devices"]) == cpu);
  CHECK(json_of({"export", "-o", place.file("cpu.json")}, "cpu")["devices"] == 1);
  CHECK(json_of({"export", "-o", place.file("gpu.json")}, "nvidia")["measurements"] == 1);
  const auto pruned = json_of({"prune", "--dry-run"}, "cpu");
  for (const auto& group : pruned["groups"]) {
    CHECK(group["device_name"] != "NVIDIA Cpu");
  }
  CHECK(json_of({"prune", "--dry-run"}, "nvidia cpu")["measurements"] == 1);
}

TEST_CASE("Every verb that chooses rows by their device says which GPU is not there") {
  Workplace place;
  copy_tuned(place);
  place.set("CUDA_VISIBLE_DEVICES", "-1");
  const std::string database = place.database();
  for (std::vector<std::string> arguments : {std::vector<std::string>{"show"},
                                             {"show", "--all"},
                                             {"why", "--op", "sum", "--n", "1000"},
                                             {"landscape", "--op", "sum", "--n", "1000"},
                                             {"diff", database, database},
                                             {"export", "-o", place.file("out")},
                                             {"bundle", "-o", place.file("out")},
                                             {"prune", "--dry-run"}}) {
    arguments.insert(arguments.end(), {"--device", "cuda:0"});
    const Outcome outcome = place.run(arguments);
    CAPTURE(arguments, outcome.err);
    CHECK(outcome.exit_code == kUnavailable);
    CHECK(outcome.out.empty());
  }
}

}  // namespace
}  // namespace foldtune::test
