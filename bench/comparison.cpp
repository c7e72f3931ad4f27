#include "bench/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/competitors.h"
#include "bench/cuda.h"
#include "bench/input.h"
#include "bench/slice_plan.h"
#include "bench/statistics.h"

namespace foldtune::bench {
namespace {

/// Every byte of a result before it is written. As i32, f32 or f64 that is 2e9, 3e38 or 1e306: far
/// from every result here, so that a call that writes nothing is found.
constexpr int kUnwritten = 0x7f;

constexpr double kBytesPerMicrosecondToGbps = 1e-3;

/// A latency is the host's and the GPU's together; more calls than this would only take time.
constexpr std::uint64_t kMostLatencyCalls = 256;

SlicePlan plan_calls(const Problem& problem, Method method) {
  SlicePlan plan = plan_slices(problem.input_bytes());
  if (method == Method::latency) plan.calls = std::min(plan.calls, kMostLatencyCalls);
  return plan;
}

/// The elements of all sizes: a size uses the beginning.
struct Pool {
  HostPool host;
  DeviceBuffer device;
};

Pool make_pool(Device& device, const Problem& problem, const std::vector<std::uint32_t>& counts) {
  std::uint64_t bytes = 0;
  for (const std::uint32_t count : counts) {
    bytes = std::max(bytes, plan_slices(count * size_of(problem.type)).pool_bytes());
  }
  Pool pool{.host = HostPool(problem.type, bytes), .device = {}};
  pool.device = DeviceBuffer(device, pool.host.size());
  device.copy(pool.device.data(), pool.host.data(), pool.host.size());
  return pool;
}

/// Runs the replay once and checks the result of each of its calls.
void check_results(Device& device, const Competitor& competitor, const Replay& replay,
                   const Problem& problem, const SlicePlan& plan, const DeviceBuffer& output,
                   const std::vector<long double>& references, Stream stream) {
  std::vector<std::byte> results(plan.calls * size_of(problem.accumulator_type()));
  check(cudaMemsetAsync(output.data(), kUnwritten, results.size(), stream), "clearing the results");
  replay();
  check(cudaStreamSynchronize(stream), "running " + competitor.name + " once");
  device.copy(results.data(), output.data(), results.size());
  if (const std::string fault = find_wrong_result(problem, plan, results, references);
      !fault.empty()) {
    throw WrongResult(fmt::format(
        "checking {} for {} before timing it: {}. Nothing was timed; report this with the "
        "configuration{}",
        competitor.name, to_string(problem), fault,
        competitor.explain ? " " + competitor.explain(problem.count).config : ""));
  }
}

Timing summarise_samples(std::vector<double> samples) {
  Timing timing;
  timing.samples_us = std::move(samples);
  timing.median_us = median(timing.samples_us);
  timing.mad_us = median_absolute_deviation(timing.samples_us);
  return timing;
}

Row make_row(const Problem& problem, const SlicePlan& plan,
             const std::vector<Competitor>& competitors, std::vector<std::vector<double>> samples) {
  Row row;
  row.count = problem.count;
  row.slices = plan.slices;
  row.calls = plan.calls;
  row.tuned = summarise_samples(std::move(samples[kTuned]));
  row.untuned = summarise_samples(std::move(samples[kUntuned]));
  row.cub = summarise_samples(std::move(samples[kCub]));
  row.tuned_config = competitors[kTuned].explain(problem.count);
  row.untuned_config = competitors[kUntuned].explain(problem.count);
  row.tuned_gbps =
      static_cast<double>(problem.input_bytes()) / row.tuned.median_us * kBytesPerMicrosecondToGbps;
  row.cub_over_tuned = row.cub.median_us / row.tuned.median_us;
  row.cub_over_untuned = row.cub.median_us / row.untuned.median_us;
  return row;
}

Row compare_size(Device& device, const std::vector<Competitor>& competitors, const Problem& problem,
                 const Pool& pool, const ComparisonOptions& options, Stream stream,
                 std::mt19937_64& random) {
  const SlicePlan plan = plan_calls(problem, options.method);
  const std::size_t result_size = size_of(problem.accumulator_type());
  const DeviceBuffer output(device, plan.calls * result_size);
  const auto* input = static_cast<const std::byte*>(pool.device.data());
  auto* results = static_cast<std::byte*>(output.data());

  std::vector<Replay> replays;
  for (const Competitor& competitor : competitors) {
    competitor.prepare(input, problem.count, stream);
    const auto enqueue = [=, &competitor, count = problem.count](std::uint64_t call) {
      competitor.call(input + call % plan.slices * plan.stride, count, results + call * result_size,
                      stream);
    };
    replays.emplace_back(options.method, plan.calls, stream, enqueue);
  }
  const std::vector<long double> references = compute_references(problem, plan, pool.host);
  for (std::size_t i = 0; i < competitors.size(); ++i) {
    check_results(device, competitors[i], replays[i], problem, plan, output, references, stream);
  }
  return make_row(
      problem, plan, competitors,
      time_in_rounds(replays,
                     {.method = options.method, .rounds = options.rounds, .calls = plan.calls},
                     stream, random));
}

}  // namespace

Summary summarise(const Comparison& comparison) {
  std::vector<double> ratios;
  for (const Row& row : comparison.rows) ratios.push_back(row.cub_over_tuned);
  const auto minimum = std::min_element(ratios.begin(), ratios.end());
  const Row& largest = comparison.rows.back();
  return {.geometric_mean = geometric_mean(ratios),
          .minimum = *minimum,
          .minimum_count = comparison.rows[minimum - ratios.begin()].count,
          .largest_count = largest.count,
          .gbps = largest.tuned_gbps};
}

Comparison compare(const Arena& arena, const Problem& problem,
                   const std::vector<std::uint32_t>& counts, const ComparisonOptions& options,
                   const std::function<void(const Row&)>& on_row) {
  const Pool pool = make_pool(*arena.device, problem, counts);
  const std::vector<Competitor> competitors =
      make_competitors(arena.device, arena.tuned, arena.untuned, problem, counts.back());
  const CudaStream stream = make_stream();
  std::mt19937_64 random(options.seed);
  Comparison comparison{.problem = problem, .rows = {}};
  for (const std::uint32_t count : counts) {
    Problem sized = problem;
    sized.count = count;
    comparison.rows.push_back(
        compare_size(*arena.device, competitors, sized, pool, options, stream.get(), random));
    on_row(comparison.rows.back());
  }
  return comparison;
}

bool is_compared(Operator op, ElementType type) {
  return (op == Operator::sum || op == Operator::min || op == Operator::max) &&
         (type == ElementType::i32 || type == ElementType::f32 || type == ElementType::f64);
}

Problem comparable_problem(Operator op, ElementType type) {
  return {.op = op, .type = type, .accumulator = type};
}

}  // namespace foldtune::bench
