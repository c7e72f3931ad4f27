#include "tuner/replay/landscape.h"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "foldtune/error.h"
#include "runtime/lookup.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"
#include "tuner/file_error.h"
#include "tuner/problem_json.h"

namespace foldtune {
namespace {

using Catch::Matchers::ContainsSubstring;

const DeviceRecord kDevice{.kind = "cuda",
                           .name = "NVIDIA \"Test\"",
                           .architecture = "sm_90",
                           .multiprocessor_count = 132,
                           .memory_clock_khz = 3201000,
                           .memory_bus_bits = 6016,
                           .l2_bytes = 62914560,
                           .driver = "580.1"};
const RunRecord kRun{.device = kDevice,
                     .template_fingerprint = "0123",
                     .compiler = "nvrtc 13.0",
                     .foldtune_version = "0",
                     .command = "",
                     .seed = 1,
                     .read_bandwidth_gbps = 4500};

MeasurementRecord record_of(const Problem& problem, const Params& params, double median_us,
                            int round = 0) {
  return {.problem = make_problem_key(problem),
          .count = problem.count,
          .bytes = problem.input_bytes(),
          .params = to_json(params),
          .round = round,
          .median_us = median_us,
          .mad_us = median_us / 100,
          .compile_ms = 70};
}

const Problem kSum{.count = 1 << 20};
const ReduceParams kFirst{.block_size = 32};
const ReduceParams kSecond{
    .block_size = 64, .block_stage = BlockStage::redux, .final_stage = FinalStage::polling};

std::string text_of(const std::string& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The landscape's text with `from` in the place of `to`.
std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  return text.replace(place, from.size(), to);
}

Landscape two_points() {
  MeasurementRecord failed = record_of(kSum, kSecond, 0);
  failed.outcome = Outcome::wrong_result;
  return make_landscape(kRun, kSum, {failed, record_of(kSum, kFirst, 12.3456789)});
}

TEST_CASE("a landscape is the same after it was written and read") {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("new/a.landscape");
  const Landscape written = two_points();
  write_landscape(path, written);
  const Landscape read = read_landscape(path);
  CHECK(to_text(read) == to_text(written));
  CHECK(read.device == kDevice);
  CHECK(read.compiler == "nvrtc 13.0");
  CHECK(read.template_fingerprint == "0123");
  CHECK(read.read_bandwidth_gbps == 4500);
  CHECK(read.compile_ms == 70);
  REQUIRE(read.points.size() == 2);
  CHECK(read.points[0].params == Params(kFirst));
  CHECK(read.points[0].median_us == Approx(12.346));
  CHECK(read.points[0].mad_us == Approx(0.12));
  CHECK(read.points[1].params == Params(kSecond));
  CHECK(read.points[1].outcome == Outcome::wrong_result);
  CHECK(find_optimum(read) == &read.points[0]);
  // Nothing else is left in the folder.
  const std::filesystem::directory_iterator files(folder.path() / "new");
  CHECK(std::distance(begin(files), end(files)) == 1);
}

TEST_CASE("a row of a landscape is the tunables' values and what came of them") {
  const std::string text = to_text(two_points());
  CHECK_THAT(text, ContainsSubstring("\n32 4 4 0 2 2 0 12.346 0.12\n"));
  CHECK_THAT(text, ContainsSubstring("\n64 4 4 0 3 3 0 wrong_result\n"));
}

TEST_CASE("labels of a landscape are read by their names") {
  const std::string text =
      replaced(to_text(two_points()), R"("last_block","polling")", R"("polling","last_block")");
  const Landscape landscape = parse_landscape(text, "test");
  CHECK(std::get<ReduceParams>(landscape.points[0].params).final_stage == FinalStage::polling);
}

TEST_CASE("every built-in problem is the same after it was written and read") {
  const Problem problem =
      GENERATE(Problem{.count = 1 << 20},
               Problem{.op = Operator::max,
                       .type = ElementType::bf16,
                       .count = 12345,
                       .alignment = Alignment::element,
                       .determinism = Determinism::any,
                       .nan_policy = NanPolicy::ignore},
               Problem{.op = Operator::variance, .type = ElementType::f64, .count = 7, .ddof = 1},
               Problem{.type = ElementType::i32,
                       .accumulator = ElementType::i32,
                       .result = ElementType::f64,
                       .count = std::uint64_t{1} << 33,
                       .determinism = Determinism::config_independent},
               Problem{.op = Operator::histogram,
                       .type = ElementType::u8,
                       .count = 1 << 24,
                       .histogram = {.binning = Binning::key, .distribution = Distribution::zipf}});
  const Problem read = problem_from_json(problem_to_json(problem));
  CHECK(problem_to_json(read) == problem_to_json(problem));
  CHECK(make_problem_key(read) == make_problem_key(problem));
  CHECK(read.count == problem.count);
  CHECK(read.result_type() == problem.result_type());
  CHECK(read.ddof == problem.ddof);
  CHECK(read.histogram.bins == problem.histogram.bins);
  CHECK(landscape_file_name(read) == landscape_file_name(problem));
}

TEST_CASE("landscapes of different problems have different names") {
  CHECK(landscape_file_name(kSum) == "sum_f32_1048576.landscape");
  Problem histogram{.op = Operator::histogram, .type = ElementType::u8, .count = 1 << 10};
  histogram.histogram = {.binning = Binning::key, .distribution = Distribution::zipf};
  CHECK(landscape_file_name(histogram) == "histogram_u8_256-key-zipf_1024.landscape");
}

TEST_CASE("a custom operator has no landscape") {
  Problem custom = make_problem(CustomOperator{.name = "mine"});
  custom.count = 100;
  CHECK_THROWS_AS(make_landscape(kRun, custom, {}), InvalidArgument);
}

TEST_CASE("a landscape is made of the last records of the lowest round of its own problem") {
  Problem other = kSum;
  other.count = 1 << 10;
  const Landscape landscape =
      make_landscape(kRun, kSum,
                     {record_of(kSum, kFirst, 1), record_of(kSum, kFirst, 2),
                      record_of(kSum, kFirst, 3, 1), record_of(other, kSecond, 4)});
  REQUIRE(landscape.points.size() == 1);
  CHECK(landscape.points[0].median_us == 2);
  CHECK_THROWS_AS(make_landscape(kRun, kSum, {record_of(other, kSecond, 4)}), InvalidArgument);
}

TEST_CASE("a damaged landscape is refused with its line") {
  const std::string good = to_text(two_points());
  const auto fails_with = [](const std::string& text, const std::string& what) {
    INFO(text);
    CHECK_THROWS_WITH(parse_landscape(text, "the/file"), ContainsSubstring("the/file") &&
                                                             ContainsSubstring("line") &&
                                                             ContainsSubstring(what));
  };
  fails_with("", "no landscape");
  fails_with("32 4 4\n", "no landscape");
  fails_with(replaced(good, "\"foldtune_landscape\": 1", "\"foldtune_landscape\": 2"), "version 2");
  fails_with(replaced(good, "\"sum\"", "\"sums\""), "there is no 'sums'");
  fails_with(replaced(good, "\"unroll\",", ""), "unroll is missing");
  fails_with(replaced(good, "\"unroll\"", "\"unrolls\""), "no tunable \"unrolls\"");
  fails_with(replaced(good, "\"unroll\"", "\"waves\""), "twice");
  fails_with(replaced(good, "\"multiprocessor_count\":132", "\"multiprocessor_count\":\"x\""), "");
  fails_with(replaced(good, "wrong_result", "ok"), "no failure");
  fails_with(replaced(good, "wrong_result", "wrong_results"), "no failure");
  fails_with(replaced(good, "12.346", "nan"), "no time");
  fails_with(replaced(good, "12.346", "-1"), "no time");
  fails_with(replaced(good, "12.346 0.12", "12.346 0.12 3"), "words");
  fails_with(replaced(good, "\n32 4 4", "\n33 4 4"), "33 is no value of block_size");
  fails_with(replaced(good, "\n32 4 4 0 2 2", "\n32 4 4 0 2 9"), "9 is no value of final_stage");
  fails_with(good + "32 4 4 0 2 2 0 13 0.1\n", "twice");
}

TEST_CASE("reading landscapes that are not there says which") {
  const test::TemporaryFolder folder;
  CHECK_THROWS_AS(read_landscape(folder.file("none.landscape")), FileError);
  CHECK_THROWS_WITH(read_landscapes(folder.path()), ContainsSubstring(folder.path().string()));
  write_landscape(folder.file("b.landscape"), two_points());
  write_landscape(folder.file("a.landscape"),
                  make_landscape(kRun, kSum, {record_of(kSum, kFirst, 1)}));
  const std::vector<Landscape> landscapes = read_landscapes(folder.path());
  REQUIRE(landscapes.size() == 2);
  CHECK(landscapes[0].points.size() == 1);
}

TEST_CASE("writing a landscape replaces the one before and says why it cannot") {
  const test::TemporaryFolder folder;
  write_landscape(folder.file("a.landscape"), two_points());
  const Landscape second = make_landscape(kRun, kSum, {record_of(kSum, kFirst, 1)});
  write_landscape(folder.file("a.landscape"), second);
  CHECK(text_of(folder.file("a.landscape")) == to_text(second));
  std::filesystem::create_directory(folder.file("b.landscape"));
  CHECK_THROWS_AS(write_landscape(folder.file("b.landscape"), second), FileError);
  CHECK_THROWS_AS(write_landscape(folder.file("a.landscape/c"), second), FileError);
}

}  // namespace
}  // namespace foldtune
