// Tuning on the CPU device, and what is made of it.
#include <SQLiteCpp/Database.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/catch.h"
#include "tests/tuner/tuned_database.h"
#include "tests/tuner/tuned_on_cpu.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;

Json json_from(const Workplace& place, const std::vector<std::string>& arguments) {
  const Outcome outcome = place.run(arguments);
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return Json::parse(outcome.out);
}

TEST_CASE("A problem without a result is a failure, although another one has one") {
  const Workplace place;
  const std::vector<std::string> tune{"tune", "--device",  "cpu",         "--op", "sum",
                                      "--n",  "1000,4000", "--max-evals", "1"};
  REQUIRE(place.run(tune).exit_code == 0);
  SQLite::Database(place.database(), SQLite::OPEN_READWRITE)
      .exec(
          "UPDATE measurement SET outcome = 'wrong_result', failure = 'it is wrong', "
          "samples_us = '[]' WHERE shape = '1000'");
  const Outcome again = place.run(tune);
  CAPTURE(again.out, again.err);
  CHECK(again.exit_code == 6);
  CHECK_THAT(again.out, ContainsSubstring("sum f32 4000"));
  CHECK_THAT(again.err, ContainsSubstring("tuning sum f32 1000: no configuration could be timed") &&
                            !ContainsSubstring("--budget"));
}

TEST_CASE("tune --recorded tunes what a program called, each once") {
  const Workplace place;
  const std::string calls =
      place.write("calls.txt",
                  "# a comment\n--family reduce --op sum --type f32 --n 100\n\n"
                  "--family axis --op max --type f32 --shape 1x1x5x40\n"
                  "--family reduce --op sum --type f32 --n 99 --layout element\n"
                  "\t\r\n--op sum --type f32 --n 99\r\n");
  const std::vector<std::string> tune{"tune", "--device", "cpu", "--max-evals", "1", "--recorded"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), tune.begin(), tune.end());
    return place.run(more);
  };
  const Outcome outcome = with({calls});
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.err, ContainsSubstring("tuning 3 problems"));
  CHECK_THAT(outcome.out, ContainsSubstring("sum f32 100 ") &&
                              ContainsSubstring("max f32 along an axis 1x1x5x40 ") &&
                              ContainsSubstring("sum f32 99 "));
  CHECK_THAT(with({calls, "--op", "sum"}).err, ContainsSubstring("leave out what else does"));
  CHECK_THAT(with({place.write("none.txt", "# nothing\n")}).err,
             ContainsSubstring("none.txt has no line of options"));
  const auto fault = [&](const std::string& line) {
    const Outcome failed = with({place.write("bad.txt", "--op sum --n 4\n" + line + "\n")});
    CHECK(failed.exit_code == 2);
    return failed.err;
  };
  CHECK_THAT(fault("--op summ --n 4"), ContainsSubstring("bad.txt, line 2: --op: there is no"));
  CHECK_THAT(fault("--op sum"), ContainsSubstring("line 2: it has no --n or --shape"));
  CHECK_THAT(fault("--op sum --n 4 --db x"),
             ContainsSubstring("line 2: ") && ContainsSubstring("--db"));
}

#ifdef __clang__
constexpr const char* kOwnCompiler = "clang++";
#else
constexpr const char* kOwnCompiler = "g++";
#endif

// The compiler takes the first program and has no room for the others until there is "room".
TEST_CASE("What the machine lacks for a while is stored as no configuration's failure") {
  Workplace place;
  const std::string compiler =
      place.write("compiler", "#!/bin/sh\nif [ \"$2\" != -E ] && [ ! -e " + place.file("room") +
                                  " ]; then\n[ -e " + place.file("first") +
                                  " ] && echo 'No space left on device' && exit 1\ntouch " +
                                  place.file("first") + "\nfi\nexec " + kOwnCompiler + " \"$@\"\n");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  place.set("CXX", compiler);
  const std::vector<std::string> tune{"tune", "--device", "cpu",         "--op", "sum",
                                      "--n",  "1000",     "--max-evals", "4"};
  const Outcome full = place.run(tune);
  CAPTURE(full.out, full.err);
  CHECK(full.exit_code == 3);
  CHECK_THAT(full.err, ContainsSubstring("No space left on device") &&
                           ContainsSubstring("does not say what is wrong with the program"));
  place.write("room", "");
  CHECK(place.run(tune).exit_code == 0);
  const Json rows = json_from(place, {"show", "--all", "--json"});
  CHECK(rows.size() >= 4);
  for (const Json& row : rows) CHECK(row["outcome"] == "ok");
}

