// A threshold against figures.
#include "bench/check.h"

#include "tests/bench/invented_report.h"
#include "tests/catch.h"

namespace foldtune::bench::test {
namespace {

using Catch::Matchers::ContainsSubstring;

bool every(const Cell&) { return true; }
bool large(const Cell& cell) { return cell.count > 1 << 20; }

constexpr Threshold kEach{"each",          "graph",         every, Quantity::peer_over_tuned,
                          Over::each_cell, Bound::at_least, 0.98};
constexpr Threshold kMean{
    "mean", "graph", every, Quantity::peer_over_tuned, Over::geometric_mean, Bound::at_least, 1.25};
constexpr Threshold kLatency{"latency",       "latency",      every, Quantity::tuned_over_cub,
                             Over::each_cell, Bound::at_most, 0.75};
constexpr Threshold kLarge{"large",         "graph",         large, Quantity::tuned_gbps,
                           Over::each_cell, Bound::at_least, 4500};

Verdict verdict_of(const Report& report, const Threshold& threshold) {
  return check(report, {&threshold, 1}).front();
}

TEST_CASE("The fastest library counts, whichever it is") {
  const Report report =
      report_of(sum_cell(4096), {{kTuned, 2}, {kUntuned, 1}, {kCub, 3}, {kPyTorch, 2.2}});
  CHECK(verdict_of(report, kEach).value == Approx(1.1));
}

TEST_CASE("Each cell that misses is listed, the worst first") {
  Report report = report_of(sum_cell(1 << 10), {{kTuned, 2}, {kCub, 1.9}});
  add(report, sum_cell(1 << 12), {{kTuned, 2}, {kCub, 1.5}});
  add(report, sum_cell(1 << 14), {{kTuned, 2}, {kCub, 1.96}});
  const Verdict verdict = verdict_of(report, kEach);
  CHECK(verdict.outcome == Outcome::missed);
  CHECK(verdict.cells == 3);
  REQUIRE(verdict.misses.size() == 2);
  CHECK(verdict.misses[0].cell->count == 1 << 12);
  CHECK(verdict.misses[0].value == Approx(0.75));
  CHECK(verdict.misses[1].cell->count == 1 << 10);
  CHECK_THAT(format_verdicts(report, {&verdict, 1}), ContainsSubstring("MISSED") &&
                                                         ContainsSubstring("0.750 sum f32 2^12") &&
                                                         ContainsSubstring("check failed"));
}

TEST_CASE("A geometric mean is met by all cells together") {
  Report report = report_of(sum_cell(1 << 10), {{kTuned, 1}, {kCub, 1}});
  add(report, sum_cell(1 << 12), {{kTuned, 1}, {kCub, 1.5625}});
  CHECK(verdict_of(report, kMean).value == Approx(1.25));
  add(report, sum_cell(1 << 14), {{kTuned, 1}, {kCub, 1.2}});
  const Verdict verdict = verdict_of(report, kMean);
  CHECK(verdict.outcome == Outcome::missed);
  CHECK(verdict.misses.empty());
}

TEST_CASE("An upper bound is missed by what is above it") {
  const Cell cell = sum_cell(4096, "f32", "latency");
  CHECK(verdict_of(report_of(cell, {{kTuned, 7.5}, {kCub, 10}}), kLatency).outcome == Outcome::met);
  CHECK(verdict_of(report_of(cell, {{kTuned, 7.6}, {kCub, 10}}), kLatency).outcome ==
        Outcome::missed);
}

TEST_CASE("A threshold without figures is not measured, and the check fails") {
  Report report = report_of(sum_cell(4096), {{kTuned, 2}, {kCub, 3}});
  SECTION("of its manner") { CHECK(verdict_of(report, kLatency).outcome == Outcome::not_measured); }
  SECTION("of its cells") { CHECK(verdict_of(report, kLarge).outcome == Outcome::not_measured); }
  SECTION("of whom it compares") {
    report = report_of(sum_cell(4096), {{kTuned, 2}, {kUntuned, 3}});
    CHECK(verdict_of(report, kEach).outcome == Outcome::not_measured);
  }
  const Threshold both[] = {kEach, kLatency};
  const std::vector<Verdict> verdicts = check(report, both);
  CHECK(!is_passed(report, verdicts));
  CHECK_THAT(format_verdicts(report, verdicts), ContainsSubstring("NOT MEASURED"));
}

TEST_CASE("Of reductions along axes and of segments nothing is claimed") {
  Report report = report_of(rows_cell(64, 1000), {{kTuned, 2}, {kCub, 1}});
  add(report, segments_cell(64, 64000), {{kTuned, 2}, {kCub, 1}});
  CHECK(verdict_of(report, kEach).outcome == Outcome::not_measured);
}

TEST_CASE("A check passes where all is measured, met, right and run") {
  Report report = report_of(sum_cell(4096), {{kTuned, 2}, {kCub, 3}});
  const std::vector<Verdict> verdicts = check(report, {&kEach, 1});
  CHECK(is_passed(report, verdicts));
  CHECK_THAT(format_verdicts(report, verdicts), ContainsSubstring("check passed"));
  SECTION("not with a wrong result") {
    report.faults.push_back(
        {.cell = sum_cell(8192), .contender = "tuned", .is_wrong = true, .reason = "3, not 4"});
    CHECK(!is_passed(report, verdicts));
    CHECK_THAT(format_verdicts(report, verdicts), ContainsSubstring("3, not 4"));
  }
  SECTION("with a library that is not there") {
    report.faults.push_back({.cell = sum_cell(8192), .contender = "cuBLAS", .reason = "no file"});
    CHECK(is_passed(report, verdicts));
  }
  SECTION("not with cells left out") {
    report.not_run.push_back(sum_cell(8192));
    CHECK(!is_passed(report, verdicts));
  }
}

}  // namespace
}  // namespace foldtune::bench::test
