/// Results for people and for programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/judge.h"
#include "bench/options.h"

namespace foldtune::bench {

/// Under what the figures were taken: they mean nothing without it.
struct Provenance {
  std::string date;          ///< UTC, ISO 8601
  std::string device;        ///< "NVIDIA H200"
  std::string architecture;  ///< "sm_90"
  std::string driver;        ///< "580.159"
  std::string cuda;          ///< version of the CUDA runtime
  std::string cub;           ///< version of CUB
  std::string compiler;      ///< of Foldtune's kernels: "nvrtc 13.0"
  std::string command;       ///< as it was typed
  double read_bandwidth_gbps = 0;
  int rounds = 0;
  std::uint64_t seed = 0;
};

/// One problem, timed in one manner.
struct Row {
  std::string case_name;
  Problem problem;
  Manner manner = Manner::rotating;
  std::vector<Figure> figures;
};

/// Each to be followed by a line end.
std::string format_provenance(const Provenance& provenance);
std::string format_header(const std::string& case_name, Manner manner);
std::string format_row(const Row& row);

/// The geometric mean of the best library's time over that of tuned Foldtune, and the least; over
/// the rows that have a library. Empty if none has.
std::string format_summary(const std::vector<Row>& rows);

/// Everything, with all samples, as JSON text. bench/README.md describes it.
std::string to_json(const Provenance& provenance, const std::vector<Row>& rows);

}  // namespace foldtune::bench