TEST_CASE("What was tuned is shown, and used by a run, which says so") {
  const Outcome& tuned = tuned_on_cpu().outcome;
  const Workplace& place = tuned_on_cpu().place;
  CAPTURE(tuned.out, tuned.err);
  REQUIRE(tuned.exit_code == 0);
  CHECK_THAT(tuned.out, ContainsSubstring("sum f32 1000") &&
                            ContainsSubstring("say nothing about a GPU") &&
                            ContainsSubstring("database: " + place.database()));
  CHECK_THAT(tuned.err, ContainsSubstring("tuning 2 problems on cpu"));

  const Json rows = json_from(place, {"show", "--json", "--op", "sum"});
  REQUIRE(rows.size() == 1);
  const Json& row = rows[0];
  CHECK(row["problem"]["op"] == "sum");
  CHECK(row["problem"]["type"] == "f32");
  CHECK(row["shape"] == "1000");
  CHECK(row["device_kind"] == "cpu");
  CHECK(row["seed"] == 7);
  CHECK(row["outcome"] == "ok");
  CHECK(row["median_us"] > 0);
  CHECK(row["mad_us"] >= 0);
  CHECK(row["discarded_samples"] == 0);
  CHECK(row["hot_us"].is_null());
  CHECK(row["params"].is_object());
  CHECK_THAT(row["command"].get<std::string>(), ContainsSubstring("foldtune tune --device cpu"));

  const std::string file = place.write("ones", bytes_of(std::vector<float>(1000, 1.0F)));
  const Json report = json_from(place, {"run", "--device", "cpu", "--type", "f32", "--json", file});
  CHECK(report["result"] == 1000);
  CHECK(report["config_source"] == "exact");
  CHECK(report["config"] == row["params"]);
  CHECK(report["tuned_shape"] == "1000");
  const std::string half = place.write("half", bytes_of(std::vector<float>(500, 1.0F)));
  CHECK_THAT(place.run({"run", "--device", "cpu", "--type", "f32", half}).out,
             ContainsSubstring("result  500\n") && ContainsSubstring("near size: "));

  CHECK_THAT(place.run({"show", "--all"}).out, ContainsSubstring("outcome") &&
                                                   ContainsSubstring("+-%") &&
                                                   ContainsSubstring("latency"));
  CHECK_THAT(place.run({"show", "--op", "min"}).out, ContainsSubstring("nothing in"));
  CHECK(json_from(place, {"show", "--json", "--device", "no such device"}).empty());
}

TEST_CASE("Show tells the times that were measured beside the one that counts") {
  const Workplace place;
  MeasurementRecord record = stored_sum(20, 5);
  record.hot_us = 1.25;
  record.stream_us = 3.5;
  record.latency_us = 9.75;
  store(place.database(), {record});
  const Outcome all = place.run({"show", "--all"});
  for (const char* text : {"hot", "stream", "latency", "1.25", "3.50", "9.75"}) {
    CHECK_THAT(all.out, ContainsSubstring(text));
  }
  CHECK_THAT(place.run({"show"}).out, !ContainsSubstring("latency"));
  const Json row = json_from(place, {"show", "--json"})[0];
  CHECK(row["hot_us"] == 1.25);
  CHECK(row["stream_us"] == 3.5);
  CHECK(row["latency_us"] == 9.75);
}

/// One configuration of each problem, with these options.
Outcome tune(const Workplace& place, std::vector<std::string> options) {
  options.insert(options.begin(), {"tune", "--device", "cpu", "--n", "1K", "--max-evals", "1"});
  return place.run(options);
}

