// What a ConfigStore does.
#include <SQLiteCpp/Database.h>

#include <limits>
#include <thread>

#include "cache/intake.h"
#include "tests/cache/records.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

/// The params, one after another.
std::string params_of(const std::vector<StoredResult>& results) {
  std::string text;
  for (const StoredResult& result : results) text += result.measurement.params;
  return text;
}

/// A success on another problem.
MeasurementRecord other_success(int size_class, const std::string& params,
                                const std::string& problem) {
  MeasurementRecord measurement = success(size_class, params, 5);
  measurement.problem.problem = problem;
  return measurement;
}

TEST_CASE("an empty store finds nothing") {
  const auto store = open_memory_store();
  CHECK_FALSE(find(*store, key_of_size(20)));
  CHECK(store->best().empty());
  CHECK(store->measurements().empty());
}

TEST_CASE("every field of a run and of a measurement comes back as it was put") {
  const auto store = open_memory_store();
  const RunRecord run = run_on(device());
  TuningKey key = key_of_size(24);
  key.problem.problem += " nan=ignore";
  const MeasurementRecord measurement{.problem = key.problem,
                                      .template_fingerprint = key.template_fingerprint,
                                      .shape = "16777217",
                                      .bytes = 67'108'868,
                                      .params = R"({"block_size":256,"unroll":4})",
                                      .is_default = true,
                                      .round = 2,
                                      .outcome = Outcome::ok,
                                      .failure = "",
                                      .samples_us = {20.1, 1.0 / 3.0, 1e-9, 12345678.9},
                                      .median_us = 0.1 + 0.2,
                                      .mad_us = 1e-3,
                                      .discarded_samples = 2,
                                      .hot_us = 0.25,
                                      .stream_us = 3.75,
                                      .latency_us = 9.5,
                                      .registers = 32,
                                      .shared_bytes = 128,
                                      .local_bytes = 16,
                                      .occupancy = 0.75,
                                      .compile_ms = 41.5,
                                      .sm_clock_mhz = 1980,
                                      .memory_clock_mhz = 3201};
  store->put(store->begin_run(run), measurement);

  const auto match = find(*store, key);
  REQUIRE(match);
  CHECK(match->quality == MatchQuality::exact);
  CHECK(match->params == measurement.params);
  CHECK(match->shape == measurement.shape);
  CHECK(match->bytes == measurement.bytes);
  CHECK(match->bucket == measurement.problem.bucket);
  CHECK(match->median_us == measurement.median_us);
  CHECK(match->device == run.device.name);
  CHECK(match->driver == run.device.driver);
  CHECK(match->compiler == run.compiler);
  const StoredResult stored = store->measurements().front();
  CHECK(stored.run == run);
  CHECK(stored.measurement == measurement);
  CHECK(stored.measured_at == match->measured_at);
  CHECK(stored.measurement_id == match->measurement_id);
  CHECK(stored.measured_at.size() == std::string("2026-01-31T12:00:00Z").size());
  CHECK(stored.measured_at.back() == 'Z');
}

TEST_CASE("a failure is kept with its reason, whatever bytes it is of") {
  const auto store = open_memory_store();
  MeasurementRecord failed = failure(20, R"({"id":1})", Outcome::compile_error);
  failed.failure = "error: '\xff' \"quoted\"; -- \n" + std::string("\0after", 6);
  store->put(store->begin_run(run_on(device())), failed);
  REQUIRE(store->measurements().size() == 1);
  CHECK(store->measurements().front().measurement == failed);
}

TEST_CASE("every kind of failure is kept") {
  const auto store = open_memory_store();
  const auto run = store->begin_run(run_on(device()));
  const std::vector<Outcome> outcomes = {
      Outcome::compile_error, Outcome::load_error,    Outcome::launch_error, Outcome::wrong_result,
      Outcome::timing_error,  Outcome::out_of_memory, Outcome::crashed,      Outcome::timeout};
  for (const Outcome outcome : outcomes) store->put(run, failure(20, R"({"id":1})", outcome));
  std::vector<Outcome> stored;
  for (const StoredResult& result : store->measurements()) {
    stored.push_back(result.measurement.outcome);
  }
  CHECK(stored == outcomes);
}

