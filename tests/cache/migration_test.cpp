// What an older Foldtune stored is there for this one.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include "tests/cache/kernels.h"
#include "tests/cache/records.h"
#include "tests/cache/schema_version_1.h"
#include "tests/cache/schema_version_2.h"
#include "tests/cache/schema_version_3.h"
#include "tests/cache/schema_version_4.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

// One run on `device()` with a slow and a fast success and a failure, of ids that are not the
// places of their rows.
constexpr const char* kRows = R"sql(
INSERT INTO run VALUES (5, 3, 'templates-1', 'nvrtc 13.0', '0.1.0', 'foldtune tune --op sum',
                        '18446744073709551615', 4000, '2026-01-31T12:00:00Z');
INSERT INTO problem VALUES (7, 'reduce', 'sum', 'f32', 'f32', '16', 'fixed', 20),
                           (9, 'reduce', 'sum', 'f32', 'f32', '16', 'fixed', 24);
INSERT INTO config VALUES (11, '{"id":1}'), (13, '{"id":2}');
INSERT INTO measurement VALUES
  (17, 5, 7, 11, '2026-01-31T12:00:01Z', 1048576, 4194304, 1, 0, 'ok', '', '[4.5,5.5]', 5,
   32, 128, 16, 0.75, 41.5, 1980, 3201),
  (19, 5, 7, 13, '2026-01-31T12:00:02Z', 1048576, 4194304, 0, 0, 'ok', '', '[4.0]', 4,
   0, 0, 0, 0, 0, 0, 0),
  (23, 5, 9, 13, '2026-01-31T12:00:03Z', 16777216, 67108864, 0, 1, 'wrong_result', 'because', '[]',
   0, 0, 0, 0, 0, 0, 0, 0);
)sql";