TEST_CASE("What is tuned with options is kept apart from others, and shown with them") {
  const Workplace place;
  const std::string file = place.write("ones", bytes_of(std::vector<float>(1024, 1.0F)));
  const Outcome ordered = tune(place, {"--determinism", "config_independent"});
  CAPTURE(ordered.out, ordered.err);
  CHECK(ordered.exit_code == 0);
  Json row = json_from(place, {"show", "--json"})[0];
  CHECK(row["problem"]["determinism"] == "config_independent");
  CHECK(row["params"]["block_stage"] == "tree");

  const Outcome ignoring = tune(place, {"--op", "argmin", "--nan", "ignore"});
  CHECK_THAT(ignoring.out, ContainsSubstring("argmin f32 without NaN 2^10"));
  CHECK_THAT(place.run({"show"}).out, ContainsSubstring("argmin f32 without NaN 2^10"));
  row = json_from(place, {"show", "--json", "--op", "argmin"})[0];
  CHECK(row["problem"]["nan"] == "ignore");
  for (const auto& [policy, source] : {std::pair{"ignore", "exact"}, {"propagate", "default"}}) {
    CHECK(json_from(place, {"run", "--device", "cpu", "--type", "f32", "--op", "argmin", "--json",
                            "--nan", policy, file})["config_source"] == source);
  }

  const Outcome sample =
      tune(place, {"--op", "variance", "--type", "bf16", "--ddof", "1", "--result", "bf16"});
  CHECK(sample.exit_code == 0);
  CHECK_THAT(sample.out, ContainsSubstring("variance bf16 to bf16 (ddof 1) 2^10"));
}

TEST_CASE("What is tuned under other conditions is kept apart, and found by them") {
  const Workplace place;
  REQUIRE(tune(place, {}).exit_code == 0);
  const Outcome warm = tune(place, {"--conditions", "warm_stream"});
  CHECK_THAT(warm.out, ContainsSubstring("sum f32 2^10 warm_stream"));
  const Json rows = json_from(place, {"show", "--json"});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["conditions"] == "cold_graph");
  CHECK(rows[1]["conditions"] == "warm_stream");
  CHECK_THAT(place.run({"show"}).out, ContainsSubstring("sum f32 2^10 warm_stream"));
  const auto why = [&](const std::string& conditions) {
    return place
        .run({"why", "--op", "sum", "--type", "f32", "--n", "1024", "--conditions", conditions})
        .out;
  };
  CHECK_THAT(why("warm_stream"), !ContainsSubstring("for cold_graph"));
  CHECK_THAT(why("warm_graph"), ContainsSubstring("for cold_graph"));
  const Outcome wrong = tune(place, {"--conditions", "tepid"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err,
             ContainsSubstring("there are no 'tepid'; there are cold_graph, warm_graph"));
}

TEST_CASE("A tuning says how long the device waited for the compiler, in numbers") {
  const Outcome& tuned = tuned_on_cpu().outcome;
  CHECK_THAT(tuned.out, Catch::Matchers::Matches(
                            "[^]*; the device was busy [0-9]+\\.[0-9]% of the time and waited "
                            "[0-9]+\\.[0-9]% for the compiler\n[^]*"));
  const Workplace place;
  // What is done is not tuned again, and waits for nothing.
  for (int run = 0; run < 2; ++run) {
    const Outcome outcome = tune(place, {"--json"});
    CAPTURE(outcome.out, outcome.err);
    REQUIRE(outcome.exit_code == 0);
    const Json report = Json::parse(outcome.out)[0];
    for (const char* const part : {"compiler_wait_fraction", "busy_fraction"}) {
      REQUIRE(report[part].is_number());
      CHECK(report[part] >= 0);
      CHECK(report[part] <= 1);
    }
  }
  const Outcome again = tune(place, {});
  CAPTURE(again.out);
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.out, !ContainsSubstring(" -%"));
}

TEST_CASE("A dry run says what is left to do, and changes nothing") {
  const Workplace place;
  const auto dry_run = [&](const std::string& counts) {
    return json_from(place, {"tune", "--device", "cpu", "--op", "sum", "--n", counts, "--max-evals",
                             "3", "--dry-run", "--json"})[0];
  };
  const Json unknown = dry_run("1000");
  CHECK(unknown["configurations"] == 3);
  CHECK(unknown["seconds"].is_null());
  CHECK(unknown["gain_of_these"].is_null());
  CHECK_FALSE(std::filesystem::exists(place.database()));
  copy_tuned(place);
  const Json known = dry_run("1000,4000");
  CHECK(known["done"] == 1);
  CHECK(known["configurations"] == 3);
  CHECK(known["gain_of_these"]["results"] == 1);
  const auto text = [&](const std::string& count) {
    return place
        .run({"tune", "--device", "cpu", "--op", "sum", "--n", count, "--max-evals", "3",
              "--budget", "20s", "--dry-run"})
        .out;
  };
  CHECK_THAT(text("1000"), ContainsSubstring("1 problem on cpu") &&
                               ContainsSubstring("of which 1 is done") &&
                               ContainsSubstring("none: all is done"));
  CHECK_THAT(text("4000"), ContainsSubstring("20 s at most (--budget)"));
}

