/// Tuning: for each problem, try configurations, check and time them, and keep what was found.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "runtime/support/sanitizer.h"
#include "templates/family.h"
#include "templates/space.h"
#include "tuner/measure/evaluator.h"
#include "tuner/measure/statistics.h"
#include "tuner/session/effort.h"
#include "tuner/session/preparation.h"

namespace foldtune {

struct TuneOptions {
  std::vector<Workload> workloads;
  Effort effort = Effort::normal;
  std::optional<std::string> search{};   ///< one of search_names(); empty: the effort's own
  std::optional<double> budget_s{};      ///< for all problems together, wall time; empty: no limit
  std::optional<int> max_evaluations{};  ///< configurations per problem; empty: the effort's
  /// Of a problem these are tried, and what is used untuned, in the place of a search. May be
  /// empty.
  std::function<std::vector<Config>(const Workload& workload)> only = nullptr;
  /// Takes what the store knows of these problems as if it had just been measured: failures are not
  /// repeated, and a problem that is done is not tuned again.
  bool resume = true;
  std::uint64_t seed = 1;   ///< of the search's random choices
  int compile_threads = 0;  ///< 0: one per core
  std::string command{};    ///< the command line, for the record
  /// What a problem's first configuration, without which there is no result, may take to compile
  /// whatever the budget, in seconds: less than a compiler is given.
  double first_compile_s = kAddressSanitizer || kThreadSanitizer ? 240 : 45;
  /// What a problem's inputs and reference take, as estimate_preparation_s has it.
  std::function<double(const DeviceInfo& device, const Workload& workload, const Workload* largest)>
      estimate_preparation_s = foldtune::estimate_preparation_s;
  /// Asked between two measurements; true ends the tuning early, with everything kept. May be
  /// empty. Called from several threads where there are several evaluators.
  std::function<bool()> stop_requested = nullptr;
};

/// The result of tuning one workload. Times are medians in microseconds per call.
struct ProblemResult {
  Workload workload;
  Config best;
  double best_us = 0;
  double mad_us = 0;      ///< median absolute deviation of the best's samples from best_us
  double default_us = 0;  ///< of the configuration that is used untuned; 0: not measured
  /// The default's time over the best's, where both were timed in turns; 1 if it is the best.
  std::optional<Ratio> gain{};
  double gbps = 0;                     ///< input bytes over best_us, in 10^9 bytes per second
  double read_bandwidth_fraction = 0;  ///< gbps over the measured read bandwidth; 0: not measured
  int measured = 0;                    ///< configurations timed
  int failed = 0;                      ///< configurations that failed, with the reason stored
  int known = 0;                       ///< of both, those that the store knew before
};

/// A problem that cannot be tuned: its inputs do not fit the memory, its operator does not compile.
struct ProblemFailure {
  Workload workload;
  std::string reason;  ///< what was being done, and what went wrong
};

struct TuneProgress {
  Workload workload;
  std::size_t problem_index = 0;  ///< from 0
  std::size_t problem_count = 0;
  int measured = 0;  ///< of this problem
  int failed = 0;
  double best_us = 0;    ///< 0: none yet
  double elapsed_s = 0;  ///< of the whole tuning
  double budget_s = 0;   ///< 0: no limit
};

/// What a tuning was like, beside its results.
struct TuneSummary {
  std::vector<ProblemResult> results{};
  std::vector<ProblemFailure> failures{};
  double elapsed_s = 0;
  // Of the time that the devices had, the parts in which they were in use, and waited for the
  // compiler.
  double busy_fraction = 0;
  double compiler_wait_fraction = 0;
};

/// Hears of the progress, one call at a time.
class TuneObserver {
 public:
  virtual ~TuneObserver() = default;
  virtual void on_start(double /*read_bandwidth_gbps*/) {}  ///< 0: not measured on this device
  /// Before what takes so many seconds: more than a user waits without being told.
  virtual void on_preparing(const Workload& /*workload*/, double /*seconds*/) {}
  virtual void on_progress(const TuneProgress&) {}
  virtual void on_result(const ProblemResult&) {}
  virtual void on_failure(const ProblemFailure&) {}
};

/// Tunes every problem and puts every measurement and failure into `store` as it is made. The
/// evaluators, at least one, are of devices with the same identity and share the problems, each on
/// a thread of its own. A problem that cannot be made the current one is among the failures, and
/// the next one is tuned; one for which nothing could be measured is in neither list. A budget is
/// kept to within a measurement and what it takes to compile one: a problem that cannot even be
/// begun in time is among the failures, but for an evaluator's first, and one whose best could not
/// be compared keeps its default.
/// Throws InvalidArgument for a problem that cannot be; Unavailable, DeviceError, StoreError where
/// the device or the store fails; CompileError where a problem's first configuration does not
/// compile in time.
TuneSummary tune(std::span<Evaluator* const> evaluators, ConfigStore& store,
                 const TuneOptions& options, TuneObserver& observer);

}  // namespace foldtune
