#include "bench/report.h"

#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "bench/slice_plan.h"
#include "tuner/format.h"

namespace foldtune::bench {
namespace {

using Json = nlohmann::ordered_json;

/// Raised when a reader of the JSON has to change.
constexpr int kSchemaVersion = 1;

std::string_view describe(Method method) {
  switch (method) {
    case Method::graph:
      return "calls captured in a CUDA graph, replayed";
    case Method::stream:
      return "plain launches, back to back in a stream";
    case Method::latency:
      break;
  }
  return "from the call on the host until its result is there";
}

/// "2^20" for a power of two, else "1000003".
std::string format_count(std::uint64_t count) {
  if (std::has_single_bit(count)) return fmt::format("2^{}", std::countr_zero(count));
  return fmt::format("{}", count);
}

std::string format_timing(const Timing& timing) {
  return fmt::format("{:>9.2f} ±{:<6.2f}", timing.median_us, timing.mad_us);
}

Json timing_json(const Timing& timing) {
  return {{"median_us", timing.median_us},
          {"mad_us", timing.mad_us},
          {"samples_us", timing.samples_us}};
}

Json foldtune_json(const Timing& timing, const Explanation& explanation) {
  Json json = timing_json(timing);
  json["config"] = Json::parse(explanation.config);
  json["source"] = to_string(explanation.source);
  json["reason"] = explanation.reason;
  return json;
}

Json row_json(const Row& row) {
  return {{"n", row.count},
          {"slices", row.slices},
          {"calls", row.calls},
          {"tuned", foldtune_json(row.tuned, row.tuned_config)},
          {"untuned", foldtune_json(row.untuned, row.untuned_config)},
          {"cub", timing_json(row.cub)},
          {"tuned_gbps", row.tuned_gbps},
          {"cub_over_tuned", row.cub_over_tuned},
          {"cub_over_untuned", row.cub_over_untuned}};
}

Json comparison_json(const Comparison& comparison) {
  const Summary summary = summarise(comparison);
  Json rows = Json::array();
  for (const Row& row : comparison.rows) rows.push_back(row_json(row));
  return {{"op", name(comparison.problem.op)},
          {"type", name(comparison.problem.type)},
          {"accumulator", name(comparison.problem.accumulator_type())},
          {"rows", rows},
          {"summary",
           {{"cub_over_tuned_geometric_mean", summary.geometric_mean},
            {"cub_over_tuned_minimum", summary.minimum},
            {"cub_over_tuned_minimum_n", summary.minimum_count},
            {"largest_n", summary.largest_count},
            {"tuned_gbps_at_largest_n", summary.gbps}}}};
}

}  // namespace

std::vector<std::string> find_missed_targets(const Comparison& comparison, const Targets& targets) {
  const Summary summary = summarise(comparison);
  const std::string problem =
      fmt::format("{} {}", name(comparison.problem.op), name(comparison.problem.type));
  std::vector<std::string> missed;
  if (summary.geometric_mean < targets.geometric_mean) {
    missed.push_back(fmt::format("{}: the geometric mean of CUB/tuned is {:.4f}, wanted {:.4f}",
                                 problem, summary.geometric_mean, targets.geometric_mean));
  }
  for (const Row& row : comparison.rows) {
    if (row.cub_over_tuned < targets.minimum) {
      missed.push_back(fmt::format("{}: CUB/tuned at n = {} is {:.4f}, wanted {:.4f}", problem,
                                   format_count(row.count), row.cub_over_tuned, targets.minimum));
    }
  }
  if (summary.gbps < targets.gbps) {
    missed.push_back(fmt::format("{}: {:.0f} GB/s at n = {}, wanted {:.0f}", problem, summary.gbps,
                                 format_count(summary.largest_count), targets.gbps));
  }
  return missed;
}

std::string format_provenance(const Provenance& provenance) {
  return fmt::format(
      "date     {}\n"
      "device   {} ({})\n"
      "driver   {} (CUDA {})\n"
      "versions CUDA {}, CUB {}, {}\n"
      "method   {}: {}; rotating inputs, {} MiB or more in all, so from DRAM;\n"
      "         us per call, median and median absolute deviation of {} interleaved rounds\n"
      "command  {}",
      provenance.date, provenance.device, provenance.architecture, provenance.driver,
      provenance.driver_cuda, provenance.cuda, provenance.cub, provenance.compiler,
      name(provenance.settings.method), describe(provenance.settings.method),
      kLeastPoolBytes / kMiB, provenance.settings.rounds, provenance.command);
}

std::string format_header(const Problem& problem) {
  return fmt::format(
      "\n{} {}, accumulated in {} by all\n"
      "{:>10} {:>6} {:>9} {:<7} {:>9} {:<7} {:>9} {:<7} {:>9} {:>11} {:>7}  {:<9}  {}",
      name(problem.op), name(problem.type), name(problem.accumulator_type()), "n", "calls", "CUB",
      "us", "tuned", "us", "untuned", "us", "CUB/tuned", "CUB/untuned", "GB/s", "source",
      "configuration");
}

std::string format_row(const Row& row) {
  return fmt::format("{:>10} {:>6} {} {} {} {:>9.3f} {:>11.3f} {:>7.0f}  {:<9}  {}",
                     format_count(row.count), row.calls, format_timing(row.cub),
                     format_timing(row.tuned), format_timing(row.untuned), row.cub_over_tuned,
                     row.cub_over_untuned, row.tuned_gbps, to_string(row.tuned_config.source),
                     format_config(row.tuned_config.config));
}

std::string format_summary(const Comparison& comparison) {
  const Summary summary = summarise(comparison);
  return fmt::format(
      "CUB/tuned: geometric mean {:.3f}, minimum {:.3f} (n = {}); {:.0f} GB/s at n = {}",
      summary.geometric_mean, summary.minimum, format_count(summary.minimum_count), summary.gbps,
      format_count(summary.largest_count));
}

std::string to_json(const Provenance& provenance, const std::vector<Comparison>& comparisons) {
  Json json = {{"schema_version", kSchemaVersion},
               {"date", provenance.date},
               {"device", provenance.device},
               {"architecture", provenance.architecture},
               {"driver", provenance.driver},
               {"driver_cuda", provenance.driver_cuda},
               {"cuda", provenance.cuda},
               {"cub", provenance.cub},
               {"compiler", provenance.compiler},
               {"command", provenance.command},
               {"method", name(provenance.settings.method)},
               {"rounds", provenance.settings.rounds},
               {"seed", provenance.settings.seed},
               {"comparisons", Json::array()}};
  for (const Comparison& comparison : comparisons) {
    json["comparisons"].push_back(comparison_json(comparison));
  }
  constexpr int kIndent = 1;
  return json.dump(kIndent);
}

}  // namespace foldtune::bench
