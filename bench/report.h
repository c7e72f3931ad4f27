/// Results for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "bench/comparison.h"

namespace foldtune::bench {

/// Under what the figures were taken: they mean nothing without it.
struct Provenance {
  std::string date;            ///< UTC, ISO 8601
  std::string device;          ///< "NVIDIA H200"
  std::string architecture;    ///< "sm_90"
  std::string driver;          ///< "580.159"
  std::string driver_cuda;     ///< newest CUDA version that the driver knows
  std::string cuda;            ///< version of the CUDA runtime
  std::string cub;             ///< version of CUB
  std::string compiler;        ///< of Foldtune's kernels: "nvrtc 13.0"
  std::string command;         ///< as it was typed
  ComparisonOptions settings;  ///< method, rounds and seed
};

/// What `--check` wants.
struct Targets {
  double geometric_mean = 1.08;  ///< of CUB's time over ours, over all sizes
  double minimum = 0.97;         ///< the same at every size
  double gbps = 4500;            ///< 10^9 bytes per second at the largest size
};

/// One line per target that is missed; none if all are met.
std::vector<std::string> find_missed_targets(const Comparison& comparison, const Targets& targets);

/// Each to be followed by a line end.
std::string format_provenance(const Provenance& provenance);
std::string format_header(const Problem& problem);
std::string format_row(const Row& row);
std::string format_summary(const Comparison& comparison);

/// Everything, with all samples, as JSON text. bench/README.md describes it.
std::string to_json(const Provenance& provenance, const std::vector<Comparison>& comparisons);

}  // namespace foldtune::bench