TEST_CASE("params come back canonical, however they were written") {
  const auto store = open_memory_store();
  store->put(store->begin_run(run_on(device())),
             success(20, "{ \"unroll\": 4,\n \"block_size\": 256 }", 10));
  CHECK(found_params(*store, key_of_size(20)) == R"({"block_size":256,"unroll":4})");
}

TEST_CASE("a result of the same bucket is exact, even if a near one is faster") {
  const auto store = open_memory_store();
  const auto run = store->begin_run(run_on(device()));
  store->put(run, success(19, R"({"id":19})", 1));
  store->put(run, success(20, R"({"id":20})", 9));
  const auto match = find(*store, key_of_size(20));
  REQUIRE(match);
  CHECK(match->quality == MatchQuality::exact);
  CHECK(match->params == R"({"id":20})");
}

TEST_CASE("the nearest bucket stands in for a missing one, as far as there is a distance") {
  const auto store = open_memory_store();
  const auto run = store->begin_run(run_on(device()));
  store->put(run, success(20, R"({"id":20})", 5));
  store->put(run, success(23, R"({"id":23})", 5));
  CHECK(find(*store, key_of_size(21))->quality == MatchQuality::near_size);
  CHECK(found_params(*store, key_of_size(17)) == "nothing");
  CHECK(found_params(*store, key_of_size(18)) == R"({"id":20})");
  CHECK(found_params(*store, key_of_size(21)) == R"({"id":20})");
  CHECK(found_params(*store, key_of_size(22)) == R"({"id":23})");
  CHECK(found_params(*store, key_of_size(25)) == R"({"id":23})");
  CHECK(found_params(*store, key_of_size(26)) == "nothing");
}

TEST_CASE("of two buckets equally near, the one with the larger input is taken") {
  const auto store = open_memory_store();
  const auto run = store->begin_run(run_on(device()));
  store->put(run, success(22, R"({"id":22})", 9));
  store->put(run, success(20, R"({"id":20})", 1));
  CHECK(found_params(*store, key_of_size(21)) == R"({"id":22})");
}

/// A success of two extents.
MeasurementRecord of_two_extents(const std::string& bucket, std::uint64_t bytes,
                                 const std::string& params) {
  MeasurementRecord measurement = success(20, params, 5);
  measurement.problem.bucket = bucket;
  measurement.shape = "4096x100";
  measurement.bytes = bytes;
  return measurement;
}

/// 0, 1 and 2 for these, nothing for others.
std::optional<int> distance_from_12x7(std::string_view bucket) {
  if (bucket == "12x7") return 0;
  if (bucket == "12x8" || bucket == "13x7" || bucket == "11x6") return 1;
  return bucket == "14x7" ? std::optional<int>(2) : std::nullopt;
}

TEST_CASE("buckets of several extents are as near as their distance says, whatever their text") {
  const auto store = open_memory_store();
  const auto run = store->begin_run(run_on(device()));
  TuningKey key = key_of_size(20);
  key.problem.bucket = "12x7";
  const auto found = [&] {
    const auto match = store->find(key, distance_from_12x7);
    return match ? match->bucket : "nothing";
  };
  store->put(run, of_two_extents("12x64", 9, R"({"id":0})"));
  store->put(run, of_two_extents("7x12", 9, R"({"id":1})"));
  CHECK(found() == "nothing");
  store->put(run, of_two_extents("14x7", 9, R"({"id":2})"));
  CHECK(found() == "14x7");
  store->put(run, of_two_extents("13x7", 8, R"({"id":3})"));
  CHECK(found() == "13x7");
  store->put(run, of_two_extents("12x8", 9, R"({"id":4})"));
  store->put(run, of_two_extents("11x6", 2, R"({"id":5})"));
  CHECK(found() == "12x8");
  CHECK(store->find(key, distance_from_12x7)->quality == MatchQuality::near_size);
  CHECK(params_of(store->related(key, distance_from_12x7, 9)) ==
        R"({"id":5}{"id":3}{"id":4}{"id":2}{"id":1}{"id":0})");
  store->put(run, of_two_extents("12x7", 1, R"({"id":6})"));
  CHECK(found() == "12x7");
  CHECK(store->find(key, distance_from_12x7)->quality == MatchQuality::exact);
}

