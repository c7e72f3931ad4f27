// Tuning on the CPU device, and what is made of it.
#include <SQLiteCpp/Database.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/catch.h"
#include "tests/tuner/program.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr std::size_t kCount = 4096;

TEST_CASE("What was tuned is shown, and used by a run, which says so") {
  const Workplace place;
  const Outcome tuned = place.run({"tune", "--device", "cpu", "--op", "sum", "--type", "f32", "--n",
                                   "4K", "--budget", "4s", "--seed", "7"});
  CAPTURE(tuned.out, tuned.err);
  REQUIRE(tuned.exit_code == 0);
  CHECK_THAT(tuned.out, ContainsSubstring("sum f32 2^12"));
  CHECK_THAT(tuned.out, ContainsSubstring("say nothing about a GPU"));
  CHECK_THAT(tuned.out, ContainsSubstring("database: " + place.database()));
  CHECK_THAT(tuned.err, ContainsSubstring("tuning 1 problem on cpu"));

  const Outcome shown = place.run({"show", "--json"});
  CAPTURE(shown.out, shown.err);
  REQUIRE(shown.exit_code == 0);
  const auto rows = nlohmann::json::parse(shown.out);
  REQUIRE(rows.size() == 1);
  const auto& row = rows[0];
  CHECK(row["op"] == "sum");
  CHECK(row["element_type"] == "f32");
  CHECK(row["element_count"] == kCount);
  CHECK(row["device_kind"] == "cpu");
  CHECK(row["seed"] == 7);
  CHECK(row["outcome"] == "ok");
  CHECK(row["median_us"] > 0);
  CHECK(row["mad_us"] >= 0);
  CHECK(row["discarded_samples"] == 0);
  CHECK(row["hot_us"].is_null());
  CHECK(row["params"].is_object());
  CHECK_THAT(row["command"].get<std::string>(), ContainsSubstring("foldtune tune --device cpu"));

  const std::vector<float> ones(kCount, 1.0F);
  const std::string file = place.write("ones", bytes_of(ones));
  const Outcome ran = place.run({"run", "--device", "cpu", "--type", "f32", "--json", file});
  CAPTURE(ran.out, ran.err);
  REQUIRE(ran.exit_code == 0);
  const auto report = nlohmann::json::parse(ran.out);
  CHECK(report["result"] == kCount);
  CHECK(report["config_source"] == "exact");
  CHECK(report["config"] == row["params"]);
  CHECK(report["tuned_count"] == kCount);

  const Outcome ran_text = place.run({"run", "--device", "cpu", "--type", "f32", file});
  CHECK_THAT(ran_text.out, ContainsSubstring("result  4096\n"));
  CHECK_THAT(ran_text.out, ContainsSubstring("exact: tuned at n = 4096"));

  const std::string half = place.write("half", bytes_of(std::vector<float>(kCount / 2, 1.0F)));
  const Outcome ran_half = place.run({"run", "--device", "cpu", "--type", "f32", half});
  CHECK_THAT(ran_half.out, ContainsSubstring("result  2048\n"));
  CHECK_THAT(ran_half.out, ContainsSubstring("near size: "));

  const Outcome all = place.run({"show", "--all"});
  CHECK(all.exit_code == 0);
  CHECK_THAT(all.out, ContainsSubstring("outcome"));
  CHECK_THAT(all.out, ContainsSubstring("+-%"));
  CHECK_THAT(all.out, ContainsSubstring("latency"));
  const Outcome none = place.run({"show", "--op", "max"});
  CHECK(none.exit_code == 0);
  CHECK_THAT(none.out, ContainsSubstring("nothing in"));
  const Outcome other_device = place.run({"show", "--json", "--device", "no such device"});
  CHECK(nlohmann::json::parse(other_device.out).empty());
}

TEST_CASE("Show tells the times that were measured beside the one that counts") {
  const Workplace place;
  const Outcome tuned = place.run({"tune", "--device", "cpu", "--n", "4K", "--budget", "1s"});
  CAPTURE(tuned.out, tuned.err);
  REQUIRE(tuned.exit_code == 0);
  SQLite::Database(place.database(), SQLite::OPEN_READWRITE)
      .exec("UPDATE measurement SET hot_us = 1.25, stream_us = 3.5, latency_us = 9.75");
  const Outcome all = place.run({"show", "--all"});
  for (const char* text : {"hot", "stream", "latency", "1.25", "3.50", "9.75"}) {
    CHECK_THAT(all.out, ContainsSubstring(text));
  }
  CHECK_THAT(place.run({"show"}).out, !ContainsSubstring("latency"));
  const auto rows = nlohmann::json::parse(place.run({"show", "--json"}).out);
  REQUIRE_FALSE(rows.empty());
  CHECK(rows[0]["hot_us"] == 1.25);
  CHECK(rows[0]["stream_us"] == 3.5);
  CHECK(rows[0]["latency_us"] == 9.75);
}

