// foldtune import: what it takes, what it refuses, and what a kill in its midst leaves.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/tuner/exchanged_file.h"
#include "tests/tuner/tuned_on_cpu.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

/// A database that was exported to "all.json".
class Exported : public Workplace {
 public:
  explicit Exported(void (*fill)(const std::string& database) = store_variety) {
    fill(source());
    REQUIRE(run({"export", "--db", source(), "-o", all()}).exit_code == 0);
  }
  std::string source() const { return file("source.db"); }
  std::string all() const { return file("all.json"); }
  json exported() const { return read_export(all()); }
  std::string write_json(const json& content) const {
    return write("changed.json", content.dump());
  }
  Outcome import_json(const json& content) const {
    return run({"import", write_json(content), "--edited"});
  }
};

std::vector<std::string> first_of(std::vector<std::string> rows, std::size_t count) {
  rows.resize(count);
  return rows;
}

TEST_CASE("import again adds nothing") {
  const Exported place;
  const Outcome first = place.run({"import", place.all()});
  CHECK(first.exit_code == 0);
  CHECK_THAT(first.out,
             ContainsSubstring("6 measurements read, 6 added, 0 already there, 0 refused\n"));
  CHECK_THAT(first.out, ContainsSubstring("new: 2 devices, 4 problems\n"));
  const Outcome second = place.run({"import", place.all()});
  CHECK(second.exit_code == 0);
  CHECK_THAT(second.out,
             ContainsSubstring("6 measurements read, 0 added, 6 already there, 0 refused\n"));
  CHECK_THAT(second.out, ContainsSubstring("new: 0 devices, 0 problems\n"));
  CHECK(contents(place.database()) == contents(place.source()));
}

TEST_CASE("import reads the example of the documentation") {
  const std::string text = read_file(FOLDTUNE_DOCS "/database.md");
  const std::string fence = "```json\n";
  const std::size_t begin = text.find(fence) + fence.size();
  const Workplace place;
  const std::string file =
      place.write("example.json", text.substr(begin, text.find("```", begin) - begin));
  const Outcome result = place.run({"import", file});
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, ContainsSubstring("1 measurement read, 1 added"));
}

TEST_CASE("import takes databases as it takes files, and by one rule for what is known") {
  const Exported place;
  store(place.file("more.db"), {stored_sum(20, 4)}, run_on("NVIDIA H200"));
  const std::vector<std::string> all{"import", place.source(), place.file("more.db")};
  const std::string before = read_file(place.source());
  const Outcome dry = place.run({"import", place.source(), "--dry-run"});
  CHECK_THAT(dry.out, ContainsSubstring("6 would be added, 0 already there, 0 refused"));
  CHECK_FALSE(std::filesystem::exists(place.database()));
  const Outcome first = place.run(all);
  CAPTURE(first.out, first.err);
  CHECK(first.exit_code == 0);
  CHECK_THAT(first.out, ContainsSubstring("source.db: 6 measurements read, 6 added"));
  CHECK_THAT(first.out, ContainsSubstring("more.db: 1 measurement read, 1 added"));
  CHECK(first_of(contents(place.database()), kVarietyRows) == contents(place.source()));
  CHECK_THAT(place.run(all).out, ContainsSubstring("0 added, 6 already there"));
  CHECK_THAT(place.run({"import", place.all()}).out, ContainsSubstring("0 added, 6 already there"));
  CHECK_THAT(place.run({"import", place.database()}).out, ContainsSubstring("0 added, 7 already"));
  CHECK(contents(place.database()).size() == kVarietyRows + 1);
  CHECK(read_file(place.source()) == before);
}

TEST_CASE("import takes for another measurement what differs in its time or its samples alone") {
  const Workplace place;
  store(place.database(), {stored_sum(20, 5)});
  std::filesystem::copy_file(place.database(), place.file("b.db"));
  SQLite::Database(place.file("b.db"), SQLite::OPEN_READWRITE)
      .exec(GENERATE("UPDATE measurement SET measured_at = '2025-01-01T00:00:00Z'",
                     "UPDATE measurement SET samples_us = '[5,5]'"));
  CHECK_THAT(place.run({"import", place.file("b.db")}).out, ContainsSubstring("1 added"));
}