TEST_CASE("a bucket or a problem that someone wrote by hand hides no other") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  const auto store =
      open_sqlite_store(file, OpenMode::read_write, {.notify = [](const std::string&) {}});
  const auto run = store->begin_run(run_on(device()));
  store->put(run, success(10, R"({"id":1})", 5));
  store->put(run, success(21, R"({"id":2})", 5));
  store->put(run, other_success(20, R"({"id":3})", "op=min type=f32"));
  store->put(run, other_success(20, R"({"id":4})", "op=max type=f32"));
  const auto edit = [&](int problem, const std::string& assignment) {
    SQLite::Database(file, SQLite::OPEN_READWRITE)
        .exec("UPDATE problem SET " + assignment +
              " WHERE problem_id = " + std::to_string(problem));
  };
  for (const std::string bucket : {"", "x", "20x", "-20", "99999999999999999999", "\x1b[2J"}) {
    edit(1, "bucket = '" + bucket + "'");
    CAPTURE(bucket);
    CHECK(found_params(*store, key_of_size(20)) == R"({"id":2})");
    CHECK(params_of(store->related(key_of_size(20), distance_from(20), 9)) ==
          R"({"id":2}{"id":4}{"id":3})");
  }
  for (const std::string problem : {"op", "op=max  type=f32", " op=max", "op=a op=b", "\x1b=x"}) {
    edit(4, "problem = '" + problem + "'");
    CAPTURE(problem);
    CHECK(params_of(store->related(key_of_size(20), distance_from(20), 9)) ==
          R"({"id":2}{"id":3})");
    CHECK(store->measurements().size() == 2);
  }
}

TEST_CASE("a row that someone made impossible is left out, and hides no other") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  std::vector<std::string> notes;
  const auto store =
      open_sqlite_store(file, OpenMode::read_write,
                        {.notify = [&](const std::string& note) { notes.push_back(note); }});
  const auto run = store->begin_run(run_on(device()));
  store->put(run, success(20, R"({"id":1})", 5));
  store->put(run, success(20, R"({"id":2})", 4, /*round=*/3));
  CHECK(found_params(*store, key_of_size(20)) == R"({"id":2})");
  CHECK(notes.empty());
  const std::string edit =
      GENERATE("median_us = -5", "median_us = 9e999", "input_bytes = -1", "shape = 'x'",
               "shape = '0'", "measured_at = 'x' || char(27) || '[31m'");
  CAPTURE(edit);
  SQLite::Database(file, SQLite::OPEN_READWRITE)
      .exec("UPDATE measurement SET " + edit + " WHERE measurement_id = 2");
  CHECK(found_params(*store, key_of_size(20)) == R"({"id":1})");
  CHECK(store->measurements().size() == 1);
  REQUIRE(notes.size() == 2);
  CHECK(contains(notes[0], "1 of the rows"));
  CHECK(contains(notes[1], "measurement 2: its "));
}

/// Adds what an import would add.
void import_into(const std::string& file, const RunRecord& run, const MeasurementRecord& m) {
  StoredResult row{.measurement = m,
                   .run = run,
                   .measured_at = "2026-01-31T12:00:00Z",
                   .imported_from = "theirs.json",
                   .started_at = "2026-01-31T12:00:00Z",
                   .device_fingerprint = run.device.fingerprint()};
  Intake(file).add({{.result = row, .fault = ""}});
}

