/// Tuning: for each problem, try configurations, check and time them, and keep what was found.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "foldtune/problem.h"
#include "runtime/device.h"
#include "templates/space.h"

namespace foldtune {

struct TuneOptions {
  std::vector<Problem> problems;
  double budget_s = 60;     ///< for all problems together, wall time in seconds
  std::uint64_t seed = 1;   ///< of the search's random choices
  int compile_threads = 0;  ///< 0: one per core
  std::string command;      ///< the command line, for the record
  /// Asked between two measurements; true ends the tuning early, with everything kept. May be
  /// empty.
  std::function<bool()> stop_requested = nullptr;
};

/// The result of tuning one problem. Times are medians in microseconds per call.
struct ProblemResult {
  Problem problem;
  Params best;
  double best_us = 0;
  double default_us = 0;               ///< of the configuration that is used untuned
  double gbps = 0;                     ///< input bytes over best_us, in 10^9 bytes per second
  double read_bandwidth_fraction = 0;  ///< gbps over the measured read bandwidth; 0: not measured
  int measured = 0;                    ///< configurations timed
  int failed = 0;                      ///< configurations that failed, with the reason stored
};

struct TuneProgress {
  Problem problem;
  std::size_t problem_index = 0;  ///< from 0
  std::size_t problem_count = 0;
  int measured = 0;  ///< of this problem
  int failed = 0;
  double best_us = 0;    ///< 0: none yet
  double elapsed_s = 0;  ///< of the whole tuning
  double budget_s = 0;
};

/// Hears of the progress, on the thread that called `tune`.
class TuneObserver {
 public:
  virtual ~TuneObserver() = default;
  virtual void on_start(double read_bandwidth_gbps) = 0;  ///< 0: not measured on this device
  virtual void on_progress(const TuneProgress& progress) = 0;
  virtual void on_result(const ProblemResult& result) = 0;
};

/// Tunes every problem and puts every measurement and failure into `store` as it is made. Problems
/// for which nothing could be measured are missing in the result. Throws InvalidArgument for a
/// problem that cannot be; Unavailable, DeviceError, StoreError where the device or the store
/// fails.
std::vector<ProblemResult> tune(Device& device, ConfigStore& store, const TuneOptions& options,
                                TuneObserver& observer);

}  // namespace foldtune
