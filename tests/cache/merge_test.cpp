// What merging adds, what it leaves, and what a kill in its midst leaves.
#include "cache/merge.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

#include "tests/cache/child_process.h"
#include "tests/cache/kernels.h"
#include "tests/cache/records.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

/// Two databases, a and b, in one folder.
class TwoFiles {
 public:
  std::string a() const { return folder_.file("a.db"); }
  std::string b() const { return folder_.file("b.db"); }
  std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  TemporaryFolder folder_;
};

void put(const std::string& file, const std::vector<MeasurementRecord>& measurements,
         const RunRecord& run = run_on(device())) {
  const auto store = open_sqlite_store(file, OpenMode::read_write);
  const auto id = store->begin_run(run);
  for (const MeasurementRecord& measurement : measurements) store->put(id, measurement);
}

void exec(const std::string& file, const std::string& statement) {
  SQLite::Database database(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  database.exec("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF");
  database.exec(statement);
}

std::string text(const std::string& file, const std::string& query) {
  return SQLite::Database(file).execAndGet(query).getString();
}

std::string bytes_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<StoredResult> measurements_in(const std::string& file) {
  return open_sqlite_store(file, OpenMode::read_only)->measurements();
}

/// With something in every column.
MeasurementRecord complete_measurement() {
  MeasurementRecord m = success(20, R"({"id":1})", 5.25, /*round=*/3);
  m.problem.options = "nan_policy=ignore";
  m.is_default = true;
  m.samples_us = {5, 5.5, 0.1};
  m.mad_us = 0.25;
  m.discarded_samples = 3;
  m.hot_us = 1.5;
  m.stream_us = 6;
  m.latency_us = 9;
  m.registers = 32;
  m.shared_bytes = 128;
  m.local_bytes = 16;
  m.occupancy = 0.75;
  m.compile_ms = 41.5;
  m.sm_clock_mhz = 1980;
  m.memory_clock_mhz = 3201;
  return m;
}

TEST_CASE("merge: kept kernels of the source are not copied, and those of the target stay") {
  const TwoFiles files;
  put(files.a(), {success(20, R"({"id":1})", 5)});
  put(files.b(), {success(22, R"({"id":2})", 5)});
  for (const std::string& file : {files.a(), files.b()}) {
    open_sqlite_store(file, OpenMode::read_write)
        ->kernels()
        ->put(kernel_of(key_of(file == files.a() ? "a" : "b")), kNoLimit);
  }
  CHECK(merge_database(files.a(), files.b()).taken.added == 1);
  const auto kernels = open_sqlite_store(files.a(), OpenMode::read_only)->kernels();
  CHECK(kernels->find(key_of("a")));
  CHECK_FALSE(kernels->find(key_of("b")));
}

TEST_CASE("merge: everything about a measurement and its run is copied, the times too") {
  const TwoFiles files;
  put(files.b(), {complete_measurement(), failure(22, R"({"id":2})", Outcome::timeout)});
  exec(files.b(),
       "UPDATE run SET started_at = '2025-01-01T00:00:00Z';"
       "UPDATE measurement SET measured_at = '2025-01-01T00:00:0' || measurement_id || 'Z'");
  const std::string before = bytes_of(files.b());
  const MergeReport report = merge_database(files.a(), files.b());
  CHECK(report.taken.added == 2);
  CHECK(report.taken.known == 0);
  CHECK(report.refused.empty());
  CHECK(report.taken.new_problems == 1);
  CHECK(report.taken.changed_problems == 0);

  const auto copied = measurements_in(files.a());
  REQUIRE(copied.size() == 2);
  CHECK(copied[0].measurement == complete_measurement());
  CHECK(copied[0].measured_at == "2025-01-01T00:00:01Z");
  CHECK(copied[1].measurement.outcome == Outcome::timeout);
  for (const StoredResult& result : copied) CHECK(result.run == run_on(device()));
  CHECK(text(files.a(), "SELECT started_at FROM run") == "2025-01-01T00:00:00Z");
  CHECK(bytes_of(files.b()) == before);
}

TEST_CASE("merge: what is there already is not added again") {
  const TwoFiles files;
  put(files.a(), {success(20, R"({"id":1})", 5)});
  std::filesystem::copy_file(files.a(), files.b());
  RunRecord later = run_on(device());
  later.command = "foldtune tune --no-resume";
  put(files.b(), {success(20, R"({"id":2})", 4)}, later);
  const MergeReport first = merge_database(files.a(), files.b());
  CHECK(first.taken.added == 1);
  CHECK(first.taken.known == 1);
  const MergeReport second = merge_database(files.a(), files.b());
  CHECK(second.taken.added == 0);
  CHECK(second.taken.known == 2);
  CHECK(second.taken.changed_problems == 0);
  CHECK(text(files.a(), "SELECT count(*) FROM run") == "2");
  CHECK(measurements_in(files.a()).size() == 2);
}

TEST_CASE("merge: measurements that differ in their time or samples alone are two") {
  const TwoFiles files;
  put(files.a(), {success(20, R"({"id":1})", 5)});
  std::filesystem::copy_file(files.a(), files.b());
  exec(files.b(), GENERATE("UPDATE measurement SET measured_at = '2025-01-01T00:00:00Z'",
                           "UPDATE measurement SET samples_us = '[5.5]'"));
  CHECK(merge_database(files.a(), files.b()).taken.added == 1);
  CHECK(measurements_in(files.a()).size() == 2);
}

TEST_CASE("merge: the best is that of the highest round, then the fastest") {
  const TwoFiles files;
  put(files.a(), {success(18, R"({"id":1})", 5), success(20, R"({"id":1})", 5),
                  success(22, R"({"id":1})", 5, /*round=*/3)});
  put(files.b(), {success(18, R"({"id":2})", 6), success(20, R"({"id":2})", 4),
                  success(22, R"({"id":2})", 4), success(24, R"({"id":2})", 9)});
  const MergeReport report = merge_database(files.a(), files.b());
  CHECK(report.taken.changed_problems == 1);
  CHECK(report.taken.new_problems == 1);
  const auto store = open_sqlite_store(files.a(), OpenMode::read_only);
  CHECK(found_params(*store, key_of_size(18)) == R"({"id":1})");
  CHECK(found_params(*store, key_of_size(20)) == R"({"id":2})");
  CHECK(found_params(*store, key_of_size(22)) == R"({"id":1})");
  CHECK(found_params(*store, key_of_size(24)) == R"({"id":2})");
}

TEST_CASE("merge: devices, compilers and templates stay apart") {
  const TwoFiles files;
  put(files.a(), {success(20, R"({"id":1})", 5)});
  RunRecord other = run_on(device("NVIDIA H100"));
  put(files.b(), {success(20, R"({"id":2})", 1)}, other);
  other = run_on(device());
  other.template_fingerprint = "templates-2";
  put(files.b(), {success(20, R"({"id":3})", 1)}, other);
  CHECK(merge_database(files.a(), files.b()).taken.new_problems == 2);
  const auto store = open_sqlite_store(files.a(), OpenMode::read_only);
  CHECK(store->best().size() == 3);
  CHECK(found_params(*store, key_of_size(20)) == R"({"id":1})");
}

TEST_CASE("merge: rows that are no measurements are refused with a reason, the others are added") {
  const TwoFiles files;
  std::vector<MeasurementRecord> some;
  for (int i = 1; i <= 5; ++i) some.push_back(success(20, "{\"id\":" + std::to_string(i) + "}", i));
  put(files.b(), some);
  put(files.b(), {success(20, R"({"id":1})", 1)}, run_on(device("NVIDIA H100")));
  exec(files.b(),
       "UPDATE measurement SET samples_us = '[\"x\"]' WHERE measurement_id = 1;"
       "UPDATE measurement SET outcome = 'bad' WHERE measurement_id = 2;"
       "UPDATE measurement SET occupancy = 2 WHERE measurement_id = 3;"
       "DELETE FROM config WHERE config_id = 4;"
       "UPDATE run SET device_l2_bytes = 1 WHERE run_id = 2");
  const MergeReport report = merge_database(files.a(), files.b());
  CHECK(report.taken.added == 1);
  CHECK(report.taken.known == 0);
  REQUIRE(report.refused.size() == 5);
  CHECK(contains(report.refused[0], "measurement 1: its samples_us"));
  CHECK(contains(report.refused[1], "measurement 2: there is no outcome \"bad\""));
  CHECK(contains(report.refused[2], "measurement 3: its occupancy"));
  CHECK(contains(report.refused[3], "measurement 6: its device's fingerprint"));
  CHECK(
      contains(report.refused[4], "measurement 4: its run, problem or configuration is not there"));
}

TEST_CASE("merge: a source that is the target, by whatever name, is refused") {
  const TwoFiles files;
  put(files.a(), {success(20, "{}", 5)});
  std::filesystem::create_symlink(files.a(), files.file("link.db"));
  std::filesystem::create_hard_link(files.a(), files.file("hard.db"));
  for (const char* const name : {"a.db", "./a.db", "link.db", "hard.db"}) {
    CHECK(contains(error_of([&] { merge_database(files.a(), files.file(name)); }), "same file"));
  }
  CHECK(measurements_in(files.a()).size() == 1);
}

TEST_CASE("merge: a source that is missing or no database makes no target") {
  const TwoFiles files;
  CHECK(contains(error_of([&] { merge_database(files.a(), files.b()); }), "no such file"));
  exec(files.b(), "CREATE TABLE precious (value)");
  CHECK(contains(error_of([&] { merge_database(files.a(), files.b()); }), "another program"));
  CHECK_FALSE(std::filesystem::exists(files.a()));
}

TEST_CASE("merge: a source without measurements adds nothing") {
  const TwoFiles files;
  open_sqlite_store(files.b(), OpenMode::read_write);
  CHECK(merge_database(files.a(), files.b()).taken.added == 0);
  CHECK(measurements_in(files.a()).empty());
}

/// Many measurements, with samples that make them long.
void fill(const std::string& file, const std::string& command, int count) {
  std::vector<MeasurementRecord> many;
  for (int i = 0; i < count; ++i) {
    many.push_back(success(20, "{\"id\":" + std::to_string(i) + "}", 5));
    many.back().samples_us.assign(100, 5.125);
  }
  RunRecord run = run_on(device());
  run.command = command;
  put(file, many, run);
}

TEST_CASE(
    "merge: killed at any moment, the target has whole parts, and the same call brings the rest") {
  constexpr int kRounds = 6;
  constexpr std::size_t kEach = 300;
  const TwoFiles files;
  const std::string c = files.file("c.db");
  fill(files.b(), "b", kEach);
  fill(c, "c", kEach);
  const std::string before = bytes_of(files.b()) + bytes_of(c);
  const auto merge_both = [&](const std::string& into) {
    merge_database(into, files.b());
    merge_database(into, c);
  };
  const auto begin = std::chrono::steady_clock::now();
  merge_both(files.a());
  const auto duration = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begin);

  std::mt19937_64 random(7);
  int killed_before_end = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::string into = files.file("into" + std::to_string(round) + ".db");
    put(into, {success(18, "{}", 5)});
    {
      ChildProcess child([&](Line& line) {
        line.send("ready");
        merge_both(into);
      });
      child.receive();
      std::this_thread::sleep_for(duration * (random() % 1000) / 1000);
      child.kill();
    }
    const std::size_t added = measurements_in(into).size() - 1;
    CAPTURE(added);
    CHECK(added % kEach == 0);
    killed_before_end += added < 2 * kEach;
    CHECK(text(into, "PRAGMA integrity_check") == "ok");
    CHECK(bytes_of(files.b()) + bytes_of(c) == before);
    merge_both(into);
    CHECK(measurements_in(into).size() == 1 + 2 * kEach);
  }
  CHECK(killed_before_end > 0);
}

}  // namespace
}  // namespace foldtune::test
