// foldtune revalidate on the CPU device: rows whose provenance was changed are timed again, and no
// others.
#include <SQLiteCpp/Database.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "cache/config_store.h"
#include "tests/catch.h"
#include "tests/tuner/tuned_on_cpu.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

/// With a database of the CPU device.
class Tuned {
 public:
  Tuned() { copy_tuned(place); }

  void exec(const std::string& statement) const {
    SQLite::Database(place.database(), SQLite::OPEN_READWRITE).exec(statement);
  }
  std::string text(const std::string& query) const {
    return SQLite::Database(place.database()).execAndGet(query).getString();
  }
  Outcome revalidate(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"revalidate", "--device", "cpu"});
    return place.run(more);
  }
  /// How many problems a dry run lists: "2 problems of "
  std::string stale(std::vector<std::string> more = {}) const {
    more.emplace_back("--dry-run");
    const Outcome dry = revalidate(more);
    CAPTURE(dry.out, dry.err);
    CHECK(dry.exit_code == 0);
    const std::size_t end = dry.out.find(" problem");
    return dry.out.substr(0, end).substr(dry.out.rfind('\n', end) + 1);
  }

  Workplace place;
};

TEST_CASE("revalidate: stale is what was measured with another driver or compiler") {
  const Tuned tuned;
  const std::string before = tuned.text("SELECT count(*) FROM measurement");
  const Outcome none = tuned.revalidate();
  CHECK(none.exit_code == 0);
  CHECK_THAT(none.out, ContainsSubstring("0 problems of "));
  CHECK(tuned.text("SELECT count(*) FROM measurement") == before);
  tuned.exec("UPDATE run SET device_driver = 'an older one'");
  CHECK(tuned.stale() == "2");
  const Tuned other;
  other.exec("UPDATE run SET compiler = 'g++ 0.9'");
  CHECK(other.stale() == "2");
  CHECK(other.stale({"--op", "max"}) == "1");
  CHECK(other.stale({"--type", "f64"}) == "0");
  CHECK_THAT(other.revalidate({"--dry-run"}).out, ContainsSubstring("max f32 1000"));
  CHECK(other.text("SELECT count(*) FROM measurement") == before);
  other.exec("UPDATE problem SET template_fingerprint = 'others'");
  CHECK(other.stale() == "0");
}

TEST_CASE("revalidate: what is stale is timed again, nothing else, and once only") {
  const Tuned tuned;
  tuned.exec("UPDATE run SET compiler = 'g++ 0.9'");
  const std::string old = tuned.text("SELECT max(measurement_id) FROM measurement");
  // Stopped at once, it keeps what it has, and the same command goes on.
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
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.err, ContainsSubstring("revalidating "));
  CHECK_THAT(outcome.out, ContainsSubstring("was us"));
  // Of each problem something was chosen, and nothing tried but the default and what was stale.
  CHECK(tuned.text("SELECT count(DISTINCT problem_id) FROM measurement WHERE round >= 2 AND "
                   "measurement_id > " +
                   old) == "2");
  CHECK(tuned.text("SELECT count(*) FROM result r WHERE measurement_id > " + old +
                   " AND NOT is_default AND params NOT IN (SELECT params FROM best b"
                   " WHERE b.measurement_id <= " +
                   old + " AND (b.problem, b.bucket) = (r.problem, r.bucket))") == "0");
  CHECK_THAT(tuned.place.run({"doctor", "--db", tuned.place.database()}).out,
             ContainsSubstring("is sound"));
  const std::string after = tuned.text("SELECT max(measurement_id) FROM measurement");
  CHECK_THAT(tuned.revalidate().out, ContainsSubstring("0 problems of "));
  CHECK(tuned.text("SELECT max(measurement_id) FROM measurement") == after);
}

TEST_CASE("revalidate: what is pinned is not stale, since another time would change nothing") {
  const Tuned tuned;
  CHECK(tuned.place.run({"pin", "--op", "max"}).exit_code == 0);
  tuned.exec("UPDATE run SET device_driver = 'an older one'");
  CHECK(tuned.stale() == "1");
  // Other results of the problem are as little used.
  CHECK(tuned.place.run({"unpin"}).exit_code == 0);
  tuned.exec("UPDATE run SET compiler = 'g++ 0.9'");
  CHECK(tuned.place
            .run({"tune", "--device", "cpu", "--op", "max", "--n", "1000", "--max-evals", "1",
                  "--no-resume"})
            .exit_code == 0);
  CHECK(tuned.place.run({"pin", "--op", "max"}).exit_code == 0);
  CHECK(tuned.stale() == "1");
}

TEST_CASE("revalidate: names that there are not, and a missing database, are errors") {
  const Workplace place;
  CHECK(place.run({"revalidate", "--op", "nonsense"}).exit_code == kUsage);
  CHECK(place.run({"revalidate", "--device", "cpu"}).exit_code == kDatabase);
  CHECK_FALSE(std::filesystem::exists(place.database()));
}

}  // namespace
}  // namespace foldtune::test