TEST_CASE("what was imported is stale, and loses to what was measured here") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  const RunRecord run = run_on(device());
  import_into(file, run, success(20, R"({"id":1})", 1, /*round=*/1'000'000));
  const auto store = open_sqlite_store(file, OpenMode::read_write);
  const auto imported = find(*store, key_of_size(20));
  REQUIRE(imported);
  CHECK(imported->is_stale);
  CHECK(imported->imported_from == "theirs.json");
  CHECK(store->best().front().imported_from == "theirs.json");

  const auto id = store->begin_run(run);
  store->put(id, success(20, R"({"id":2})", 9));
  CHECK(found_params(*store, key_of_size(20)) == R"({"id":2})");
  CHECK_FALSE(find(*store, key_of_size(20))->is_stale);
  REQUIRE(store->best().size() == 1);
  CHECK(store->best().front().imported_from.empty());
  const auto related = store->related(key_of_size(21), distance_from(21), 10);
  REQUIRE(related.size() == 1);
  CHECK(related.front().measurement.params == R"({"id":2})");

  // Both are stale for another driver.
  TuningKey other = key_of_size(20);
  other.driver = "1";
  CHECK(found_params(*store, other) == R"({"id":2})");
}

TEST_CASE("what is known is not added again, wherever it is imported from") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  const auto store = open_sqlite_store(file, OpenMode::read_write);
  store->put(store->begin_run(run_on(device())), success(20, R"({"id":1})", 5));
  StoredResult row = store->measurements().front();
  row.imported_from = "theirs.json";
  Intake intake(file);
  intake.add({{.result = row, .fault = ""}});
  CHECK(intake.report().known == 1);
  CHECK(store->measurements().size() == 1);
  CHECK(store->measurements().front().imported_from.empty());
}

TEST_CASE(
    "a result of another device, template or problem is never returned, unless any device is asked "
    "for") {
  const auto store = open_memory_store();
  store->put(store->begin_run(run_on(device())), success(20, R"({"id":1})", 5));
  const auto found_with = [&](auto change) {
    TuningKey key = key_of_size(20);
    change(key);
    return found_params(*store, key);
  };
  CHECK(found_with([](TuningKey&) {}) == R"({"id":1})");
  CHECK(found_with([](TuningKey& k) {
          k.device_fingerprint = device("NVIDIA H100").fingerprint();
        }) == "nothing");
  CHECK(found_with([](TuningKey& k) { k.device_fingerprint.clear(); }) == R"({"id":1})");
  CHECK(found_with([](TuningKey& k) { k.template_fingerprint = "templates-2"; }) == "nothing");
  CHECK(found_with([](TuningKey& k) { k.problem.family = "histogram"; }) == "nothing");
  CHECK(found_with([](TuningKey& k) { k.problem.problem = "op=min type=f32"; }) == "nothing");
  CHECK(found_with([](TuningKey& k) { k.problem.problem += " nan=ignore"; }) == "nothing");
  CHECK(found_with([](TuningKey& k) { k.problem.layout = "element"; }) == "nothing");
}

/// `device()` after an update of its driver.
DeviceRecord updated_device() {
  DeviceRecord updated = device();
  updated.driver = "590.10";
  return updated;
}

/// `key_of_size` there.
TuningKey updated_key(int size_class) {
  TuningKey key = key_of_size(size_class);
  key.driver = updated_device().driver;
  return key;
}

TEST_CASE("a result of another driver or compiler is found, and stale") {
  const auto store = open_memory_store();
  store->put(store->begin_run(run_on(device())), success(20, R"({"id":1})", 5));
  CHECK_FALSE(find(*store, key_of_size(20))->is_stale);

  TuningKey key = key_of_size(20);
  SECTION("another driver") { key = updated_key(20); }
  SECTION("another compiler") { key.compiler = "nvrtc 13.1"; }
  SECTION("both") {
    key = updated_key(20);
    key.compiler = "nvrtc 13.1";
  }
  const auto match = find(*store, key);
  REQUIRE(match);
  CHECK(match->is_stale);
  CHECK(match->quality == MatchQuality::exact);
  CHECK(match->driver == device().driver);

  key.template_fingerprint = "templates-2";
  CHECK(found_params(*store, key) == "nothing");
}

