// Pinned results.
#include "cache/pin.h"

#include <SQLiteCpp/Database.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cache/check.h"
#include "cache/config_store.h"
#include "cache/prune.h"
#include "tests/cache/records.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

/// A database with a sum that was chosen at three sizes.
class PinnedTest {
 public:
  PinnedTest() {
    add(success(20, R"({"id":20})", 5));
    add(success(21, R"({"id":21})", 6));
    add(success(23, R"({"id":23})", 9));
  }

  void add(const MeasurementRecord& measurement, const DeviceRecord& on = device()) const {
    const auto store = open_sqlite_store(file(), OpenMode::read_write);
    store->put(store->begin_run(run_on(on)), measurement);
  }
  std::string file() const { return folder_.file("tuning.db"); }
  std::string found(int size_class, Pins pins = Pins::obeyed) const {
    return found_params(*open_sqlite_store(file(), OpenMode::read_only, {.pins = pins}),
                        key_of_size(size_class));
  }
  std::size_t pin(const std::vector<std::int64_t>& ids) const {
    return pin_measurements(file(), ids);
  }

 private:
  TemporaryFolder folder_;
};

TEST_CASE_METHOD(PinnedTest, "a pinned result stays the choice, whatever is measured later") {
  CHECK(pin({1, 99}) == 1);
  CHECK(pin({1}) == 0);
  add(success(20, R"({"id":"later"})", 1, kChosen + 5));
  CHECK(found(20) == R"({"id":20})");
  CHECK(found(20, Pins::ignored) == R"({"id":"later"})");
  DeviceRecord newer = device();
  newer.driver = "999.1";
  add(success(20, R"({"id":"newer"})", 1, kChosen + 6), newer);
  CHECK(found(20) == R"({"id":20})");
  CHECK(unpin_measurements(file(), {1, 2}) == 1);
  CHECK(found(20) == R"({"id":"later"})");
}

TEST_CASE_METHOD(PinnedTest,
                 "of a problem with pinned results nothing else is found, at any size") {
  pin({1});
  CHECK(found(21) == R"({"id":20})");
  CHECK(found(23) == "nothing");
  CHECK(found(23, Pins::ignored) == R"({"id":23})");
}

TEST_CASE_METHOD(PinnedTest, "a pin holds whatever the driver, at sizes between as well") {
  DeviceRecord older = device();
  older.driver = "100.1";
  add(success(22, R"({"id":22})", 7), older);
  pin({1, 4});
  // Of equally near ones the larger input, as before.
  CHECK(found(21) == R"({"id":22})");
}

TEST_CASE_METHOD(PinnedTest, "pins of what was not chosen are nothing, and go with all others") {
  add(failure(20, R"({"id":"failed"})", Outcome::crashed));
  add(success(20, R"({"id":"screened"})", 1, /*round=*/0));
  SQLite::Database(file(), SQLite::OPEN_READWRITE)
      .exec(
          "INSERT INTO pin SELECT measurement_id, family, problem, template_fingerprint, "
          "device_fingerprint, '2026-01-31T12:00:00Z' FROM result WHERE round < 2;"
          "PRAGMA foreign_keys = OFF;"
          "INSERT INTO pin SELECT 99, family, problem, template_fingerprint, "
          "device_fingerprint, '2026-01-31T12:00:00Z' FROM result WHERE measurement_id = 1");
  CHECK(found(20) == R"({"id":20})");
  CHECK_FALSE(open_sqlite_store(file(), OpenMode::read_only)->has_pins(key_of_size(20)));
  pin({1});
  CHECK(open_sqlite_store(file(), OpenMode::read_only)->has_pins(key_of_size(30)));
  CHECK(pinned_results(file()).size() == 3);
  CHECK(unpin_all(file()) == 4);
  CHECK(pinned_results(file()).empty());
}

TEST_CASE_METHOD(PinnedTest, "a pin is of one problem, one device and these kernels") {
  MeasurementRecord other = success(20, R"({"id":"max"})", 5);
  other.problem.problem = "op=max type=f32";
  add(other);
  add(success(20, R"({"id":"H100"})", 5), device("NVIDIA H100"));
  add(with_templates("templates-2", success(20, R"({"id":"new"})", 5)));
  pin({2});
  const auto store = open_sqlite_store(file(), OpenMode::read_only);
  TuningKey key = key_of_size(20);
  CHECK(found_params(*store, key) == R"({"id":21})");
  key.template_fingerprint = "templates-2";
  CHECK(found_params(*store, key) == R"({"id":"new"})");
  key = key_of_size(20);
  key.device_fingerprint = device("NVIDIA H100").fingerprint();
  CHECK(found_params(*store, key) == R"({"id":"H100"})");
  key = key_of_size(20);
  key.problem.problem = other.problem.problem;
  CHECK(found_params(*store, key) == R"({"id":"max"})");
  CHECK(found_params(*open_sqlite_store(file(), OpenMode::read_only, {.pins = Pins::only}), key) ==
        "nothing");
}

TEST_CASE_METHOD(PinnedTest, "a pinned result is the best of its problem, and marked") {
  pin({1});
  add(success(20, R"({"id":"later"})", 1, kChosen + 5));
  std::map<std::string, bool> pinned;
  for (const StoredResult& row : open_sqlite_store(file(), OpenMode::read_only)->best()) {
    pinned[row.measurement.params] = row.is_pinned;
  }
  CHECK(pinned == std::map<std::string, bool>{
                      {R"({"id":20})", true}, {R"({"id":21})", false}, {R"({"id":23})", false}});
}

TEST_CASE_METHOD(PinnedTest, "prune leaves pinned results alone, until they are unpinned") {
  pin({1});
  add(success(20, R"({"id":"later"})", 1, kChosen + 5));
  const PruneRules all{.device = {.name_part = "h200"}};
  const PruneReport report = prune_database(file(), all);
  CHECK(report.kept_best == 1);
  CHECK(found(20) == R"({"id":20})");
  unpin_measurements(file(), {1});
  prune_database(file(), all);
  CHECK(found(20) == "nothing");
}

TEST_CASE_METHOD(PinnedTest, "pins that somebody changed are found") {
  const auto finding_of = [&](const std::string& statement) {
    pin({1});
    SQLite::Database(file(), SQLite::OPEN_READWRITE).exec(statement);
    const CheckReport report = check_database(
        file(), {.fault_of_run = [](const StoredResult&) { return std::string(); },
                 .fault_of_measurement = [](const StoredResult&) { return std::string(); }});
    SQLite::Database(file(), SQLite::OPEN_READWRITE).exec("DELETE FROM pin");
    return report.findings.empty() ? "none" : report.findings.front().text;
  };
  CHECK(finding_of("SELECT 1") == "none");
  CHECK(contains(finding_of("UPDATE pin SET problem = 'op=max'"), "pin 1: its names"));
  CHECK(contains(finding_of("UPDATE pin SET pinned_at = 'today'"), "\"today\""));
  CHECK(contains(finding_of("UPDATE pin SET measurement_id = 77"), "pin 77: the measurement"));
}

TEST_CASE("pins need a database that is there") {
  const TemporaryFolder folder;
  CHECK(contains(error_of([&] { pin_measurements(folder.file("none.db"), {1}); }), "no such file"));
  CHECK_FALSE(std::filesystem::exists(folder.file("none.db")));
}

}  // namespace
}  // namespace foldtune::test
