// A tuning that is killed at any moment loses no finished measurement, and goes on from there.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"
#include "tests/tuner/scripted_evaluator.h"
#include "tests/tuner/tune_on.h"

namespace foldtune::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kKills = 50;

/// Best with 128 threads and unroll 8; rippled, so that no two configurations cost the same.
double cost_of(const Params& params) {
  const auto& reduce = std::get<ReduceParams>(params);
  const double ripple =
      static_cast<double>(std::hash<std::string>{}(to_json(params)) % 1000) * 1e-3;
  return 3 + std::abs(std::log2(reduce.block_size) - 7) + std::abs(std::log2(reduce.unroll) - 3) +
         ripple;
}

/// Tunes a sum with invented costs into the database.
void tune_into(const std::string& database) {
  ScriptedEvaluator evaluator(
      [](const Problem&, const Trial& trial) { return cost_of(trial.params); });
  const std::unique_ptr<ConfigStore> store = open_sqlite_store(database, OpenMode::read_write);
  SilentObserver observer;
  const std::vector<Evaluator*> evaluators{&evaluator};
  tune(evaluators, *store, {.problems = {{.count = 1 << 20}}, .command = "test"}, observer);
}

/// A process that does that, and ends with 0.
pid_t start_tuning(const std::string& database) {
  const pid_t process = ::fork();
  REQUIRE(process >= 0);
  if (process > 0) return process;
  try {
    tune_into(database);
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

/// Whether it ended by itself, and well.
bool wait_for(pid_t process) {
  int status = 0;
  ::waitpid(process, &status, 0);
  if (WIFEXITED(status)) REQUIRE(WEXITSTATUS(status) == 0);
  return WIFEXITED(status);
}

/// The configurations that were screened, in their order.
std::vector<std::string> screened(const std::string& database) {
  SQLite::Database db(database, SQLite::OPEN_READONLY);
  CHECK(db.execAndGet("PRAGMA integrity_check").getString() == "ok");
  std::vector<std::string> result;
  SQLite::Statement rows(db, "SELECT params FROM result WHERE round = 0 ORDER BY measurement_id");
  while (rows.executeStep()) result.push_back(rows.getColumn(0).getString());
  return result;
}

/// How many were screened by now, as a process that tunes writes.
std::size_t screened_so_far(const std::string& database) {
  if (!std::filesystem::exists(database)) return 0;
  try {
    SQLite::Database db(database, SQLite::OPEN_READONLY);
    return static_cast<std::size_t>(
        db.execAndGet("SELECT count(*) FROM measurement WHERE round = 0").getInt64());
  } catch (const SQLite::Exception&) {
    return 0;  // its tables are being made
  }
}

std::string chosen(const std::string& database) {
  SQLite::Database db(database, SQLite::OPEN_READONLY);
  SQLite::Statement rows(db, "SELECT params FROM best");
  REQUIRE(rows.executeStep());
  return rows.getColumn(0).getString();
}

bool is_prefix(const std::vector<std::string>& part, const std::vector<std::string>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

TEST_CASE("A tuning that is killed loses nothing, and ends as if it had not been") {
  const TemporaryFolder place;
  const std::string whole = place.file("whole.db");
  const auto begin = Clock::now();
  REQUIRE(wait_for(start_tuning(whole)));
  const auto duration = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
  const std::vector<std::string> all = screened(whole);
  REQUIRE(all.size() > 20);

  std::mt19937_64 random(7);
  // At any moment, and, since starting may take most of the time, after any measurement.
  const auto await_moment = [&](const std::string& database, std::size_t known) {
    if (known == all.size() || random() % 2 == 0) {
      std::this_thread::sleep_for(duration * (random() % 1000) / 1000);
      return;
    }
    const std::size_t enough = known + 1 + random() % (all.size() - known);
    const auto deadline = Clock::now() + 2 * duration;
    while (screened_so_far(database) < enough && Clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  int killed = 0;
  int killed_between = 0;  // after the first measurement and before the end
  for (int round = 0; killed < kKills; ++round) {
    const std::string database = place.file(fmt::format("killed{}.db", round));
    std::size_t known = 0;
    for (bool is_done = false; !is_done;) {
      const pid_t process = start_tuning(database);
      await_moment(database, known);
      ::kill(process, SIGKILL);
      is_done = wait_for(process);
      killed += !is_done;
      if (!std::filesystem::exists(database)) continue;
      // A database whose first transaction was cut off has no tables yet.
      if (SQLite::Database(database, SQLite::OPEN_READWRITE).tableExists("measurement")) {
        const std::vector<std::string> measured = screened(database);
        CHECK(measured.size() >= known);
        CHECK(is_prefix(measured, all));
        known = measured.size();
        killed_between += known > 0 && known < all.size();
      }
    }
    CHECK(screened(database) == all);
    CHECK(chosen(database) == chosen(whole));
  }
  CHECK(killed_between >= kKills / 10);
}

}  // namespace
}  // namespace foldtune::test
