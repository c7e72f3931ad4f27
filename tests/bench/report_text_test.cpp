// The bench's reports as text.
#include "bench/report_text.h"

#include "tests/bench/invented_report.h"
#include "tests/catch.h"

namespace foldtune::bench::test {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("A table has a column for each contender that took part, and a row for each n") {
  Report report = report_of(sum_cell(4096), {{kTuned, 2}, {kUntuned, 2.5}, {kCub, 3}});
  add(report, sum_cell(1000003), {{kTuned, 4}, {kCuPy, 5}});
  const std::string text = format_tables(report);
  CHECK_THAT(text, ContainsSubstring("sum f32 (graph)"));
  CHECK_THAT(text, ContainsSubstring("2^12") && ContainsSubstring("1000003"));
  CHECK_THAT(text, ContainsSubstring("1.500") && ContainsSubstring("1.250"));
  CHECK_THAT(text, ContainsSubstring("CuPy") && !ContainsSubstring("PyTorch"));
}

TEST_CASE("Each manner and layout has a table of its own") {
  Report report = report_of(sum_cell(4096), {{kTuned, 2}});
  add(report, sum_cell(4096, "f32", "stream"), {{kTuned, 3}});
  Cell misaligned = sum_cell(4096);
  misaligned.layout = "element";
  add(report, misaligned, {{kTuned, 4}});
  const std::string text = format_tables(report);
  CHECK_THAT(text, ContainsSubstring("(graph)") && ContainsSubstring("(stream)") &&
                       ContainsSubstring("(graph, misaligned)"));
}

TEST_CASE("Cells along axes are told apart by their shapes") {
  Report report = report_of(rows_cell(64, 1000), {{kTuned, 2}, {kTorchCompile, 3}});
  report.figures.back().compile_s = 4.5;
  add(report, rows_cell(1000, 64), {{kTuned, 2.5}});
  CHECK(rows_of(report).size() == 2);
  const std::string text = format_tables(report);
  CHECK_THAT(text, ContainsSubstring("1x1x64x1000") && ContainsSubstring("1x1x1000x64"));
  CHECK_THAT(text, ContainsSubstring("torch.compile") && ContainsSubstring("4.5"));
}

TEST_CASE("Cells of segments are told apart by how many there are, and all bytes count") {
  Report report = report_of(segments_cell(1000, 64000), {{kTuned, 2}, {kCub, 3}});
  add(report, segments_cell(64000, 64000), {{kTuned, 4}, {kCub, 3}});
  CHECK(rows_of(report).size() == 2);
  const std::string text = format_tables(report);
  CHECK_THAT(text, ContainsSubstring("sum f32 uniform (graph)") && ContainsSubstring("shape"));
  CHECK_THAT(text, ContainsSubstring("1000x64000") && ContainsSubstring("64000x64000"));
  CHECK_THAT(text, ContainsSubstring(" 132 ") && ContainsSubstring(" 192 "));
}

TEST_CASE("The summary has the mean and the worst of each manner") {
  Report report = report_of(sum_cell(4096), {{kTuned, 2}, {kCub, 4}, {kPyTorch, 9}});
  add(report, sum_cell(8192), {{kTuned, 2}, {kCub, 1}});
  add(report, sum_cell(16384), {{kTuned, 2}});  // nobody to compare with
  const std::string text = format_summary(report);
  CHECK_THAT(text, ContainsSubstring("1.000 of tuned") && ContainsSubstring("0.500 at least") &&
                       ContainsSubstring("sum f32 2^13") && ContainsSubstring("1 of 2 cells"));
  CHECK(format_summary({}).empty());
}

}  // namespace
}  // namespace foldtune::bench::test