TEST_CASE("of equally near results one that is not stale is found, else the newest that was best") {
  const auto store = open_memory_store();
  RunRecord old = run_on(device());
  const auto run = store->begin_run(old);
  store->put(run, success(20, R"({"id":1})", 5));
  old.compiler = "nvrtc 12.9";
  const auto older = store->begin_run(old);
  store->put(older, success(20, R"({"id":2})", 4, /*round=*/3));
  store->put(older, success(20, R"({"id":3})", 3));
  // Of the last key, the best rather than the fastest.
  CHECK(found_params(*store, updated_key(20)) == R"({"id":2})");

  const auto present = store->begin_run(run_on(updated_device()));
  store->put(present, success(22, R"({"id":4})", 20));
  CHECK(found_params(*store, updated_key(20)) == R"({"id":2})");
  CHECK(found_params(*store, updated_key(21)) == R"({"id":4})");
  store->put(present, success(20, R"({"id":5})", 9));
  const auto match = find(*store, updated_key(20));
  REQUIRE(match);
  CHECK_FALSE(match->is_stale);
  CHECK(match->params == R"({"id":5})");
}

TEST_CASE(
    "a key without a compiler finds results of any, the newest, and none of them is stale for it") {
  const auto store = open_memory_store();
  RunRecord other = run_on(device());
  other.compiler = "nvrtc 12.9";
  store->put(store->begin_run(run_on(device())), success(20, R"({"id":1})", 5));
  store->put(store->begin_run(other), success(20, R"({"id":2})", 9));
  TuningKey key = key_of_size(20);
  CHECK(found_params(*store, key) == R"({"id":1})");
  key.compiler.clear();
  const auto match = find(*store, key);
  REQUIRE(match);
  CHECK(match->params == R"({"id":2})");
  CHECK_FALSE(match->is_stale);

  TuningKey updated = updated_key(20);
  updated.compiler.clear();
  CHECK(find(*store, updated)->is_stale);
  store->put(store->begin_run(run_on(updated_device())), success(20, R"({"id":3})", 9));
  other.device = device();
  store->put(store->begin_run(other), success(20, R"({"id":4})", 1));
  CHECK(found_params(*store, updated) == R"({"id":3})");
}

TEST_CASE("what was tried but never chosen is not found, and is no best result") {
  const auto store = open_memory_store();
  const auto run = store->begin_run(run_on(device()));
  store->put(run, success(20, R"({"id":1})", 1, /*round=*/0));
  store->put(run, success(20, R"({"id":2})", 1, /*round=*/1));
  CHECK(found_params(*store, key_of_size(20)) == "nothing");
  CHECK(store->best().empty());
  CHECK(store->choices_of(sum_of_size(20)).empty());
  CHECK(store->related(key_of_size(21), distance_from(21), 9).empty());
  store->put(run, success(20, R"({"id":3})", 2));
  CHECK(found_params(*store, key_of_size(20)) == R"({"id":3})");
  CHECK(store->choices_of(sum_of_size(20)).size() == 1);
  CHECK(store->related(key_of_size(21), distance_from(21), 9).size() == 1);
}

TEST_CASE("problems that differ in one field alone have nothing to do with each other") {
  const auto store = open_memory_store();
  const auto run = store->begin_run(run_on(device()));
  const std::string all_fields = "op=sum type=f32 nan=ignore";
  const auto with_field = [&](MeasurementRecord measurement) {
    measurement.problem.problem = all_fields;
    return measurement;
  };
  store->put(run, with_field(success(20, R"({"id":1})", 5)));
  TuningKey key = key_of_size(21);
  CHECK(found_params(*store, key) == "nothing");
  store->put(run, success(21, R"({"id":2})", 9));
  store->put(run, success(20, R"({"id":3})", 1));
  CHECK(found_params(*store, key) == R"({"id":2})");
  key.problem.problem = all_fields;
  CHECK(found_params(*store, key) == R"({"id":1})");
  key.problem.problem = "op=sum type=f32 nan=i";
  CHECK(found_params(*store, key) == "nothing");

  std::string order;
  for (const StoredResult& result : store->best()) order += result.measurement.params;
  CHECK(order == R"({"id":3}{"id":2}{"id":1})");
  REQUIRE(store->measurements().size() == 3);
  CHECK(store->measurements()[0].measurement == with_field(success(20, R"({"id":1})", 5)));
  CHECK(store->measurements()[1].measurement.problem == sum_of_size(21));
}

