/// Reports of figures that nobody measured.
#pragma once

#include <bit>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/report.h"

namespace foldtune::bench::test {

inline Cell sum_cell(std::uint64_t count, const std::string& type = "f32",
                     const std::string& manner = "graph") {
  const std::uint64_t element_bytes = type.ends_with("64")   ? 8
                                      : type.ends_with("32") ? 4
                                      : type.ends_with("16") ? 2
                                                             : 1;
  return {.case_name = "sum " + type,
          .family = "reduce",
          .problem = {{"op", "sum"}, {"type", type}, {"accumulator", type}},
          .inputs = {type},
          .layout = "vector",
          .shape = std::to_string(count),
          .count = count,
          .bytes = count * element_bytes,
          .manner = manner};
}

inline Cell histogram_cell(std::uint64_t count, const std::string& distribution) {
  Cell cell = sum_cell(count, "u8");
  cell.case_name = "histogram u8 " + distribution;
  cell.family = "histogram";
  cell.problem = {{"op", "histogram"}, {"type", "u8"},     {"counter", "u32"},
                  {"bins", "256"},     {"binning", "key"}, {"distribution", distribution}};
  return cell;
}

inline Cell rows_cell(std::uint64_t results, std::uint64_t length) {
  Cell cell = sum_cell(results * length);
  cell.case_name = "sum f32 rows";
  cell.family = "axis";
  cell.shape = "1x1x" + std::to_string(results) + "x" + std::to_string(length);
  return cell;
}

inline Cell segments_cell(std::uint64_t segments, std::uint64_t elements) {
  Cell cell = sum_cell(elements);
  cell.case_name = "sum f32 uniform";
  cell.family = "segments";
  cell.problem.insert({{"offsets", "i32"}, {"lengths", "uniform"}});
  cell.layout = "any";
  cell.shape = std::to_string(segments) + "x" + std::to_string(elements);
  cell.bytes += 8 * segments;
  return cell;
}

inline Run run_on(const std::string& device) {
  return {.date = "2026-01-31T12:00:00Z",
          .command = "foldtune_bench",
          .device = device,
          .architecture = "sm_90",
          .driver = "580.1",
          .versions = {{"CUB", "3.0.1"}},
          .read_bandwidth_gbps = 4600,
          .launch_us = {{"graph", 0.5}},
          .rounds = 9,
          .seed = 1};
}

using Times = std::vector<std::pair<std::string_view, double>>;

/// Adds a figure of each contender with its microseconds.
inline void add(Report& report, const Cell& cell, const Times& times) {
  for (const auto& [contender, us] : times) {
    Figure figure{.cell = cell,
                  .contender = std::string(contender),
                  .samples_us = {us, us, us},
                  .median_us = us};
    if (contender == kTuned || contender == kUntuned) {
      figure.config = R"({"block_size":256})";
      figure.source = contender == kTuned ? "exact" : "default";
    }
    report.figures.push_back(std::move(figure));
  }
}

inline Report report_of(const Cell& cell, const Times& times) {
  Report report{.runs = {run_on("NVIDIA Test")}, .figures = {}, .faults = {}, .not_run = {}};
  add(report, cell, times);
  return report;
}

}  // namespace foldtune::bench::test
