// A tuning that is killed at any moment loses no finished measurement, and goes on from there.
#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "cache/check.h"
#include "foldtune/reduction.h"
#include "tests/cache/child_process.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"
#include "tests/tuner/scripted_evaluator.h"
#include "tests/tuner/tune_on.h"
#include "tuner/session/problem_history.h"

namespace foldtune::test {
namespace {

constexpr int kKills = 20;

/// A cost that is never the same.
double cost_of(const Workload&, const Trial& trial) {
  return 5 + static_cast<double>(std::hash<std::string>{}(to_json(trial.params)) % 100'000) * 1e-3;
}

void tune_into(const std::string& database, const std::function<void()>& on_trial) {
  ScriptedEvaluator evaluator(cost_of, [&](const Trial&) {
    on_trial();
    return Outcome::ok;
  });
  const auto store = open_sqlite_store(database, OpenMode::read_write);
  SilentObserver observer;
  Evaluator* const evaluators[] = {&evaluator};
  tune(evaluators, *store, {.workloads = {Reduction{.count = 1 << 12}}, .command = "test"},
       observer);
}

/// The configurations that were screened, in their order. The database must be sound.
std::vector<std::string> screened(const std::string& database) {
  const auto anything = [](const StoredResult&) { return std::string(); };
  const CheckReport report =
      check_database(database, {.fault_of_run = anything, .fault_of_measurement = anything});
  for (const CheckFinding& finding : report.findings) FAIL_CHECK(finding.text);
  std::vector<std::string> result;
  for (const StoredResult& row : open_sqlite_store(database, OpenMode::read_only)->measurements()) {
    if (row.measurement.round == kScreened) result.push_back(row.measurement.params);
  }
  return result;
}

std::string chosen(const std::string& database) {
  return open_sqlite_store(database, OpenMode::read_only)->best().at(0).measurement.params;
}

TEST_CASE("A tuning that is killed loses nothing, and ends as if it had not been") {
  const TemporaryFolder folder;
  const std::string whole = folder.file("whole.db");
  tune_into(whole, [] {});
  const std::vector<std::string> all = screened(whole);
  REQUIRE(all.size() > 20);

  std::mt19937_64 random(7);
  int killed = 0;
  int killed_between = 0;  // after the first measurement and before the last
  for (int round = 0; killed < kKills; ++round) {
    const std::string database = folder.file(std::to_string(round) + ".db");
    std::size_t known = 0;
    for (bool is_done = false; !is_done;) {
      // Shortly after a trial, which is when its measurement is stored: of the screening, or of the
      // comparison that follows. It does not get far ahead, however long the signal takes.
      constexpr std::size_t kTrialsMore = 10;
      constexpr std::size_t kAhead = 3;
      // With all of it there, it may end.
      const std::size_t left = all.size() - known;
      const std::size_t last = left == 0 ? all.size() * 100 : 1 + random() % (left + kTrialsMore);
      {
        ChildProcess child([&](Line& line) {
          std::size_t trial = 0;
          tune_into(database, [&] {
            if (++trial == last) line.send("now");
            if (trial > last + kAhead) std::this_thread::sleep_for(std::chrono::seconds(60));
          });
          line.send("done");
        });
        const std::string message = child.receive();
        REQUIRE((message == "now" || message == "done"));
        is_done = message == "done";
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
        child.kill();
      }
      if (is_done) break;
      ++killed;
      const std::vector<std::string> measured = screened(database);
      CHECK(measured.size() >= known);
      REQUIRE(measured.size() <= all.size());
      CHECK(std::equal(measured.begin(), measured.end(), all.begin()));
      known = measured.size();
      killed_between += known > 0 && known < all.size();
    }
    CHECK(screened(database) == all);
    CHECK(chosen(database) == chosen(whole));
  }
  CHECK(killed_between >= kKills / 4);
}

}  // namespace
}  // namespace foldtune::test