TEST_CASE("a failure is never found, and does not hide a slower success or a near one") {
  const auto store = open_memory_store();
  const auto run = store->begin_run(run_on(device()));
  store->put(run, failure(20, R"({"id":1})", Outcome::wrong_result));
  CHECK(found_params(*store, key_of_size(20)) == "nothing");
  CHECK(store->best().empty());
  store->put(run, success(21, R"({"id":2})", 7));
  CHECK(found_params(*store, key_of_size(20)) == R"({"id":2})");
  store->put(run, success(20, R"({"id":3})", 9));
  store->put(run, failure(20, R"({"id":4})", Outcome::launch_error));
  CHECK(found_params(*store, key_of_size(20)) == R"({"id":3})");
}

TEST_CASE("the lowest median of the highest round is best, and of equals the newest") {
  const auto store = open_memory_store();
  const auto run = store->begin_run(run_on(device()));
  store->put(run, success(20, R"({"id":1})", 8));
  CHECK(found_params(*store, key_of_size(20)) == R"({"id":1})");
  store->put(run, success(20, R"({"id":2})", 6));
  CHECK(found_params(*store, key_of_size(20)) == R"({"id":2})");
  store->put(run, success(20, R"({"id":3})", 7));
  CHECK(found_params(*store, key_of_size(20)) == R"({"id":2})");
  store->put(run, success(20, R"({"id":4})", 6));
  CHECK(found_params(*store, key_of_size(20)) == R"({"id":4})");
  store->put(run, success(20, R"({"id":5})", 20, /*round=*/3));
  CHECK(found_params(*store, key_of_size(20)) == R"({"id":5})");
  store->put(run, success(20, R"({"id":6})", 1));
  CHECK(found_params(*store, key_of_size(20)) == R"({"id":5})");
}

TEST_CASE("the best is chosen over all runs on equal devices") {
  const auto store = open_memory_store();
  const auto first = store->begin_run(run_on(device()));
  const auto second = store->begin_run(run_on(device()));
  store->put(second, success(20, R"({"id":2})", 5));
  store->put(first, success(20, R"({"id":1})", 4));
  CHECK(found_params(*store, key_of_size(20)) == R"({"id":1})");
  CHECK(store->best().size() == 1);
}

TEST_CASE("best() has one result for each key, ordered by device, problem and bytes") {
  const auto store = open_memory_store();
  const auto other = store->begin_run(run_on(device("Z")));
  const auto run = store->begin_run(run_on(device("A")));
  store->put(other, success(8, R"({"id":"Z8"})", 1));
  store->put(run, success(20, R"({"id":"A20"})", 1));
  store->put(run, success(9, R"({"id":"A9"})", 2));
  store->put(run, success(9, R"({"id":"slow"})", 3));
  MeasurementRecord minimum = success(30, R"({"id":"min"})", 1);
  minimum.problem.problem = "op=min type=f32";
  store->put(run, minimum);

  std::string order;
  for (const StoredResult& result : store->best()) order += result.measurement.params;
  CHECK(order == R"({"id":"min"}{"id":"A9"}{"id":"A20"}{"id":"Z8"})");
}

TEST_CASE("measurements() has everything, oldest first") {
  const auto store = open_memory_store();
  const auto first = store->begin_run(run_on(device("Z")));
  const auto second = store->begin_run(run_on(device("A")));
  store->put(second, success(20, R"({"id":1})", 5));
  store->put(first, failure(10, R"({"id":2})", Outcome::timing_error));
  store->put(second, success(20, R"({"id":1})", 4));

  const auto all = store->measurements();
  REQUIRE(all.size() == 3);
  CHECK(all[0].measurement.median_us == 5);
  CHECK(all[1].measurement.outcome == Outcome::timing_error);
  CHECK(all[1].run.device.name == "Z");
  CHECK(all[2].measurement.median_us == 4);
}