TEST_CASE("import of a database refuses what is no measurement, and adds the rest") {
  const Workplace place;
  store(place.file("a.db"), {stored_sum(18, 5), stored_sum(20, 5), stored_sum(22, 9)});
  SQLite::Database(place.file("a.db"), SQLite::OPEN_READWRITE)
      .exec(
          "UPDATE measurement SET samples_us = '[\"x\"]' WHERE measurement_id = 1;"
          "UPDATE run SET device_name = device_name || '+'");
  CHECK_THAT(place.run({"import", place.file("a.db")}).out,
             ContainsSubstring("0 added, 0 already there, 3 refused") &&
                 ContainsSubstring("refused measurement 3: of its run, its device_fingerprint"));
  SQLite::Database(place.file("a.db"), SQLite::OPEN_READWRITE)
      .exec("UPDATE run SET device_name = rtrim(device_name, '+')");
  const Outcome result = place.run({"import", place.file("a.db")});
  CHECK(result.exit_code == kDatabase);
  CHECK_THAT(result.out, ContainsSubstring("2 added, 0 already there, 1 refused") &&
                             ContainsSubstring("refused measurement 1: its samples"));
}

TEST_CASE("import in a dry run tells what it would do, and changes nothing") {
  const Exported place;
  const Outcome missing = place.run({"import", place.all(), "--dry-run"});
  CHECK(missing.exit_code == 0);
  CHECK_THAT(missing.out, ContainsSubstring("6 would be added, 0 already there, 0 refused"));
  CHECK_THAT(missing.out, ContainsSubstring("new: 2 devices, 4 problems\n"));
  CHECK_FALSE(std::filesystem::exists(place.database()));

  store(place.database(), {stored_sum(20, 7)});
  const std::string before = read_file(place.database());
  CHECK_THAT(place.run({"import", place.all(), "--dry-run"}).out,
             ContainsSubstring("6 would be added"));
  CHECK(read_file(place.database()) == before);
  CHECK(contents(place.database()).size() == 1);
  CHECK_THAT(place.run({"import", place.all(), "--db", place.source(), "--dry-run"}).out,
             ContainsSubstring("0 would be added, 6 already there"));
}

TEST_CASE("import reads the standard input, and what is no regular file") {
  const Exported place;
  const std::string fifo = place.file("fifo");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  std::jthread writer([&] { std::ofstream(fifo, std::ios::binary) << read_file(place.all()); });
  const Outcome result = place.run({"import", fifo});
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK(contents(place.database()).size() == kVarietyRows);
  CHECK(place.run({"import", "-"}).exit_code == kFile);  // with nothing in it
}

