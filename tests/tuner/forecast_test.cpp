// What a tuning will take and gain, told from what the store knows.
#include "tuner/session/forecast.h"

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>

#include "templates/reduce/space.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"
#include "tests/tuner/tuned_database.h"
#include "tuner/session/effort.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::WithinRel;

/// A comparison: what was chosen, and the default beside it.
std::vector<MeasurementRecord> comparison(const Workload& workload, double chosen_us,
                                          double default_us) {
  MeasurementRecord fallback = success(workload, with_block_size(64), {default_us}, kCompared);
  fallback.is_default = true;
  return {success(workload, with_block_size(512), {chosen_us}), fallback};
}

Workload maximum_of(std::uint64_t count) { return Reduction{.op = Operator::max, .count = count}; }

class ForecastTest {
 public:
  void add(const std::vector<MeasurementRecord>& measurements,
           const RunRecord& run = run_on()) const {
    store(file(), measurements, run);
  }
  void exec(const std::string& statement) const {
    SQLite::Database(file(), SQLite::OPEN_READWRITE).exec(statement);
  }
  Forecast of(const std::vector<Workload>& workloads,
              std::optional<int> max_evaluations = 4) const {
    return forecast(*open_sqlite_store(file(), OpenMode::read_write), run_on().device,
                    run_on().compiler,
                    {.workloads = workloads, .max_evaluations = max_evaluations});
  }
  std::string file() const { return folder_.file("tuning.db"); }

 private:
  TemporaryFolder folder_;
};

TEST_CASE_METHOD(ForecastTest, "a forecast of nothing known has a count of configurations alone") {
  const Forecast all = of({sum_of(1 << 20), sum_of(1 << 12)}, std::nullopt);
  CHECK(all.problems == 2);
  CHECK(all.done == 0);
  CHECK(all.configurations == 2U * static_cast<unsigned>(limits_of(Effort::normal).evaluations));
  CHECK_FALSE(all.seconds);
  CHECK_FALSE(all.of_these);
  CHECK_FALSE(all.of_their_families);
}

TEST_CASE_METHOD(ForecastTest, "what is known need not be tried, and what was tuned is done") {
  std::vector<MeasurementRecord> tried;
  for (const int block_size : {64, 128, 256}) {
    tried.push_back(success(sum_of(1 << 20), with_block_size(block_size), {5}, kScreened));
  }
  add(tried);
  CHECK(of({sum_of(1 << 20)}).configurations == 1);
  tried.push_back(success(sum_of(1 << 20), with_block_size(512), {5}, kScreened));
  tried.push_back(success(sum_of(1 << 20), with_block_size(512), {5}));
  add(tried);
  const Forecast done = of({sum_of(1 << 20), sum_of(1 << 12)});
  CHECK(done.done == 1);
  CHECK(done.configurations == 4);
}

TEST_CASE_METHOD(ForecastTest, "time is told from runs of the device that tried enough") {
  std::vector<MeasurementRecord> tried;
  for (int i = 0; i < 10; ++i) {
    tried.push_back(success(sum_of(1 << 20), with_block_size(64), {5. + i}, kScreened));
  }
  add(tried);
  add({tried.front()});
  add(tried, run_on("Another GPU"));
  exec("UPDATE run SET started_at = '2026-02-28T23:59:55Z'");
  exec("UPDATE measurement SET measured_at = '2026-03-01T00:00:00Z'");
  const Forecast told = of({sum_of(1 << 12), sum_of(1 << 13)});
  REQUIRE(told.seconds);
  CHECK_THAT(*told.seconds, WithinRel(8 * 0.5));
  CHECK(told.runs == 1);
}

TEST_CASE_METHOD(ForecastTest, "the gain is that of the same problems, else of their families") {
  add(comparison(sum_of(1 << 20), 4, 5));
  add(comparison(sum_of(1 << 22), 5, 5));
  add(comparison(maximum_of(1 << 20), 4, 8));
  add(comparison(sum_of(1 << 24), 1, 9), run_on("Another GPU"));
  const Forecast told = of({sum_of(1 << 12)});
  REQUIRE(told.of_these);
  CHECK(told.of_these->results == 2);
  CHECK_THAT(told.of_these->mean, WithinRel(std::sqrt(1.25)));
  CHECK(told.of_these->least == 1);
  CHECK(told.of_these->most == 1.25);
  const Workload minimum = Reduction{.op = Operator::min, .count = 1 << 20};
  const Forecast other = of({minimum});
  CHECK_FALSE(other.of_these);
  REQUIRE(other.of_their_families);
  CHECK(other.of_their_families->results == 3);
  CHECK(other.of_their_families->most == 2);
}

TEST_CASE_METHOD(ForecastTest, "what was measured under other conditions promises nothing") {
  Workload warm = sum_of(1 << 20);
  warm.conditions = Conditions::warm_graph;
  add(comparison(sum_of(1 << 20), 4, 6));
  CHECK(of({sum_of(1 << 20)}).of_these);
  CHECK_FALSE(of({warm}).of_these);
  CHECK_FALSE(of({warm}).of_their_families);
  add(comparison(warm, 4, 5));
  CHECK_THAT(of({warm}).of_these.value_or(KnownGain{}).mean, WithinRel(1.25, 1e-9));
}

TEST_CASE_METHOD(ForecastTest, "what was imported promises nothing") {
  add(comparison(sum_of(1 << 20), 4, 5));
  exec("UPDATE measurement SET imported_from = 'h200.json'");
  CHECK_FALSE(of({sum_of(1 << 20)}).of_these);
}

}  // namespace
}  // namespace foldtune::test