TEST_CASE("What is tuned of a pinned problem is kept, and not used, and that is said") {
  const Workplace place;
  copy_tuned(place);
  CHECK(place.run({"pin", "--op", "sum"}).exit_code == 0);
  CHECK(json_from(place, {"tune", "--device", "cpu", "--op", "sum", "--n", "9000", "--dry-run",
                          "--json"})[0]["pinned"] == 1);
  const Outcome tuned =
      place.run({"tune", "--device", "cpu", "--op", "sum", "--n", "9000", "--max-evals", "1"});
  CHECK_THAT(tuned.err, ContainsSubstring("note: pinned") && ContainsSubstring("sum f32\n"));
  const auto why = [&] {
    return place.run({"why", "--op", "sum", "--n", "9000", "--device", "cpu"}).out;
  };
  CHECK_THAT(why(), ContainsSubstring("is pinned at other sizes or for other conditions") &&
                        !ContainsSubstring("tune it"));
  const std::string file = place.write("ones", bytes_of(std::vector<float>(9000, 1.0F)));
  CHECK_THAT(place.run({"run", "--device", "cpu", "--type", "f32", file}).out,
             ContainsSubstring("is pinned at other sizes or for other conditions") &&
                 !ContainsSubstring("tune it"));
  CHECK(place.run({"unpin"}).exit_code == 0);
  CHECK_THAT(why(), ContainsSubstring("exact: tuned at"));
}

TEST_CASE("Of several operators and types, what cannot be is left out with a note") {
  const Workplace place;
  const Outcome tuned =
      tune(place, {"--op", "argmax,bit_and,dot", "--type", "u8,f16", "--accumulator", "f64"});
  CAPTURE(tuned.out, tuned.err);
  REQUIRE(tuned.exit_code == 0);
  CHECK_THAT(tuned.err, ContainsSubstring("left out: argmax u8, argmax f16, bit_and u8, bit_and "
                                          "f16 (argmax of u8 cannot accumulate in f64"));
  CHECK_THAT(tuned.err, ContainsSubstring("tuning 2 problems on cpu"));
  const Json rows = json_from(place, {"show", "--json"});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["problem"]["op"] == "dot");
  CHECK(rows[0]["problem"]["accumulator"] == "f64");
  CHECK(rows[0]["problem"]["result"] == "f64");
  const Outcome alone = tune(place, {"--op", "bit_and", "--type", "f16"});
  CHECK(alone.exit_code == 2);
  CHECK_THAT(alone.err, ContainsSubstring("bit_and takes integers, not f16"));
}

TEST_CASE("Ctrl-C ends the tuning, keeps what was measured, and says so") {
  const Workplace place;
  RunningProgram program =
      place.start({"tune", "--device", "cpu", "--n", "2^12..2^16:4", "--budget", "10m"});
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (program.err_so_far().find(" timed") == std::string::npos &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  program.send_signal(SIGINT);
  const Outcome outcome = program.wait();
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.exit_code == 130);
  CHECK_THAT(outcome.err, ContainsSubstring("everything measured is kept"));
  CHECK_FALSE(json_from(place, {"show", "--all", "--json"}).empty());
}

TEST_CASE("Devices lists the CPU device, and says why there is no other") {
  const Workplace place;
  const Outcome text = place.run({"devices"});
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.out, ContainsSubstring("\ncpu "));
  const Json listing = json_from(place, {"devices", "--json"});
  CHECK(listing["devices"].back()["id"] == "cpu");
  CHECK((listing["devices"].size() > 1) == listing["cuda_fault"].is_null());
}

TEST_CASE("Everything has help with an example, on stdout") {
  const Workplace place;
  for (const std::string verb : {"", "devices", "tune", "show", "run"}) {
    const Outcome outcome = place.run(verb.empty() ? std::vector<std::string>{"--help"}
                                                   : std::vector<std::string>{verb, "--help"});
    CAPTURE(verb);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err.empty());
    CHECK_THAT(outcome.out, ContainsSubstring("Example"));
  }
  CHECK_THAT(place.run({"--help"}).out, ContainsSubstring("Exit codes"));
  const Outcome version = place.run({"--version"});
  CHECK(version.exit_code == 0);
  CHECK(version.out.starts_with("foldtune "));
}

}  // namespace
}  // namespace foldtune::test
