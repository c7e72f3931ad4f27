// The bench's reports as JSON.
#include "bench/report_json.h"

#include <nlohmann/json.hpp>

#include "foldtune/error.h"
#include "tests/bench/invented_report.h"
#include "tests/catch.h"
#include "tuner/files/file_error.h"

namespace foldtune::bench::test {
namespace {

using Catch::Matchers::ContainsSubstring;

Report example() {
  Report report = report_of(sum_cell(4096), {{kTuned, 1.5}, {kCub, 2.5}});
  report.faults.push_back({.cell = sum_cell(8192),
                           .contender = "CUB",
                           .is_wrong = true,
                           .reason = "it gives 3, not 4"});
  report.not_run.push_back(sum_cell(1 << 20));
  return report;
}

TEST_CASE("A report comes back as it was written") {
  const std::string text = to_json(example());
  const Report report = parse_report(text, "a.json");
  CHECK(to_json(report) == text);
  REQUIRE(report.figures.size() == 2);
  CHECK(report.figures[0].cell == sum_cell(4096));
  CHECK(report.figures[0].source == "exact");
  CHECK(report.figures[1].median_us == 2.5);
  CHECK(report.figures[1].config.empty());
  CHECK(report.faults.at(0).is_wrong);
  CHECK(report.not_run.at(0).count == 1 << 20);
}

TEST_CASE("Every figure says what it is of, without a look at the rest of the file") {
  const auto figure = nlohmann::json::parse(to_json(example())).at("figures").at(0);
  CHECK(figure.at("case") == "sum f32");
  CHECK(figure.at("family") == "reduce");
  CHECK(figure.at("problem").at("op") == "sum");
  CHECK(figure.at("inputs") == nlohmann::json{"f32"});
  CHECK(figure.at("shape") == "4096");
  CHECK(figure.at("n") == 4096);
  CHECK(figure.at("manner") == "graph");
  CHECK(figure.at("contender") == "tuned");
  CHECK(figure.at("gbps").get<double>() == Approx(4096 * 4 / 1.5 / 1e3).epsilon(1e-5));
  CHECK(figure.at("config") == nlohmann::json{{"block_size", 256}});
}

TEST_CASE("How long a contender compiled is kept, where it did") {
  Report report = report_of(rows_cell(64, 1000), {{kPyTorch, 3}, {kTorchCompile, 2}});
  report.figures[1].compile_s = 4.5;
  const Report again = parse_report(to_json(report), "a.json");
  CHECK(again.figures[0].compile_s == 0);
  CHECK(again.figures[1].compile_s == 4.5);
}

TEST_CASE("What is no report of this version is refused by name") {
  CHECK_THROWS_WITH(parse_report("{", "a.json"), ContainsSubstring("a.json"));
  CHECK_THROWS_AS(parse_report("{}", "a.json"), FileError);
  CHECK_THROWS_WITH(parse_report(R"({"schema_version": 2})", "a.json"),
                    ContainsSubstring("of version 2"));
  CHECK_THROWS_WITH(read_report("no/such/file.json"), ContainsSubstring("no/such/file.json"));
  Report report = example();
  report.figures[1].median_us = 0;
  CHECK_THROWS_WITH(parse_report(to_json(report), "a.json"), ContainsSubstring("not positive"));
  report = example();
  report.figures[1].run = 1;
  CHECK_THROWS_WITH(parse_report(to_json(report), "a.json"), ContainsSubstring("not there"));
}

TEST_CASE("Joined reports have the figures of all, each of its run") {
  const Report peers = report_of(sum_cell(4096), {{kPyTorch, 3.5}});
  const Report all = join({example(), peers});
  CHECK(all.runs.size() == 2);
  REQUIRE(all.figures.size() == 3);
  CHECK(all.figures[1].run == 0);
  CHECK(all.figures[2].run == 1);
  CHECK(all.faults.size() == 1);
  const std::vector<Row> rows = rows_of(all);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].best_peer()->contender == "CUB");
  CHECK(rows[0].find(kPyTorch)->median_us == 3.5);
  CHECK(rows[0].find(kCublas) == nullptr);
}

TEST_CASE("Reports that contradict each other are not joined") {
  CHECK_THROWS_WITH(join({example(), example()}),
                    ContainsSubstring("two have tuned for sum f32 2^12 (graph)"));
  Report other = report_of(sum_cell(8192), {{kTuned, 1}});
  other.runs[0].device = "NVIDIA Other";
  CHECK_THROWS_WITH(join({example(), other}), ContainsSubstring("NVIDIA Other"));
}

}  // namespace
}  // namespace foldtune::bench::test
