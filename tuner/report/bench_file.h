/// Reports of the bench: the times of other libraries, to be shown beside what was tuned.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace foldtune {

/// Times of one contender for one problem, as the bench measured them.
struct BenchSeries {
  struct Point {
    std::uint64_t count = 0;
    double median_us = 0;  ///< per call
  };
  std::string name;  ///< "CUB 3.0.1"
  std::string op;
  std::string type;
  std::string accumulator;
  std::string options{};        ///< what else tells problems apart: of a histogram its bins
  std::vector<Point> points{};  ///< by count
};

struct BenchReport {
  std::string file;    ///< its name without folders
  std::string date;    ///< UTC, ISO 8601
  std::string device;  ///< "NVIDIA H200"
  std::string method;  ///< "graph", else the manner of what there is; empty: there is nothing
  std::vector<BenchSeries> series{};
};

/// Reads what `foldtune_bench --json` wrote (bench/README.md): the times of calls in a graph, on
/// aligned inputs from memory. Of Foldtune itself the tuned times are among the series, since times
/// of one run may be compared. Throws FileError.
BenchReport read_bench_report(const std::string& path);

}  // namespace foldtune