TEST_CASE("measurements_of() has all of one key in all of its runs, failures too, oldest first") {
  const auto store = open_memory_store();
  const auto first = store->begin_run(run_on(device()));
  const auto second = store->begin_run(run_on(device()));
  const auto elsewhere = store->begin_run(run_on(device("NVIDIA H100")));
  RunRecord recompiled = run_on(device());
  recompiled.compiler = "nvrtc 13.1";
  store->put(second, success(20, R"({"id":1})", 5));
  store->put(elsewhere, success(20, R"({"id":2})", 5));
  store->put(first, failure(20, R"({"id":3})", Outcome::crashed));
  store->put(second, success(21, R"({"id":4})", 5));
  store->put(first, other_success(20, R"({"id":5})", "op=min type=f32"));
  store->put(store->begin_run(recompiled), success(20, R"({"id":6})", 5));
  store->put(second, success(20, R"({"id":1})", 4, /*round=*/3));

  const auto found = store->measurements_of(key_of_size(20));
  CHECK(params_of(found) == R"({"id":1}{"id":3}{"id":1})");
  REQUIRE(found.size() == 3);
  CHECK(found[1].measurement.outcome == Outcome::crashed);
  CHECK(found[2].measurement.round == 3);
  CHECK(found[2].run == run_on(device()));
  CHECK(store->measurements_of(key_of_size(22)).empty());
}

TEST_CASE("related() begins with the other buckets of the problem, the nearest first") {
  const auto store = open_memory_store();
  const auto run = store->begin_run(run_on(device()));
  for (const int size_class : {10, 28, 23, 17, 21, 20}) {
    store->put(run, success(size_class, R"({"id":)" + std::to_string(size_class) + "}", 5));
  }
  store->put(run, success(21, R"({"id":"slower"})", 6));
  store->put(run, failure(19, R"({"id":"failed"})", Outcome::wrong_result));
  CHECK(params_of(store->related(key_of_size(20), distance_from(20), 9)) ==
        R"({"id":21}{"id":10}{"id":17}{"id":23}{"id":28})");
  CHECK(params_of(store->related(key_of_size(20), distance_from(20), 2)) ==
        R"({"id":21}{"id":10})");
  CHECK(store->related(key_of_size(20), distance_from(20), 0).empty());
}

TEST_CASE("related() goes on with other problems of the family, then with other origins") {
  const auto store = open_memory_store();
  const auto run = store->begin_run(run_on(device()));
  const auto elsewhere = store->begin_run(run_on(device("NVIDIA H100")));

  store->put(elsewhere, success(20, R"({"id":"elsewhere"})", 1));
  store->put(elsewhere, other_success(20, R"({"id":"unlike"})", "op=min type=f32"));
  store->put(elsewhere, success(23, R"({"id":"far"})", 1));
  store->put(elsewhere, success(19, R"({"id":"elsewhere, smaller"})", 1));
  store->put(run, with_templates("templates-0", success(20, R"({"id":"earlier"})", 9)));
  store->put(run, other_success(21, R"({"id":"larger f64"})", "op=sum type=f64"));
  store->put(run, other_success(23, R"({"id":"far f64"})", "op=sum type=f64"));
  store->put(run, other_success(20, R"({"id":"min f64"})", "op=min type=f64"));
  store->put(run, other_success(20, R"({"id":"min"})", "op=min type=f32"));
  store->put(run, other_success(20, R"({"id":"f64"})", "op=sum type=f64"));
  store->put(run, other_success(20, R"({"id":"nan"})", "op=sum type=f32 nan=ignore"));
  MeasurementRecord unaligned = success(20, R"({"id":"unaligned"})", 1);
  unaligned.problem.layout = "element";
  store->put(run, unaligned);
  store->put(run, success(26, R"({"id":"size"})", 1));
  MeasurementRecord other_family = success(20, R"({"id":"family"})", 1);
  other_family.problem.family = "histogram";
  store->put(run, other_family);

  CHECK(params_of(store->related(key_of_size(20), distance_from(20), 99)) ==
        R"({"id":"size"}{"id":"unaligned"}{"id":"nan"}{"id":"f64"}{"id":"min"}{"id":"min f64"})"
        R"({"id":"larger f64"})"
        R"({"id":"earlier"}{"id":"elsewhere"}{"id":"elsewhere, smaller"})");
}