/// A database of version 1 with rows in every table.
class Version1 {
 public:
  Version1() {
    SQLite::Database database(file(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec(kSchemaVersion1);
    SQLite::Statement insert(database,
                             "INSERT INTO device VALUES (3, ?, 'cuda', 'NVIDIA H200', 'sm_90', 132,"
                             " 3201000, 6144, 62914560, '580.95.05')");
    insert.bind(1, device().fingerprint());
    insert.exec();
    database.exec(kRows);
  }

  std::string file() const { return folder_.file("tuning.db"); }
  std::string text(const std::string& query) const {
    return SQLite::Database(file()).execAndGet(query).getString();
  }
  void exec(const char* statement) const {
    SQLite::Database(file(), SQLite::OPEN_READWRITE).exec(statement);
  }

 private:
  TemporaryFolder folder_;
};

// A result with options, as only version 2 has them.
constexpr const char* kRowsOfVersion2 = R"sql(
INSERT INTO problem VALUES (10, 'reduce', 'sum', 'f32', 'f32', '16', 'fixed', 'nan_policy=ignore',
                            20);
INSERT INTO measurement VALUES
  (29, 5, 10, 11, '2026-02-28T12:00:00Z', 1048576, 4194304, 1, 1, 'ok', '', '[4.5,5.5]', 5,
   32, 128, 16, 0.75, 41.5, 1980, 3201);
)sql";

/// A database of version 2, with the rows of `Version1` and one more.
class Version2 : public Version1 {
 public:
  Version2() {
    exec(kSchemaVersion2);
    exec(kRowsOfVersion2);
  }
};

// A later run, whose slower result was chosen, and its time over another device.
constexpr const char* kRowsOfVersion3 = R"sql(
INSERT INTO run VALUES (6, 3, 'templates-1', 'nvrtc 13.0', '0.1.0', 'foldtune tune --op sum', '1',
                        4000, '2026-03-31T12:00:00Z');
INSERT INTO measurement VALUES
  (31, 6, 7, 11, '2026-03-31T12:00:01Z', 1048576, 4194304, 1, 2, 'ok', '', '[4.5]', 4.5, 0.125, 1,
   1, 4, 9, 32, 128, 16, 0.75, 41.5, 1980, 3201),
  (37, 6, 7, 13, '2026-03-31T12:00:02Z', 1048576, 4194304, 0, 1, 'ok', '', '[4.75]', 4.75, 0, 0,
   0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
  (41, 6, 9, 13, '2026-03-31T12:00:03Z', 16777216, 67108864, 0, 0, 'crashed', 'because', '[]', 0, 0,
   0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
)sql";

/// A database of version 3, with the rows of `Version2` and more.
class Version3 : public Version2 {
 public:
  Version3() {
    exec(kSchemaVersion3);
    exec(kRowsOfVersion3);
  }
};

/// A database of version 4, with the rows of `Version3`.
class Version4 : public Version3 {
 public:
  Version4() { exec(kSchemaVersion4); }
};

/// `key_of_size` of a problem with options.
TuningKey key_with(const std::string& options, int size_class = 20) {
  TuningKey key = key_of_size(size_class);
  key.problem.options = options;
  return key;
}

TEST_CASE("version 1: every run and measurement is there, and the best is found") {
  const Version1 old;
  const auto store = open_sqlite_store(old.file(), OpenMode::read_write);
  const auto all = store->measurements();
  REQUIRE(all.size() == 3);
  const MeasurementRecord slow{.problem = sum_of_size(20),
                               .count = 1'048'576,
                               .bytes = 4'194'304,
                               .params = R"({"id":1})",
                               .is_default = true,
                               .failure = "",
                               .samples_us = {4.5, 5.5},
                               .median_us = 5,
                               .registers = 32,
                               .shared_bytes = 128,
                               .local_bytes = 16,
                               .occupancy = 0.75,
                               .compile_ms = 41.5,
                               .sm_clock_mhz = 1980,
                               .memory_clock_mhz = 3201};
  MeasurementRecord failed = failure(24, R"({"id":2})", Outcome::wrong_result);
  failed.round = 1;
  CHECK(all[0].measurement == slow);
  CHECK(all[1].measurement == success(20, R"({"id":2})", 4));
  CHECK(all[2].measurement == failed);
  CHECK(all[2].measured_at == "2026-01-31T12:00:03Z");
  for (const StoredResult& result : all) CHECK(result.run == run_on(device()));

  const auto match = store->find(key_of_size(20));
  REQUIRE(match);
  CHECK(match->quality == MatchQuality::exact);
  CHECK(match->result.measurement == all[1].measurement);
  CHECK(store->best().size() == 1);
}

TEST_CASE("version 1: problems of other options are kept apart from the old ones") {
  const Version1 old;
  const auto store = open_sqlite_store(old.file(), OpenMode::read_write);
  CHECK(found_params(*store, key_with("nan_policy=ignore")) == "nothing");

  MeasurementRecord other = success(20, R"({"id":3})", 1);
  other.problem.options = "nan_policy=ignore";
  store->put(5, other);
  store->put(5, success(20, R"({"id":4})", 3));
  CHECK(found_params(*store, key_with("nan_policy=ignore")) == R"({"id":3})");
  CHECK(found_params(*store, key_of_size(20)) == R"({"id":4})");
  CHECK(old.text("SELECT group_concat(id) FROM (SELECT id FROM problem ORDER BY id)") == "7,9,10");
  CHECK(old.text("SELECT problem_id FROM measurement WHERE id = 25") == "7");
}

TEST_CASE("version 1: ids, references and the views outlive the migration") {
  const Version1 old;
  old.exec("CREATE VIEW mine AS SELECT params FROM best");
  open_sqlite_store(old.file(), OpenMode::read_write);
  CHECK(old.text("PRAGMA user_version") == "5");
  CHECK(old.text("PRAGMA integrity_check") == "ok");
  CHECK(old.text("SELECT count(*) FROM pragma_foreign_key_check") == "0");
  CHECK(old.text("SELECT group_concat(\"table\") FROM (SELECT \"table\" FROM"
                 " pragma_foreign_key_list('measurement') ORDER BY 1)") == "config,problem,run");
  CHECK(old.text("SELECT group_concat(problem_id || '/' || id) FROM"
                 " (SELECT problem_id, id FROM measurement ORDER BY id)") == "7/17,7/19,9/23");
  CHECK(old.text("SELECT count(*) FROM result WHERE options = ''") == "3");
  CHECK(old.text("SELECT measurement_id FROM best") == "19");
  CHECK(old.text("SELECT params FROM mine") == R"({"id":2})");
}

TEST_CASE("version 1: a migrated database has the schema of a new one") {
  const Version1 old;
  const TemporaryFolder folder;
  open_sqlite_store(old.file(), OpenMode::read_write);
  open_sqlite_store(folder.file("tuning.db"), OpenMode::read_write);
  const std::string query =
      "SELECT group_concat(name || ': ' || sql, char(10)) FROM"
      " (SELECT name, sql FROM sqlite_schema ORDER BY name)";
  CHECK(old.text(query) ==
        SQLite::Database(folder.file("tuning.db")).execAndGet(query).getString());
}

TEST_CASE("version 1: refused for reading only, and not migrated") {
  const Version1 old;
  const std::string error = error_of([&] { open_sqlite_store(old.file(), OpenMode::read_only); });
  CHECK(contains(error,
                 "its schema is of the older version 1, and it was opened for reading only;"
                 " tune with it once, which brings it to version 5"));
  CHECK(old.text("PRAGMA user_version") == "1");
}

TEST_CASE("version 2: every measurement is there, with nothing in what is new") {
  const Version2 old;
  const auto store = open_sqlite_store(old.file(), OpenMode::read_write);
  const auto all = store->measurements();
  REQUIRE(all.size() == 4);
  MeasurementRecord with_options{.problem = sum_of_size(20),
                                 .count = 1'048'576,
                                 .bytes = 4'194'304,
                                 .params = R"({"id":1})",
                                 .is_default = true,
                                 .round = 1,
                                 .failure = "",
                                 .samples_us = {4.5, 5.5},
                                 .median_us = 5,
                                 .registers = 32,
                                 .shared_bytes = 128,
                                 .local_bytes = 16,
                                 .occupancy = 0.75,
                                 .compile_ms = 41.5,
                                 .sm_clock_mhz = 1980,
                                 .memory_clock_mhz = 3201};
  with_options.problem.options = "nan_policy=ignore";
  CHECK(all[3].measurement == with_options);
  CHECK(all[3].measured_at == "2026-02-28T12:00:00Z");
  CHECK(all[3].run == run_on(device()));
  CHECK(all[1].measurement == success(20, R"({"id":2})", 4));
  CHECK(all[2].measurement.outcome == Outcome::wrong_result);

  CHECK(found_params(*store, key_of_size(20)) == R"({"id":2})");
  CHECK(found_params(*store, key_with("nan_policy=ignore")) == R"({"id":1})");
  CHECK(store->measurements_of(key_of_size(20)).size() == 2);
}

TEST_CASE("version 2: what is new can be stored beside the old") {
  const Version2 old;
  const auto store = open_sqlite_store(old.file(), OpenMode::read_write);
  MeasurementRecord complete = success(20, R"({"id":3})", 3, /*round=*/2);
  complete.mad_us = 0.125;
  complete.discarded_samples = 1;
  complete.hot_us = 1;
  complete.stream_us = 4;
  complete.latency_us = 9;
  store->put(5, complete);
  store->put(5, failure(20, R"({"id":4})", Outcome::crashed));
  const auto all = store->measurements();
  REQUIRE(all.size() == 6);
  CHECK(all[4].measurement == complete);
  CHECK(all[5].measurement.outcome == Outcome::crashed);
}

TEST_CASE("version 2: ids, references, indexes and the views outlive the migration") {
  const Version2 old;
  old.exec("CREATE VIEW mine AS SELECT params FROM best");
  open_sqlite_store(old.file(), OpenMode::read_write);
  CHECK(old.text("PRAGMA user_version") == "5");
  CHECK(old.text("PRAGMA integrity_check") == "ok");
  CHECK(old.text("SELECT count(*) FROM pragma_foreign_key_check") == "0");
  CHECK(old.text("SELECT group_concat(\"table\") FROM (SELECT \"table\" FROM"
                 " pragma_foreign_key_list('measurement') ORDER BY 1)") == "config,problem,run");
  CHECK(old.text("SELECT group_concat(name) FROM (SELECT name FROM"
                 " pragma_index_list('measurement') ORDER BY 1)") == "measurement_by_problem");
  CHECK(old.text("SELECT group_concat(problem_id || '/' || id) FROM"
                 " (SELECT problem_id, id FROM measurement ORDER BY id)") ==
        "7/17,7/19,9/23,10/29");
  CHECK(old.text("SELECT count(*) FROM result WHERE hot_us IS NULL AND mad_us = 0") == "4");
  CHECK(old.text("SELECT group_concat(params) FROM (SELECT params FROM mine ORDER BY 1)") ==
        R"({"id":1},{"id":2})");
}

TEST_CASE("version 3: every measurement is there, and the best of each run is known") {
  const Version3 old;
  const auto store = open_sqlite_store(old.file(), OpenMode::read_write);
  const auto all = store->measurements();
  REQUIRE(all.size() == 7);
  CHECK(all[4].measurement.latency_us == 9);
  CHECK(all[4].measurement.round == 2);
  CHECK(all[6].measurement.outcome == Outcome::crashed);
  CHECK(old.text("SELECT group_concat(problem_id || '/' || run_id || '/' || round || '/' ||"
                 " median_us || '/' || measurement_id) FROM best_of_run") ==
        "7/5/0/4.0/19,7/6/2/4.5/31,10/5/1/5.0/29");
  CHECK(found_params(*store, key_of_size(20)) == R"({"id":1})");
  CHECK(found_params(*store, key_with("nan_policy=ignore")) == R"({"id":1})");
  CHECK(store->best().size() == 2);
  store->put(6, success(20, R"({"id":3})", 4, /*round=*/3));
  CHECK(found_params(*store, key_of_size(20)) == R"({"id":3})");
}

TEST_CASE("version 3: ids, references, indexes and the views outlive the migration") {
  const Version3 old;
  old.exec("CREATE VIEW mine AS SELECT measurement_id FROM best");
  open_sqlite_store(old.file(), OpenMode::read_write);
  CHECK(old.text("PRAGMA user_version") == "5");
  CHECK(old.text("PRAGMA integrity_check") == "ok");
  CHECK(old.text("SELECT count(*) FROM pragma_foreign_key_check") == "0");
  CHECK(old.text("SELECT group_concat(name) FROM (SELECT name FROM"
                 " pragma_index_list('measurement') ORDER BY 1)") == "measurement_by_problem");
  CHECK(old.text("SELECT group_concat(measurement_id) FROM (SELECT * FROM mine ORDER BY 1)") ==
        "29,31");
}

TEST_CASE("version 4: every measurement is there, and kernels can be kept beside them") {
  const Version4 old;
  const auto store = open_sqlite_store(old.file(), OpenMode::read_write);
  CHECK(old.text("PRAGMA user_version") == "5");
  CHECK(old.text("PRAGMA integrity_check") == "ok");
  CHECK(store->measurements().size() == 7);
  CHECK(found_params(*store, key_of_size(20)) == R"({"id":1})");
  CHECK(store->kernels()->usage().kernels == 0);
  store->kernels()->put(kernel_of(key_of("a")), kNoLimit);
  CHECK(store->kernels()->find(key_of("a")));
}

}  // namespace
}  // namespace foldtune::test
