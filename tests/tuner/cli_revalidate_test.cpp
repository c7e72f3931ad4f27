// foldtune revalidate on the CPU device: rows whose provenance was changed are timed again, and no
// others.
#include <SQLiteCpp/Database.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "cache/config_store.h"
#include "tests/catch.h"
#include "tests/tuner/program.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

/// A database with two sums and a maximum, tuned a little on the CPU device.
class Tuned {
 public:
  Tuned() {
    tune({"--op", "sum,max", "--n", "1000"});
    tune({"--op", "sum", "--n", "5000"});
  }

  void exec(const std::string& statement) const {
    SQLite::Database(place.database(), SQLite::OPEN_READWRITE).exec(statement);
  }
  std::string text(const std::string& query) const {
    return SQLite::Database(place.database()).execAndGet(query).getString();
  }
  Outcome revalidate(std::vector<std::string> more = {}) const {
    std::vector<std::string> all{"revalidate", "--device", "cpu"};
    all.insert(all.end(), more.begin(), more.end());
    return place.run(all);
  }
  /// The results are those of another driver then, as a sound database has them.
  void change_driver() const { exec("UPDATE run SET device_driver = 'an older one'"); }

  Workplace place;

 private:
  void tune(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"tune", "--device", "cpu", "--max-evals", "3"});
    const Outcome outcome = place.run(arguments);
    CAPTURE(outcome.err);
    REQUIRE(outcome.exit_code == 0);
  }
};

TEST_CASE("revalidate: what is as it was measured is not timed again") {
  const Tuned tuned;
  const std::string before = tuned.text("SELECT count(*) FROM measurement");
  const Outcome outcome = tuned.revalidate();
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("0 problems of "));
  CHECK(tuned.text("SELECT count(*) FROM measurement") == before);
}

TEST_CASE("revalidate: what was measured with another driver or compiler is, and once only") {
  const Tuned tuned;
  SECTION("another driver") { tuned.change_driver(); }
  SECTION("another compiler") { tuned.exec("UPDATE run SET compiler = 'g++ 0.9'"); }
  const std::string marked = tuned.text("SELECT max(measurement_id) FROM measurement");

  const Outcome dry = tuned.revalidate({"--dry-run"});
  CAPTURE(dry.out, dry.err);
  CHECK(dry.exit_code == 0);
  CHECK_THAT(dry.out, ContainsSubstring("max f32 1000"));
  CHECK_THAT(dry.out, ContainsSubstring("3 problems of "));
  CHECK(tuned.text("SELECT max(measurement_id) FROM measurement") == marked);

  const Outcome outcome = tuned.revalidate();
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.err, ContainsSubstring("revalidating 3 problems on cpu"));
  CHECK_THAT(outcome.out, ContainsSubstring("was us"));
  // Of each problem something was chosen, and nothing tried but the default and what was marked.
  CHECK(tuned.text("SELECT count(DISTINCT problem_id) FROM measurement WHERE round >= 2 AND "
                   "measurement_id > " +
                   marked) == "3");
  CHECK(tuned.text("SELECT count(*) FROM result r WHERE measurement_id > " + marked +
                   " AND NOT is_default AND params NOT IN (SELECT params FROM best b"
                   " WHERE b.measurement_id <= " +
                   marked + " AND (b.op, b.size_class) = (r.op, r.size_class))") == "0");
  CHECK_THAT(tuned.place.run({"check"}).out, ContainsSubstring("is sound"));

  const std::string after = tuned.text("SELECT max(measurement_id) FROM measurement");
  const Outcome again = tuned.revalidate();
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.out, ContainsSubstring("0 problems of "));
  CHECK(tuned.text("SELECT max(measurement_id) FROM measurement") == after);
}

TEST_CASE("revalidate: the filters choose, and results of other kernels are left alone") {
  const Tuned tuned;
  tuned.exec("UPDATE run SET compiler = 'g++ 0.9'");
  CHECK_THAT(tuned.revalidate({"--op", "max", "--dry-run"}).out,
             ContainsSubstring("1 problem of "));
  CHECK_THAT(tuned.revalidate({"--type", "f64", "--dry-run"}).out,
             ContainsSubstring("0 problems of "));
  const Outcome one = tuned.revalidate({"--op", "max"});
  CHECK(one.exit_code == 0);
  CHECK_THAT(tuned.revalidate({"--dry-run"}).out, ContainsSubstring("2 problems of "));
  tuned.exec("UPDATE run SET template_fingerprint = 'others'");
  CHECK_THAT(tuned.revalidate({"--dry-run"}).out, ContainsSubstring("0 problems of "));
}

TEST_CASE("revalidate: stopped at once, it keeps what it has, and the same command ends it") {
  const Tuned tuned;
  tuned.exec("UPDATE run SET compiler = 'g++ 0.9'");
  RunningProgram running = tuned.place.start({"revalidate", "--device", "cpu"});
  while (running.err_so_far().find("revalidating") == std::string::npos) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  running.send_signal(SIGINT);
  const Outcome stopped = running.wait();
  CAPTURE(stopped.out, stopped.err);
  CHECK(stopped.exit_code == kInterrupted);
  CHECK_THAT(stopped.err, ContainsSubstring("the same command goes on"));
  const Outcome outcome = tuned.revalidate();
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(tuned.revalidate({"--dry-run"}).out, ContainsSubstring("0 problems of "));
}

TEST_CASE("revalidate: names that there are not, and a missing database, are errors") {
  const Workplace place;
  CHECK(place.run({"revalidate", "--op", "nonsense"}).exit_code == kUsage);
  CHECK(place.run({"revalidate", "--device", "cpu"}).exit_code == kDatabase);
  CHECK_FALSE(std::filesystem::exists(place.database()));
}

}  // namespace
}  // namespace foldtune::test