TEST_CASE("import refuses rows with their number and reason, and takes the others") {
  struct Change {
    const char* pointer;
    json value;
    const char* reason;
  };
  const std::vector<Change> changes{
      {"/run_id", 77, "there is no run of its run_id, 77"},
      {"/run_id", "1", "its run_id is \"1\", not an integer"},
      {"/measured_at", "yesterday", "its measured_at is not of the form"},
      {"/family", "scan", "there is no family \"scan\""},
      {"/family", "histogram", "there is no op \"sum\""},
      {"/problem", "op=sum", "not an object of names and their values"},
      {"/problem/op", "plus", "there is no op \"plus\""},
      {"/problem/op", "custom", "its problem \"op=custom"},
      {"/problem/op", "system:rm", "its problem is \"op=system:rm"},
      {"/problem/op", "a-b:0123456789abcdef", "is no name for an operator"},
      {"/problem/op", "a b:0123456789abcdef", "not an object of names and their values"},
      {"/problem/op", 1, "not an object of names and their values"},
      {"/problem/op", "bit_and", "takes integers, not f32"},
      {"/problem/type", "f33", "there is no type \"f33\""},
      {"/problem/accumulator", "f16", "cannot accumulate in f16"},
      {"/problem/accumulator", "x", "there is no accumulator \"x\""},
      {"/problem/determinism", "always", "there is no determinism \"always\""},
      {"/problem/determinism", "run_to_run", "where sum f32 has \"op=sum type=f32 accumulator=f32"},
      {"/problem/bins", "3", "the family reduce has no \"bins\""},
      {"/layout", "page", "there is no layout \"page\""},
      {"/bucket", "21", "its bucket is \"21\", where this shape has \"80\""},
      {"/bucket", "20x3", "its bucket"},
      {"/bucket", 20, "its bucket is 20, not a text"},
      {"/shape", "2199023255552", "more than the most"},
      {"/shape", "16x16", "its shape"},
      {"/shape", "0", "its shape has no elements"},
      {"/shape", "1.5", "its shape"},
      {"/shape", -1, "its shape is -1, not a text"},
      {"/input_bytes", json::parse("18446744073709551615"), "its input_bytes is not between 0 and"},
      {"/input_bytes", 4, "its input_bytes is 4, where this problem has 4194304"},
      {"/params", "{}", "its params is \"{}\", not an object"},
      {"/params", json::object(), "the tunable block_size is missing"},
      {"/params", {{"block_size", {{"deep", {1, 2}}}}}, "is no value of the tunable block_size"},
      {"/is_default", 1, "its is_default is 1, not true or false"},
      {"/round", -1, "its round is negative"},
      {"/round", 2'147'483'647, "its round is not between 0 and 1000000"},
      {"/round", 3'000'000'000, "not an integer of its range"},
      {"/outcome", "fine", "its outcome is \"fine\""},
      {"/outcome", 0, "its outcome is 0"},
      {"/failure", "none", "it succeeded, but gives a failure"},
      {"/failure", "\x1b[2J", "its failure has control characters"},
      {"/failure",
       "\xc2\x9b"
       "2J",
       "its failure has control characters"},
      {"/failure", {300}, "its failure is [300], not an integer of its range"},
      {"/median_us", 0, "its median_us is not above 0"},
      {"/median_us", -5, "its median_us is negative"},
      {"/median_us", 1e300, "its median_us is not between 0 and"},
      {"/mad_us", 0.5, "its mad_us is 0.5, and that of its samples is 0"},
      {"/median_us", nullptr, "its median_us is null, not a number"},
      {"/median_us", "inf", "its median_us is \"inf\", not a number"},
      {"/median_us", 5.001, "its median_us is 5.001, and that of its samples is 5"},
      {"/hot_us", -1, "its hot_us is negative"},
      {"/hot_us", 0.01, "its hot_us is 0.01, less than a launch takes anywhere"},
      {"/stream_us", 1e-6, "its stream_us is 1e-06, less than a launch takes anywhere"},
      {"/latency_us", 1e-6, "its latency_us is 1e-06, less than a launch takes anywhere"},
      {"/registers", 2'000'000'000, "its registers is not between 0 and"},
      {"/compile_ms", 1e300, "its compile_ms is not between 0 and"},
      {"/occupancy", 1.01, "its occupancy is not between 0 and 1"},
      {"/samples_us", {5, -5}, "its samples_us is negative"},
      {"/samples_us",
       {5, 5, 5, 1e-6},
       "its samples_us is 1e-06, less than a launch takes anywhere"},
      {"/samples_us", json::array(), "it succeeded, but has no samples_us"},
      {"/samples_us", {5, "5"}, "its samples_us is"},
      {"/samples_us", 5, "not a list of numbers"},
      {"/note", 1, "its field \"note\" is unknown"},
      {"/\x1b[31m", 1, "its field \"\\u001b[31m\" is unknown"},
  };
  const Exported place;
  json file = place.exported();
  const json sum = file["measurements"][1];
  REQUIRE(sum["problem"]["op"] == "sum");
  std::vector<json> rows;
  std::vector<std::string> reasons;
  const auto expect = [&](const json& row, const std::string& reason) {
    rows.push_back(row);
    reasons.push_back(reason);
  };
  for (const Change& change : changes) {
    json row = sum;
    row[json::json_pointer(change.pointer)] = change.value;
    expect(row, change.reason);
  }
  for (const auto& item : sum.items()) {
    json row = sum;
    row.erase(item.key());
    expect(row, "it lacks " + item.key());
  }
  for (const json& row : {json(), json(1), json("row"), json::array({1})}) {
    expect(row, "it is no object");
  }
  // As many at a time as are shown, and a good one behind them.
  constexpr std::size_t kShown = 20;
  for (std::size_t begin = 0; begin < rows.size(); begin += kShown) {
    const std::size_t end = std::min(begin + kShown, rows.size());
    file["measurements"] = std::vector<json>(rows.begin() + begin, rows.begin() + end);
    file["measurements"].push_back(sum);
    std::filesystem::remove(place.database());
    const Outcome result = place.import_json(file);
    CAPTURE(result.out, result.err);
    CHECK(result.exit_code == kDatabase);
    CHECK_THAT(result.out,
               ContainsSubstring(fmt::format("1 added, 0 already there, {} refused", end - begin)));
    CHECK(result.out.find('\x1b') == std::string::npos);
    std::istringstream lines(result.out);
    std::string line;
    std::getline(lines, line);
    for (std::size_t i = begin; i < end; ++i) {
      std::getline(lines, line);
      CHECK_THAT(line, ContainsSubstring(fmt::format("measurement {}: ", i - begin + 1)));
      CHECK_THAT(line, ContainsSubstring(reasons[i]));
    }
    CHECK(contents(place.database()).size() == 1);
  }
}

TEST_CASE("import takes params of this Foldtune's kernels only if they are in the space") {
  const Exported place([](const std::string& database) {
    Reduction fixed = sum_of(1 << 20);
    fixed.determinism = Determinism::config_independent;
    const std::vector<Config> valid = Space(fixed, Extent::all).enumerate();
    store(database, {success(fixed, valid.front(), {4}), success(fixed, valid.back(), {5})});
  });
  json changed = place.exported();
  json& params = changed["measurements"][1]["params"];
  params["final_stage"] = params["final_stage"] == "atomic" ? "polling" : "atomic";
  const Outcome result = place.import_json(changed);
  CAPTURE(result.out);
  CHECK_THAT(result.out, ContainsSubstring("1 added, 0 already there, 1 refused"));
  CHECK_THAT(result.out, ContainsSubstring("its params are not in the space of its problem"));
}

TEST_CASE("import refuses the measurements of runs that cannot be") {
  const Exported place;
  const json file = place.exported();
  struct Change {
    const char* pointer;
    json value;
    const char* reason;
  };
  const std::vector<Change> changes{
      {"/runs/0/device_memory_bytes", 1LL << 40, "its device_fingerprint is not the hash"},
      {"/runs/0/device_l2_bytes", "x", "its device_l2_bytes is \"x\", not an integer"},
      {"/runs/0/device_fingerprint", "0", "its device_fingerprint is not the hash"},
      {"/runs/0/device_driver", "1\n", "its device_driver has control characters"},
      {"/runs/0/seed", "1", "its seed is \"1\", not an integer"},
      {"/runs/0/seed", -1, "its seed is -1, not an integer"},
      {"/runs/0/seed", 18446744073709551616.0, "not an integer of its range"},
      {"/runs/0/started_at", "2026", "its started_at is not of the form"},
      {"/runs/0/read_bandwidth_gbps", -1, "its read_bandwidth_gbps is negative"},
      {"/runs/0/compiler", "\x1b[2J", "its compiler has control characters"},
      {"/runs/0/command", "a\nb", "its command has control characters"},
      {"/runs/0/command", std::string(100'000, 'x'), "its command has 100000 bytes, more than"},
      {"/runs/0/foldtune_version", "\x7f", "its foldtune_version has control characters"},
      {"/runs/0/read_bandwidth_gbps", 1e9, "its read_bandwidth_gbps is 1000000000, more than"},
      {"/runs/0/run_id", 2, "it is there twice"},
  };
  for (const Change& change : changes) {
    json changed = file;
    changed[json::json_pointer(change.pointer)] = change.value;
    std::filesystem::remove(place.database());
    const Outcome result = place.import_json(changed);
    CAPTURE(change.pointer, change.value.dump(), result.out, result.err);
    CHECK(result.exit_code == kDatabase);
    CHECK_THAT(result.out, ContainsSubstring(change.reason));
    CHECK(place.run({"doctor", "--db", place.database()}).exit_code == 0);
  }
}

TEST_CASE("import refuses times that no hardware reaches, of files and of databases") {
  struct Case {
    std::uint64_t count;
    double us;
    const char* reason;
  };
  const Workplace place;
  RunRecord run = run_on("NVIDIA H200");
  run.device.memory_clock_khz = 3'201'000;
  run.device.memory_bus_bits = 6144;
  run.device.l2_bytes = 60 << 20;
  const std::string file = place.file("fast.json");
  const std::string database = place.file("fast.db");
  for (const Case& one : {Case{1 << 22, 1e-6, "less than a launch takes anywhere"},
                          // From the memory, of 4917 GB/s; from the L2, which may give more.
                          Case{1 << 28, 20, "its median_us is 20: 53687 GB/s, more than the 19667"},
                          Case{1 << 20, 0.2, ""}, Case{1 << 28, 220, ""}}) {
    std::filesystem::remove(database);
    std::filesystem::remove(place.database());
    constexpr double kFine = 250;
    store(database, {success(sum_of(one.count), Config(reduce_family()), {kFine})}, run);
    REQUIRE(place.run({"export", "--db", database, "-o", place.file("fine.json")}).exit_code == 0);
    json changed = read_export(place.file("fine.json"));
    changed["measurements"][0]["median_us"] = one.us;
    changed["measurements"][0]["samples_us"] = {one.us};
    place.write("fast.json", changed.dump());
    std::filesystem::remove(database);
    store(database, {success(sum_of(one.count), Config(reduce_family()), {one.us})}, run);
    const bool is_fine = std::string_view(one.reason).empty();
    const int code = is_fine ? 0 : kDatabase;
    CHECK(place.run({"export", "--db", database, "-o", place.file("some.json")}).exit_code == code);
    for (const std::string& source : {file, database}) {
      const Outcome result = place.run({"import", source, "--edited"});
      CAPTURE(one.count, one.us, source, result.out);
      CHECK(result.exit_code == code);
      CHECK_THAT(result.out, ContainsSubstring(one.reason));
    }
  }
}

TEST_CASE("imported rows are stale wherever they are shown, and lose to own ones") {
  Workplace place;
  place.set("CUDA_VISIBLE_DEVICES", "-1");  // a GPU of this machine would be the device of `why`
  const Workload problem = sum_of(1 << 20);
  const RunRecord run = run_on("NVIDIA H200");
  store(place.file("theirs.db"), {success(problem, with_block_size(64), {3}, /*round=*/9)}, run);
  REQUIRE(place.run({"import", place.file("theirs.db")}).exit_code == 0);
  const auto shown = [&](std::vector<std::string> arguments) {
    const Outcome outcome = place.run(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 0);
    return outcome.out;
  };
  CHECK_THAT(shown({"show"}), ContainsSubstring("theirs.db") && ContainsSubstring("imported from"));
  const std::string why = shown({"why", "--n", "2^20"});
  CHECK_THAT(why, ContainsSubstring("yes, but stale: ") &&
                      ContainsSubstring("it was imported from ") && ContainsSubstring("theirs.db"));
  CHECK(json::parse(shown({"why", "--n", "2^20", "--json"}))[0]["evidence"]["is_imported"] == true);
  CHECK_THAT(shown({"landscape", "--n", "2^20"}), ContainsSubstring(", imported from "));
  CHECK_THAT(shown({"diff", place.file("theirs.db"), place.database()}),
             ContainsSubstring("(imported from theirs.db)"));
  CHECK(json::parse(shown({"show", "--json"}))[0]["imported_from"] == place.file("theirs.db"));
  CHECK_THAT(shown({"show", "--csv"}), ContainsSubstring(",imported_from,"));

  // One that is slower, and was chosen before it.
  RunRecord own_run = run;
  own_run.command = "foldtune tune";
  store(place.database(), {success(problem, with_block_size(512), {4})}, own_run);
  CHECK(json::parse(shown({"show", "--json"}))[0]["imported_from"].is_null());
  const std::string own = shown({"why", "--n", "2^20"});
  CHECK_THAT(own, ContainsSubstring("block_size=512") && ContainsSubstring("4.000 us per call"));
  CHECK_THAT(own, ContainsSubstring("valid     yes: ") && !ContainsSubstring("+33"));
  // Whoever has a row takes it for no other one when it comes back.
  REQUIRE(place.run({"export", "-o", place.file("all.json")}).exit_code == 0);
  CHECK_THAT(shown({"import", place.file("all.json")}), ContainsSubstring("0 added, 2 already"));
  CHECK(json::parse(shown({"show", "--json"}))[0]["imported_from"].is_null());
}

TEST_CASE("imported rows are marked where they are run, drawn and to be timed again") {
  const Workplace place;
  const std::string theirs = place.file("theirs.db");
  std::filesystem::copy_file(tuned_on_cpu().place.database(), theirs);
  REQUIRE(place.run({"import", theirs}).exit_code == 0);
  const std::string numbers = place.write("numbers", std::string(4000, '\0'));
  CHECK_THAT(place.run({"run", "--device", "cpu", "--type", "f32", numbers}).out,
             ContainsSubstring(", imported from " + theirs));
  CHECK_THAT(place.run({"revalidate", "--device", "cpu", "--dry-run"}).out,
             ContainsSubstring("theirs.db") && ContainsSubstring("2 problems of "));
  const Outcome page = place.run({"report", "-o", "-"});
  if (page.exit_code == kUsage) return;  // this build has none
  CHECK_THAT(page.out, ContainsSubstring("\"imported_from\":\"theirs.db\"") &&
                           !ContainsSubstring("\"imported_from\":null"));
}

TEST_CASE("import refuses what is neither a file nor a pipe") {
  const Workplace place;
  for (const char* const path : {"/dev/zero", "/dev/null", "/proc", "/dev/full"}) {
    const Outcome result = place.run({"import", path});
    CAPTURE(path, result.err);
    CHECK(result.exit_code == kFile);
    CHECK_THAT(result.err, ContainsSubstring("it is neither a file nor a pipe"));
  }
}

TEST_CASE("import quotes a part of what it refuses, however long that is") {
  const Exported place;
  const std::string text = read_file(place.all());
  constexpr std::size_t kLong = 1'000'000;
  for (const std::string& long_one :
       {"{\"version\": 1" + std::string(kLong, '0') + ", " + text.substr(1),
        "{\"" + std::string(kLong, 'k') + "\": 1, \"" + std::string(kLong, 'k') + "\": 2, " +
            text.substr(1),
        "{\"a\": " + std::string(kLong, '[') + text.substr(1),
        "{\"format\": \"" + std::string(kLong, 'f') + "\", " + text.substr(1)}) {
    const Outcome result = place.run({"import", place.write("long.json", long_one), "--edited"});
    CAPTURE(result.err);
    CHECK(result.exit_code == kFile);
    CHECK(result.err.size() < 1000);
  }
}

TEST_CASE("import shows the first twenty refusals, and counts the rest") {
  const Exported place;
  json file = place.exported();
  json row = file["measurements"][1];
  row["problem"]["op"] = "plus";
  file["measurements"] = std::vector<json>(33, row);
  const Outcome result = place.import_json(file);
  CHECK_THAT(result.out, ContainsSubstring("33 measurements read, 0 added, 0 already there, 33"));
  CHECK_THAT(result.out, ContainsSubstring("refused measurement 20: "));
  CHECK_THAT(result.out, ContainsSubstring("and 13 more\n"));
  CHECK(result.out.find("measurement 21:") == std::string::npos);
}

TEST_CASE("import refuses files of another format or version as a whole") {
  const Exported place;
  const json file = place.exported();
  struct Change {
    const char* key;
    json value;
    const char* reason;
  };
  for (const Change& change :
       {Change{"version", 3, "is of version 3 of the format, and this Foldtune reads version 6"},
        Change{"version", "1", "its version is no number"},
        Change{"format", "else", "its format is not \"foldtune-tuning\""},
        Change{"runs", 1, "its runs are no list"},
        Change{"measurements", json::object(), "its measurements are no list"}}) {
    json changed = file;
    changed[change.key] = change.value;
    const Outcome result = place.import_json(changed);
    CAPTURE(change.key, result.out, result.err);
    CHECK(result.exit_code == kFile);
    CHECK_THAT(result.err, ContainsSubstring(change.reason));
  }
  const std::string text = read_file(place.all());
  for (const std::string& other :
       {std::string(), std::string("[]"), std::string("{}"), std::string("7"), std::string("x"),
        std::string("{\"format\": \"foldtune-tuning\"}"), text + "{}", text + "x",
        "{\"runs\": [],\n" + text.substr(1), std::string(1000, '['), std::string("\0\0\0", 3),
        "{\"a\":" + std::string(1000, '['), "{\"a\": 1e999, " + text.substr(1),
        "{\"a\": {\"b\": 1, \"b\": 2}, " + text.substr(1)}) {
    const Outcome result = place.run({"import", place.write("other.json", other), "--edited"});
    CAPTURE(other.substr(0, 40), result.out, result.err);
    CHECK(result.exit_code == kFile);
    CHECK_THAT(result.err, ContainsSubstring("other.json is no "));
  }
  SQLite::Database(place.file("foreign.db"), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE precious (value)");
  CHECK(place.run({"import", place.file("foreign.db")}).exit_code == kDatabase);
  CHECK(place.run({"import", place.file("none.json")}).exit_code == kFile);
  CHECK(place.run({"import", place.path().string()}).exit_code == kFile);
  CHECK_FALSE(std::filesystem::exists(place.database()));
}

TEST_CASE("import refuses a row that is longer than any, without holding it") {
  const Exported place;
  json file = place.exported();
  file["measurements"][0]["failure"] = std::string(std::size_t{17} << 20, 'x');
  const Outcome result = place.import_json(file);
  CHECK(result.exit_code == kFile);
  CHECK_THAT(result.err, ContainsSubstring("a row has more than 16 MiB"));
}

TEST_CASE("import takes an edited file only if it is told that it is one") {
  const Exported place;
  json file = place.exported();
  SECTION("a number") { file["measurements"][1]["registers"] = 33; }
  SECTION("a row less") { file["measurements"].erase(0); }
  SECTION("rows in another order") { std::swap(file["runs"][0], file["runs"][1]); }
  SECTION("no hashes") { file.erase("hashes"); }
  const std::string edited = place.write_json(file);
  const Outcome refused = place.run({"import", edited});
  CHECK(refused.exit_code == kFile);
  CHECK_THAT(refused.err, ContainsSubstring("is not as it was exported"));
  CHECK_THAT(refused.err, ContainsSubstring("--edited"));
  CHECK_FALSE(std::filesystem::exists(place.database()));
  CHECK(place.run({"import", edited, "--edited"}).exit_code == 0);
}

/// As other JSON writers do: without fractions that are 0.
void drop_fractions(json& value) {
  if (value.is_structured()) {
    for (json& item : value) drop_fractions(item);
  } else if (value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>()) {
    value = static_cast<int>(value.get<double>());
  }
}

TEST_CASE("import takes a file that another program has written anew") {
  const Exported place;
  json file = place.exported();  // Its keys are sorted.
  drop_fractions(file);
  file["comment"] = {{"of", "anybody"}};
  CHECK(place.run({"import", place.write("pretty.json", file.dump(4))}).exit_code == 0);
  CHECK(contents(place.database()) == contents(place.source()));
}

TEST_CASE("import of a file that is cut short leaves the database as it was") {
  const Exported place;
  store(place.database(), {stored_sum(18, 7)});
  const std::vector<std::string> before = contents(place.database());
  const std::string whole = read_file(place.all());
  constexpr std::size_t kStep = 97;
  for (std::size_t size = 0; size + 2 < whole.size(); size += kStep) {
    const Outcome result =
        place.run({"import", place.write("torn.json", whole.substr(0, size)), "--edited"});
    CAPTURE(size, result.out, result.err);
    CHECK(result.exit_code == kFile);
  }
  CHECK(contents(place.database()) == before);
}

TEST_CASE("import into a database that is read-only says what to do") {
  const Exported place;
  store(place.database(), {stored_sum(18, 7)});
  ::chmod(place.path().c_str(), 0755);
  ::chmod(place.all().c_str(), 0444);
  ::chmod(place.database().c_str(), 0444);
  const Outcome result = place.run_as_nobody({"import", place.all()});
  CHECK(result.exit_code == kDatabase);
  CHECK_THAT(result.err, ContainsSubstring("read-only for this user"));
  const Outcome dry = place.run_as_nobody({"import", place.all(), "--dry-run"});
  CAPTURE(dry.err);
  CHECK(dry.exit_code == 0);
  CHECK_THAT(dry.out, ContainsSubstring("6 would be added"));
  CHECK(contents(place.database()).size() == 1);
}

/// Enough for several transactions.
void store_many(const std::string& database) {
  std::vector<MeasurementRecord> many;
  for (int i = 0; i < 1300; ++i) {
    many.push_back(success(sum_of(1 << (10 + i % 12)), Config(reduce_family()), {5.0 + i}));
  }
  store(database, many);
}

std::size_t count_rows(const std::string& database) {
  SQLite::Database db(database, SQLite::OPEN_READONLY, /*aBusyTimeoutMs=*/5000);
  return static_cast<std::size_t>(db.execAndGet("SELECT count(*) FROM measurement").getInt64());
}

TEST_CASE("import, killed at any moment, keeps whole transactions, and goes on from there",
          "[kill]") {
  using std::chrono::milliseconds;
  constexpr int kRounds = 4;
  constexpr std::size_t kRowsAtATime = 500;
  const Exported place(store_many);
  const std::vector<std::string> all = contents(place.source());
  std::mt19937_64 random(7);
  int killed_between = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::string database = place.file(fmt::format("killed{}.db", round));
    store(database, {});
    {
      RunningProgram program = place.start({"import", place.all(), "--db", database});
      // In every other round at any moment, else once the first transaction is there.
      const bool at_any_moment = round % 2 == 0;
      const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      while (!at_any_moment && count_rows(database) == 0 &&
             std::chrono::steady_clock::now() < limit) {
        std::this_thread::sleep_for(milliseconds(1));
      }
      if (at_any_moment) std::this_thread::sleep_for(milliseconds(random() % 300));
      program.send_signal(SIGKILL);
      program.wait();
    }
    CHECK(place.run({"doctor", "--db", database}).exit_code == 0);
    const std::vector<std::string> kept = contents(database);
    CAPTURE(kept.size());
    CHECK((kept.size() % kRowsAtATime == 0 || kept.size() == all.size()));
    CHECK(kept == first_of(all, kept.size()));
    killed_between += !kept.empty() && kept.size() < all.size();
    const Outcome again = place.run({"import", place.all(), "--db", database});
    CHECK_THAT(again.out,
               ContainsSubstring(fmt::format("{} already there, 0 refused", kept.size())));
    CHECK(contents(database) == all);
  }
  CHECK(killed_between > 0);
}

}  // namespace
}  // namespace foldtune::test
