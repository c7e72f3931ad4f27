// A tuning that is killed at any moment loses no finished measurement, and goes on from there.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <random>
#include <set>
#include <thread>

#include "tests/catch.h"
#include "tests/tuner/program.h"
#include "tuner/replay/landscape.h"

namespace foldtune::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kKills = 50;

/// Best with 128 threads and unroll 8; rippled, so that no two configurations cost the same.
Landscape make_hills() {
  Landscape landscape;
  landscape.device = {.kind = "cuda",
                      .name = "Recorded",
                      .architecture = "sm_90",
                      .multiprocessor_count = 132,
                      .memory_clock_khz = 3'201'000,
                      .memory_bus_bits = 6016,
                      .l2_bytes = 60 << 20,
                      .driver = "580"};
  landscape.compiler = "nvrtc 13.0";
  landscape.template_fingerprint = "0123456789abcdef";
  landscape.read_bandwidth_gbps = 4500;
  landscape.problem = {.count = 1 << 20};
  std::mt19937_64 random(1);
  for (const Params& params : Space(landscape.problem).enumerate()) {
    const auto& reduce = std::get<ReduceParams>(params);
    const double ripple = static_cast<double>(random() % 1000) * 1e-3;
    landscape.points.push_back({.params = params,
                                .median_us = 3 + std::abs(std::log2(reduce.block_size) - 7) +
                                             std::abs(std::log2(reduce.unroll) - 3) + ripple,
                                .mad_us = 0.01});
  }
  return landscape;
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
  const Workplace place;
  const std::string folder = place.file("landscapes");
  const Landscape hills = make_hills();
  write_landscape(folder + "/" + landscape_file_name(hills.problem), hills);
  const auto arguments = [&](const std::string& database) {
    return std::vector<std::string>{"tune", "--device", "replay:" + folder, "--n", "2^20",
                                    "--db", database};
  };

  const std::string whole = place.file("whole.db");
  const auto begin = Clock::now();
  const Outcome uninterrupted = place.run(arguments(whole));
  const auto duration = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
  CAPTURE(uninterrupted.out, uninterrupted.err);
  REQUIRE(uninterrupted.exit_code == 0);
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
      RunningProgram program = place.start(arguments(database));
      await_moment(database, known);
      program.send_signal(SIGKILL);
      is_done = program.wait().exit_code == 0;
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
