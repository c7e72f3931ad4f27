// What pruning removes, what it keeps, and what a kill in its midst leaves.
#include "cache/prune.h"

#include <SQLiteCpp/Database.h>

#include <chrono>
#include <filesystem>
#include <random>
#include <thread>

#include "tests/cache/child_process.h"
#include "tests/cache/kernels.h"
#include "tests/cache/records.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

const std::vector<std::string> kPresent{"templates-1", "templates of another problem"};

/// The params that are left, as "1,2".
std::string ids_in(const std::string& file) {
  return SQLite::Database(file)
      .execAndGet(
          "SELECT ifnull(group_concat(id), '') FROM (SELECT json_extract(params, '$.id')"
          " AS id FROM result ORDER BY 1)")
      .getString();
}

std::string text(const std::string& file, const std::string& query) {
  return SQLite::Database(file).execAndGet(query).getString();
}

/// On the H200 the old 1, its best 2, and the new 3; on the H100 the old 4; with older templates
/// the old 5 and the new 6.
class Pruned {
 public:
  Pruned() {
    const auto store = open_sqlite_store(file(), OpenMode::read_write);
    const auto run = store->begin_run(run_on(device()));
    store->put(run, success(20, R"({"id":1})", 5));
    store->put(run, success(20, R"({"id":2})", 4));
    store->put(run, success(20, R"({"id":3})", 6));
    store->put(store->begin_run(run_on(device("NVIDIA H100"))), success(20, R"({"id":4})", 1));
    store->put(run, with_templates("templates-0", success(20, R"({"id":5})", 1)));
    store->put(run, with_templates("templates-0", success(20, R"({"id":6})", 2)));
    SQLite::Database(file(), SQLite::OPEN_READWRITE)
        .exec(
            "UPDATE measurement SET measured_at = '2020-01-01T00:00:00Z' WHERE measurement_id NOT "
            "IN (3, 6);"
            "UPDATE run SET started_at = '2020-01-01T00:00:00Z'");
  }

  std::string file() const { return folder_.file("tuning.db"); }

  /// What is left by the rules, which the preview agrees with.
  std::string left_by(PruneRules rules) const {
    rules.present_fingerprints = kPresent;
    if (rules.families.empty()) rules.families = {"reduce"};
    const std::string before = ids_in(file());
    const std::size_t previewed = removed(preview_prune(file(), rules));
    CHECK(ids_in(file()) == before);
    CHECK(removed(prune_database(file(), rules)) == previewed);
    return ids_in(file());
  }

 private:
  static std::size_t removed(const PruneReport& report) {
    std::size_t sum = 0;
    for (const PrunedGroup& group : report.groups) sum += group.measurements;
    return sum;
  }

  TemporaryFolder folder_;
};

TEST_CASE("prune: kernels of other templates go with their measurements, and by no other rule") {
  const Pruned database;
  const auto kernels = open_sqlite_store(database.file(), OpenMode::read_write)->kernels();
  KernelRecord old = kernel_of(key_of("a"));
  old.template_fingerprint = "templates-0";
  kernels->put(old, kNoLimit);
  kernels->put(kernel_of(key_of("b")), kNoLimit);
  database.left_by({.device = {.name_part = "h200"}});
  CHECK(kernels->usage().kernels == 2);
  database.left_by({.seeds = true});
  CHECK_FALSE(kernels->find(key_of("a")));
  CHECK(kernels->find(key_of("b")));
}

TEST_CASE("prune: by age the best stay, but for those of other templates") {
  CHECK(Pruned().left_by({.before = "2021-01-01T00:00:00Z"}) == "2,3,4,6");
}

TEST_CASE("prune: seeds are the measurements of other templates, the best too") {
  CHECK(Pruned().left_by({.seeds = true}) == "1,2,3,4");
}

TEST_CASE("prune: a device that is named loses all, whatever the case of its name") {
  CHECK(Pruned().left_by({.device = {.name_part = "h200"}}) == "4");
  CHECK(Pruned().left_by({.device = {.name_part = "nvidia"}}).empty());
  CHECK(Pruned().left_by({.device = {.name_part = "mi300"}}) == "1,2,3,4,5,6");
  CHECK(Pruned().left_by({.device = {.name_part = "%"}}) == "1,2,3,4,5,6");
}

TEST_CASE("prune: a kind of devices, or a whole name, is no part of a name") {
  CHECK(Pruned().left_by({.device = {.kind = "cuda"}}).empty());
  CHECK(Pruned().left_by({.device = {.kind = "cpu"}}) == "1,2,3,4,5,6");
  CHECK(Pruned().left_by({.device = {.kind = "cuda", .name = "NVIDIA H200"}}) == "4");
  CHECK(Pruned().left_by({.device = {.name = "H200"}}) == "1,2,3,4,5,6");
}

