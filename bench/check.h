/// What the figures must show, and whether they do.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/report.h"

namespace foldtune::bench {

/// What is read off a row. It applies to rows that have the figures.
enum class Quantity {
  peer_over_tuned,     ///< time of the fastest library over tuned Foldtune's
  cub_over_tuned,      ///< time of CUB over tuned Foldtune's
  cublas_over_tuned,   ///< time of cuBLAS over tuned Foldtune's
  tuned_over_cub,      ///< time of tuned Foldtune over CUB's
  untuned_over_tuned,  ///< time of untuned Foldtune over tuned Foldtune's
  tuned_gbps,          ///< 10^9 bytes per second of tuned Foldtune
};

enum class Over { each_cell, geometric_mean };
enum class Bound { at_least, at_most };

struct Threshold {
  std::string_view name;  ///< for people
  std::string_view manner;
  bool (*applies)(const Cell& cell);
  Quantity quantity;
  Over over;
  Bound bound;
  double limit;
};

/// The project's claims, for an NVIDIA H200.
std::span<const Threshold> thresholds();

enum class Outcome { met, missed, not_measured };

struct Miss {
  const Cell* cell = nullptr;
  double value = 0;
};

/// One threshold against a report.
struct Verdict {
  const Threshold* threshold = nullptr;
  Outcome outcome = Outcome::not_measured;
  int cells = 0;             ///< that it applies to, and that have the figures
  double value = 0;          ///< the geometric mean, or of the worst cell
  std::vector<Miss> misses;  ///< with Over::each_cell, the worst first
};

/// One for each threshold, in their order. They refer to the arguments.
std::vector<Verdict> check(const Report& report, std::span<const Threshold> thresholds);

/// Whether every threshold was measured and met, nobody gave a wrong result, and no cell is left
/// out for want of time.
bool is_passed(const Report& report, std::span<const Verdict> verdicts);

/// A line for each verdict, with its misses and then the wrong results below; to be followed by a
/// line end.
std::string format_verdicts(const Report& report, std::span<const Verdict> verdicts);

}  // namespace foldtune::bench