TEST_CASE("related() has the best of each key over all of its runs") {
  const auto store = open_memory_store();
  const auto first = store->begin_run(run_on(device()));
  const auto second = store->begin_run(run_on(device()));
  store->put(first, success(21, R"({"id":1})", 5, /*round=*/3));
  store->put(second, success(21, R"({"id":2})", 4));
  store->put(second, success(21, R"({"id":3})", 6, /*round=*/3));
  CHECK(params_of(store->related(key_of_size(20), distance_from(20), 9)) == R"({"id":1})");
}

TEST_CASE("what no reader could use is refused, and nothing of it is kept") {
  const auto store = open_memory_store();
  const auto run = store->begin_run(run_on(device()));
  const auto refusal = [&](auto change) {
    MeasurementRecord bad = success(20, R"({"id":1})", 5);
    change(bad);
    return error_of([&] { store->put(run, bad); });
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  using M = MeasurementRecord;
  CHECK(contains(refusal([](M& m) { m.params = "[1]"; }), "not a JSON object"));
  CHECK(contains(refusal([](M& m) { m.params = "{\"a\":"; }), "not a JSON object"));
  CHECK(contains(refusal([](M& m) { m.params = "{\"\xff\":1}"; }), "not a JSON object"));
  CHECK(contains(refusal([](M& m) { m.median_us = 0; }), "median"));
  CHECK(contains(refusal([=](M& m) { m.median_us = kNan; }), "median"));
  CHECK(contains(refusal([=](M& m) { m.samples_us = {1, kInfinity}; }), "samples"));
  CHECK(contains(refusal([=](M& m) { m.mad_us = kNan; }), "mad_us"));
  CHECK(contains(refusal([](M& m) { m.hot_us = -1; }), "hot"));
  CHECK(contains(refusal([=](M& m) { m.stream_us = kInfinity; }), "stream"));
  CHECK(contains(refusal([](M& m) { m.latency_us = -1; }), "latency"));
  CHECK(contains(refusal([](M& m) { m.discarded_samples = -1; }), "discarded"));
  CHECK(contains(refusal([](M& m) { m.failure = "but"; }), "failure"));
  CHECK(contains(refusal([](M& m) { m.occupancy = 1.5; }), "occupancy"));
  CHECK(contains(refusal([](M& m) { m.registers = -1; }), "negative"));
  CHECK(contains(refusal([](M& m) { m.bytes = ~std::uint64_t{0}; }), "input_bytes"));
  CHECK(contains(refusal([](M& m) { m.shape = "18446744073709551615"; }), "above"));
  CHECK(contains(refusal([](M& m) { m.shape = "4096x100"; }), "number of extents"));
  CHECK(contains(refusal([](M& m) { m.problem.bucket = "20 OR 1"; }), "its bucket"));
  CHECK(contains(refusal([](M& m) { m.problem.problem = "sum f32"; }), "name=value"));
  CHECK(contains(error_of([&] { store->put(run + 1, success(20, "{}", 5)); }), "removed"));
  RunRecord unmeasured = run_on(device());
  unmeasured.read_bandwidth_gbps = -1;
  CHECK(contains(error_of([&] { store->begin_run(unmeasured); }), "bandwidth"));
  CHECK(store->measurements().empty());
}

TEST_CASE("threads share a store, and nothing that they put is lost") {
  constexpr int kThreads = 4;
  constexpr int kEach = 25;
  const auto store = open_memory_store();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&store, t] {
      const auto run = store->begin_run(run_on(device()));
      for (int i = 0; i < kEach; ++i) {
        store->put(run, success(20, R"({"id":1})", 1 + t * kEach + i));
        (void)find(*store, key_of_size(20));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(store->measurements().size() == kThreads * kEach);
  CHECK(find(*store, key_of_size(20))->median_us == 1);
}

}  // namespace
}  // namespace foldtune::test