TEST_CASE("prune: of several rules all have to hold") {
  CHECK(Pruned().left_by({.before = "2021-01-01T00:00:00Z", .device = {.name_part = "H200"}}) ==
        "3,4,6");
  CHECK(Pruned().left_by({.before = "2021-01-01T00:00:00Z", .seeds = true}) == "1,2,3,4,6");
}

TEST_CASE("prune: other kernels are not those of families that are not known") {
  CHECK(Pruned().left_by({.seeds = true, .families = {"another"}}) == "1,2,3,4,5,6");
}

TEST_CASE("prune: the report tells what went and what stayed") {
  const Pruned database;
  const PruneReport report = prune_database(
      database.file(),
      {.before = "2021-01-01T00:00:00Z", .present_fingerprints = kPresent, .families = {"reduce"}});
  REQUIRE(report.groups.size() == 2);
  CHECK(report.groups[0].device_name == "NVIDIA H200");
  CHECK_FALSE(report.groups[0].is_seed);
  CHECK(report.groups[0].measurements == 1);
  CHECK(report.groups[0].problems == 1);
  CHECK(report.groups[1].is_seed);
  CHECK(report.kept_best == 2);
}

TEST_CASE("prune: what nothing refers to any more goes too, but for the runs of the last day") {
  const Pruned database;
  const auto store = open_sqlite_store(database.file(), OpenMode::read_write);
  const auto run = store->begin_run(run_on(device("NVIDIA B200")));
  CHECK(database.left_by({.device = {.name_part = "h200"}}) == "4");
  CHECK(text(database.file(), "SELECT count(*) FROM run") == "2");
  CHECK(text(database.file(), "SELECT count(*) FROM config") == "1");
  CHECK(text(database.file(), "SELECT count(*) FROM problem") == "1");
  CHECK(text(database.file(), "SELECT count(*) FROM pragma_foreign_key_check") == "0");
  store->put(run, success(20, R"({"id":7})", 1));
  CHECK(ids_in(database.file()) == "4,7");
}

TEST_CASE("prune: a file that is not there is not made") {
  const TemporaryFolder folder;
  const std::string file = folder.file("none.db");
  CHECK(contains(error_of([&] { prune_database(file, {.seeds = true}); }), "no such file"));
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("prune: killed at any moment, all of it is there or all of it is gone") {
  constexpr int kRounds = 10;
  constexpr int kRows = 2000;
  const Pruned original;
  SQLite::Database(original.file(), SQLite::OPEN_READWRITE)
      .exec("WITH RECURSIVE n (i) AS (SELECT 7 UNION ALL SELECT i + 1 FROM n LIMIT " +
            std::to_string(kRows) +
            ") INSERT INTO measurement SELECT i, run_id, problem_id, config_id, measured_at, "
            "imported_from,"
            " shape, input_bytes, is_default, round, outcome, failure, median_us, mad_us,"
            " discarded_samples, hot_us, stream_us, latency_us, registers, shared_bytes,"
            " local_bytes, occupancy, compile_ms, sm_clock_mhz, memory_clock_mhz, samples_us"
            " FROM measurement, n WHERE measurement_id = 1; PRAGMA wal_checkpoint(TRUNCATE)");
  const PruneRules rules{.device = {.name_part = "h200"}};
  const TemporaryFolder folder;
  const std::string whole = folder.file("whole.db");
  std::filesystem::copy_file(original.file(), whole);
  const auto begin = std::chrono::steady_clock::now();
  prune_database(whole, rules);
  const auto duration = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begin);

  std::mt19937_64 random(7);
  for (int round = 0; round < kRounds; ++round) {
    const std::string file = folder.file(std::to_string(round) + ".db");
    std::filesystem::copy_file(original.file(), file);
    {
      ChildProcess child([&](Line& line) {
        line.send("ready");
        prune_database(file, rules);
      });
      child.receive();
      std::this_thread::sleep_for(duration * (random() % 1000) / 1000);
      child.kill();
    }
    const std::string left = text(file, "SELECT count(*) FROM measurement");
    CHECK((left == "1" || left == std::to_string(kRows + 6)));
    CHECK(text(file, "PRAGMA integrity_check") == "ok");
    prune_database(file, rules);
    CHECK(ids_in(file) == "4");
  }
}

}  // namespace
}  // namespace foldtune::test
