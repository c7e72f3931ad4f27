/// The comparison of one problem over sizes: check, then time, then summarise.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/timing.h"
#include "foldtune/context.h"
#include "foldtune/error.h"
#include "runtime/device.h"

namespace foldtune::bench {

/// What one competitor took, in microseconds per call.
struct Timing {
  std::vector<double> samples_us;  ///< one per round
  double median_us = 0;
  double mad_us = 0;  ///< median absolute deviation from the median
};

/// One size.
struct Row {
  std::uint64_t count = 0;   ///< elements
  std::uint64_t slices = 0;  ///< inputs that the calls of a replay go through
  std::uint64_t calls = 0;   ///< of a replay
  Timing tuned, untuned, cub;
  Explanation tuned_config, untuned_config;
  double tuned_gbps = 0;        ///< input bytes over the median, in 10^9 bytes per second
  double cub_over_tuned = 0;    ///< above 1: faster than CUB
  double cub_over_untuned = 0;  ///< the same for the untuned default
};

/// One problem. Its count is that of no row.
struct Comparison {
  Problem problem;
  std::vector<Row> rows;  ///< in ascending order of their counts
};

/// Of the column `cub_over_tuned`, and of the largest size.
struct Summary {
  double geometric_mean = 0;
  double minimum = 0;
  std::uint64_t minimum_count = 0;  ///< where the minimum is
  std::uint64_t largest_count = 0;
  double gbps = 0;  ///< of the tuned one, at the largest count
};

/// `comparison` has at least one row.
Summary summarise(const Comparison& comparison);

struct ComparisonOptions {
  Method method = Method::graph;
  int rounds = 9;
  std::uint64_t seed = 1;  ///< of the order of the competitors within a round
};

/// Where it is measured: one device, tuned and not. The device must be the current one of the CUDA
/// runtime API.
struct Arena {
  std::shared_ptr<Device> device;
  Context& tuned;
  Context& untuned;
};

/// Checks the results of every call against a reference on the host, then times. `counts` are
/// ascending. `on_row` hears of each row when it is done. Throws WrongResult for a result that is
/// wrong, whoever's it is; what the device and the competitors throw.
Comparison compare(const Arena& arena, const Problem& problem,
                   const std::vector<std::uint32_t>& counts, const ComparisonOptions& options,
                   const std::function<void(const Row&)>& on_row);

/// Whether the comparison has the operator over the type.
bool is_compared(Operator op, ElementType type);

/// The problem that both compute: CUB accumulates in the type of its output, which is the
/// element's, so a sum of i32 is one of 32 bits here.
Problem comparable_problem(Operator op, ElementType type);

class WrongResult : public Error {
 public:
  using Error::Error;
};

}  // namespace foldtune::bench
