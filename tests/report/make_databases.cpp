// Databases for the test of the page, in the folder that is named: `tuned.db`, of 15 problems with
// invented times; `cpu.db`, of the CPU device; `failures.db`, of two devices, with failures, and
// with texts that mean something in HTML; `empty.db`.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "templates/reduce/space.h"
#include "tests/tuner/tuned_database.h"

namespace foldtune::test {
namespace {

constexpr const char* kHostile =
    "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 2'>";

constexpr double kBandwidthGbps = 4500;
constexpr int kMultiprocessors = 132;

/// A part of the problem's space and the untuned default, each with a time of its own: screened,
/// and then the fastest and the default compared.
std::vector<MeasurementRecord> tuned(Operator op, std::uint64_t count) {
  const Workload problem = Reduction{.op = op, .count = count};
  const Space space(problem);
  const Config untuned = space.canonical(space.default_params(kMultiprocessors), kMultiprocessors);
  const double floor_us = 1.5 + static_cast<double>(input_bytes(problem)) / kBandwidthGbps * 1e-3;
  std::vector<MeasurementRecord> records;
  const auto add = [&](const Config& params, double us, int round) {
    records.push_back(success(problem, params, {us}, round));
    records.back().is_default = params == untuned;
  };
  const std::vector<Config> all = space.enumerate();
  constexpr std::size_t kStep = 11;  // no divisor of any tunable's number of values
  for (std::size_t i = 0; i < all.size(); i += kStep) {
    if (all[i] != untuned) add(all[i], floor_us * (1.1 + 0.003 * static_cast<double>(i % 1009)), 0);
  }
  add(untuned, floor_us * 1.05, 0);
  add(all[kStep], floor_us, 2);  // chosen
  add(untuned, floor_us * 1.04, 1);
  return records;
}

void make_tuned(const std::string& path) {
  TunedDatabase database(path);
  RunRecord run = run_on("NVIDIA H200");
  run.read_bandwidth_gbps = kBandwidthGbps;
  for (int exponent = 12; exponent <= 28; exponent += 2) {
    database.add(run, tuned(Operator::sum, std::uint64_t{1} << exponent));
  }
  for (const Operator op : {Operator::dot, Operator::argmax}) {
    for (const int exponent : {14, 20, 26}) {
      database.add(run, tuned(op, std::uint64_t{1} << exponent));
    }
  }
}

/// Times of the CPU device, which has no read bandwidth: from 5 us to a minute.
void make_cpu(const std::string& path) {
  RunRecord run = run_on("AMD EPYC");
  run.device.kind = "cpu";
  run.read_bandwidth_gbps = 0;
  TunedDatabase database(path);
  double us = 5;
  for (int exponent = 10; exponent <= 24; exponent += 2, us *= 10) {
    const Workload problem = sum_of(std::uint64_t{1} << exponent);
    database.add(run, {success(problem, with_block_size(32), {us}),
                       success(problem, with_block_size(64), {us * 1.5}),
                       success(problem, ReduceParams{.block_size = 128, .unroll = 8}, {us * 40})});
  }
}

void make_failures(const std::string& path) {
  const Workload problem = sum_of(1 << 20);
  MeasurementRecord untuned = success(problem, with_block_size(512), {6}, 1);
  untuned.is_default = true;
  TunedDatabase database(path);
  database.add(run_on("NVIDIA Older"), {stored_sum(24, 20)});
  RunRecord run = run_on("NVIDIA <b>Newer</b>");
  run.command = kHostile;
  MeasurementRecord hostile = success(problem, with_block_size(64), {3});
  hostile.problem.layout = kHostile;
  database.add(run,
               {success(problem, with_block_size(64), {5}), untuned,
                success(problem, ReduceParams{.block_size = 128, .unroll = 8}, {4.5}),
                success(problem, with_block_size(128), {4}),
                failure(problem, with_block_size(1024), foldtune::Outcome::crashed, kHostile),
                failure(problem, with_block_size(256), foldtune::Outcome::wrong_result, "off by 3"),
                failure(problem, with_block_size(32), foldtune::Outcome::wrong_result, "off by 3"),
                hostile});
}

}  // namespace
}  // namespace foldtune::test

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  foldtune::test::make_tuned(folder + "/tuned.db");
  foldtune::test::make_cpu(folder + "/cpu.db");
  foldtune::test::make_failures(folder + "/failures.db");
  foldtune::test::TunedDatabase(folder + "/empty.db");
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
