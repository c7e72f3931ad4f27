#include "tuner/exchange/landscape.h"

#include "foldtune/reduction.h"
#include "runtime/lookup/lookup.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"

namespace foldtune {
namespace {

const DeviceRecord kDevice{.kind = "cuda",
                           .name = "NVIDIA \"Test\"",
                           .architecture = "sm_90",
                           .multiprocessor_count = 132,
                           .memory_clock_khz = 3201000,
                           .memory_bus_bits = 6016,
                           .l2_bytes = 62914560,
                           .driver = "580.1"};
const RunRecord kRun{.device = kDevice,
                     .compiler = "nvrtc 13.0",
                     .foldtune_version = "0",
                     .command = "",
                     .seed = 1,
                     .read_bandwidth_gbps = 4500};

MeasurementRecord record_of(const Workload& workload, const Config& params, double median_us,
                            int round = 0) {
  return {.problem = make_problem_key(workload),
          .template_fingerprint = "0123",
          .shape = to_text(workload.problem.family(), workload.shape),
          .bytes = input_bytes(workload),
          .params = to_json(params),
          .round = round,
          .median_us = median_us,
          .mad_us = median_us / 100,
          .compile_ms = 70};
}

const Reduction kSum{.count = 1 << 20};
const ReduceParams kFirst{.block_size = 32};
const ReduceParams kSecond{
    .block_size = 64, .block_stage = BlockStage::tree, .final_stage = FinalStage::polling};

TEST_CASE("a custom operator has a landscape, of its own expressions alone") {
  Reduction custom = make_reduction(CustomOperator{.name = "mine"});
  custom.count = 1 << 20;
  Reduction other = make_reduction(CustomOperator{.name = "mine", .map = "x + 1"});
  other.count = 1 << 20;
  const std::vector<MeasurementRecord> records{record_of(custom, kFirst, 3)};
  CHECK(make_landscape(kRun, custom, records).points.size() == 1);
  CHECK(make_landscape(kRun, other, records).points.empty());
}

TEST_CASE("a landscape is made of the last records of the lowest round of its own problem") {
  Reduction other = kSum;
  other.count = 1 << 10;
  const Landscape landscape =
      make_landscape(kRun, kSum,
                     {record_of(kSum, kFirst, 1), record_of(kSum, kFirst, 2),
                      record_of(kSum, kFirst, 3, 1), record_of(other, kSecond, 4)});
  REQUIRE(landscape.points.size() == 1);
  CHECK(landscape.points[0].median_us == 2);
  CHECK(make_landscape(kRun, kSum, {record_of(other, kSecond, 4)}).points.empty());
}

TEST_CASE("a landscape has what failed, too, and the cheapest of the rest is its optimum") {
  MeasurementRecord failed = record_of(kSum, kSecond, 0);
  failed.outcome = Outcome::wrong_result;
  const Landscape landscape = make_landscape(kRun, kSum, {failed, record_of(kSum, kFirst, 12)});
  CHECK(landscape.device == kDevice);
  CHECK(landscape.compiler == "nvrtc 13.0");
  CHECK(landscape.template_fingerprint == "0123");
  CHECK(landscape.read_bandwidth_gbps == 4500);
  CHECK(landscape.compile_ms == 70);
  REQUIRE(landscape.points.size() == 2);
  CHECK(landscape.points[0].params == Config(kFirst));
  CHECK(landscape.points[0].median_us == 12);
  CHECK(landscape.points[1].params == Config(kSecond));
  CHECK(landscape.points[1].outcome == Outcome::wrong_result);
  CHECK(find_optimum(landscape) == &landscape.points[0]);
}

}  // namespace
}  // namespace foldtune