TEST_CASE("A sum in a fixed order is tuned and kept apart from others") {
  const Workplace place;
  const Outcome tuned = place.run({"tune", "--device", "cpu", "--n", "4K", "--budget", "1s",
                                   "--determinism", "config_independent"});
  CAPTURE(tuned.out, tuned.err);
  REQUIRE(tuned.exit_code == 0);
  const auto rows = nlohmann::json::parse(place.run({"show", "--json"}).out);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["determinism"] == "config_independent");
  CHECK(rows[0]["params"]["block_stage"] == "tree");
}

TEST_CASE("Of several operators and types, what cannot be is left out with a note") {
  const Workplace place;
  const Outcome tuned =
      place.run({"tune", "--device", "cpu", "--op", "argmax,bit_and,dot", "--type", "u8,f16", "--n",
                 "1K", "--budget", "2s", "--acc", "f64"});
  CAPTURE(tuned.out, tuned.err);
  REQUIRE(tuned.exit_code == 0);
  CHECK_THAT(tuned.err, ContainsSubstring("left out: argmax u8, argmax f16, bit_and u8, bit_and "
                                          "f16 (argmax of u8 cannot accumulate in f64"));
  CHECK_THAT(tuned.err, ContainsSubstring("tuning 2 problems on cpu"));
  const auto rows = nlohmann::json::parse(place.run({"show", "--json"}).out);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["op"] == "dot");
  CHECK(rows[0]["accumulator_type"] == "f64");
  CHECK(rows[0]["options"] == "");
  const Outcome alone =
      place.run({"tune", "--device", "cpu", "--op", "bit_and", "--type", "f16", "--n", "1K"});
  CHECK(alone.exit_code == 2);
  CHECK_THAT(alone.err, ContainsSubstring("bit_and takes integers, not f16"));
}

TEST_CASE("What is tuned for another NaN policy is shown, and used for that alone") {
  const Workplace place;
  const Outcome tuned = place.run({"tune", "--device", "cpu", "--op", "argmin", "--nan", "ignore",
                                   "--n", "1K", "--budget", "1s"});
  CAPTURE(tuned.out, tuned.err);
  REQUIRE(tuned.exit_code == 0);
  CHECK_THAT(tuned.out, ContainsSubstring("argmin f32 without NaN 2^10"));
  CHECK_THAT(place.run({"show"}).out, ContainsSubstring("argmin f32 without NaN 2^10"));
  CHECK(nlohmann::json::parse(place.run({"show", "--json"}).out)[0]["options"] ==
        "nan_policy=ignore");
  const std::string file = place.write("ones", bytes_of(std::vector<float>(1024, 1.0F)));
  const auto source = [&](const std::string& policy) {
    const Outcome ran = place.run({"run", "--device", "cpu", "--type", "f32", "--op", "argmin",
                                   "--json", "--nan", policy, file});
    return nlohmann::json::parse(ran.out)["config_source"];
  };
  CHECK(source("ignore") == "exact");
  CHECK(source("propagate") == "default");
}

TEST_CASE("A variance over n - 1 is tuned") {
  const Workplace place;
  const Outcome tuned =
      place.run({"tune", "--device", "cpu", "--op", "variance", "--type", "bf16", "--ddof", "1",
                 "--result", "bf16", "--n", "1K", "--budget", "1s"});
  CAPTURE(tuned.out, tuned.err);
  CHECK(tuned.exit_code == 0);
  CHECK_THAT(tuned.out, ContainsSubstring("variance bf16 2^10"));
}

TEST_CASE("Ctrl-C ends the tuning, keeps what was measured, and says so") {
  const Workplace place;
  RunningProgram program =
      place.start({"tune", "--device", "cpu", "--n", "4096", "--budget", "10m"});
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
  const Outcome shown = place.run({"show", "--all", "--json"});
  CHECK(shown.exit_code == 0);
  CHECK_FALSE(nlohmann::json::parse(shown.out).empty());
}

TEST_CASE("Devices lists the CPU device, and says why there is no other") {
  const Workplace place;
  const Outcome text = place.run({"devices"});
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.out, ContainsSubstring("\ncpu "));
  const Outcome json = place.run({"devices", "--json"});
  REQUIRE(json.exit_code == 0);
  const auto listing = nlohmann::json::parse(json.out);
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
