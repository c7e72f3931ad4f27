#include "tuner/session/forecast.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/lookup/lookup.h"
#include "templates/fingerprint.h"
#include "templates/space.h"
#include "tuner/measure/statistics.h"
#include "tuner/session/effort.h"
#include "tuner/session/problem_history.h"

namespace foldtune {
namespace {

/// What is left to try of a problem, at most; 0 if it is done.
std::size_t configurations_left(const Workload& workload, const ProblemHistory& history,
                                int multiprocessor_count, const TuneOptions& options) {
  int most = options.max_evaluations.value_or(limits_of(options.effort).evaluations);
  const auto known = static_cast<int>(history.size());
  // A space is only counted where that tells more: it takes milliseconds.
  const bool may_be_all = history.chosen() != nullptr && known < most;
  if (most == 0 || may_be_all) {
    most = distinct_configurations(workload, multiprocessor_count,
                                   most > 0 ? most : std::numeric_limits<int>::max());
  }
  const bool is_unchosen = history.chosen() == nullptr;
  return static_cast<std::size_t>(std::max(is_unchosen ? 1 : 0, most - known));
}

/// Seconds since 1970 of "2026-01-31T12:00:00Z".
std::int64_t seconds_of(const std::string& time) {
  std::tm parts{};
  std::sscanf(time.c_str(), "%d-%d-%dT%d:%d:%d", &parts.tm_year, &parts.tm_mon, &parts.tm_mday,
              &parts.tm_hour, &parts.tm_min, &parts.tm_sec);
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  return timegm(&parts);
}

/// Measurements that a forecast looks at, however many there are.
constexpr std::size_t kNewest = 20'000;

/// What a run on the device did.
struct PastRun {
  int configurations = 0;
  std::int64_t begin_s = 0;
  std::int64_t end_s = 0;
};

/// What a comparison was of: family, problem, layout, bucket, conditions, shape.
using ComparisonKey =
    std::tuple<std::string, std::string, std::string, std::string, std::string, std::string>;

/// Its times; 0 for what is not known of it.
struct ComparedTimes {
  double chosen_us = 0;
  double default_us = 0;
};

/// What was measured on the device, a row after the other, the oldest first.
class Past {
 public:
  explicit Past(std::string device_fingerprint) : device_(std::move(device_fingerprint)) {}

  void add(const StoredResult& row) {
    const MeasurementRecord& m = row.measurement;
    const bool has_other_kernels =
        find_family(m.problem.family) != nullptr && !is_of_these_kernels(m.template_fingerprint);
    if (row.device_fingerprint != device_ || !row.imported_from.empty() || has_other_kernels)
      return;
    add_to_run(row);
    if (m.outcome != Outcome::ok || m.round == kScreened) return;
    ComparedTimes& times = comparisons_[{m.problem.family, m.problem.problem, m.problem.layout,
                                         m.problem.bucket, m.problem.conditions, m.shape}];
    // What was chosen stands before what it was compared with; the last comparison counts.
    if (m.round >= kChosen) times = {.chosen_us = m.median_us};
    if (m.is_default) times.default_us = m.median_us;
  }

  /// The median over the runs of what a configuration took, all that a tuning does included.
  std::optional<double> configuration_s() const {
    std::vector<double> seconds;
    for (const auto& [id, run] : runs_) {
      if (is_telling(run)) {
        seconds.push_back(static_cast<double>(run.end_s - run.begin_s) / run.configurations);
      }
    }
    if (seconds.empty()) return std::nullopt;
    return median(std::move(seconds));
  }
  std::size_t telling_runs() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(runs_, [](const auto& entry) { return is_telling(entry.second); }));
  }

  /// Of the comparisons whose (family, problem, conditions) are wanted.
  template <class IsWanted>
  std::optional<KnownGain> gain(IsWanted is_wanted) const {
    KnownGain gain{.least = std::numeric_limits<double>::infinity(), .most = 0};
    double logarithms = 0;
    for (const auto& [key, times] : comparisons_) {
      if (times.chosen_us <= 0 || times.default_us <= 0) continue;
      const auto& [family, problem, layout, bucket, conditions, shape] = key;
      if (!is_wanted(family, problem, conditions)) continue;
      const double ratio = times.default_us / times.chosen_us;
      ++gain.results;
      logarithms += std::log(ratio);
      gain.least = std::min(gain.least, ratio);
      gain.most = std::max(gain.most, ratio);
    }
    if (gain.results == 0) return std::nullopt;
    gain.mean = std::exp(logarithms / static_cast<double>(gain.results));
    return gain;
  }

 private:
  /// Times are stored in whole seconds.
  static bool is_telling(const PastRun& run) {
    constexpr int kFewest = 8;
    constexpr std::int64_t kLongest = std::int64_t{7} * 24 * 3600;  // else a clock was wrong
    const std::int64_t seconds = run.end_s - run.begin_s;
    return run.configurations >= kFewest && seconds >= 0 && seconds <= kLongest;
  }

  void add_to_run(const StoredResult& row) {
    PastRun& run = runs_[row.run_id];
    run.configurations += row.measurement.round == kScreened ? 1 : 0;
    run.begin_s = seconds_of(row.started_at);
    run.end_s = seconds_of(row.measured_at);
  }

  std::string device_;
  std::map<std::int64_t, PastRun> runs_;
  std::map<ComparisonKey, ComparedTimes> comparisons_;
};

}  // namespace

Forecast forecast(const ConfigStore& store, const DeviceRecord& device, const std::string& compiler,
                  const TuneOptions& options) {
  Forecast forecast{.problems = options.workloads.size()};
  using Names = std::tuple<std::string, std::string, std::string>;
  std::set<Names> problems;                                // with their conditions
  std::set<std::pair<std::string, std::string>> families;  // the same
  for (const Workload& workload : options.workloads) {
    const TuningKey key = make_tuning_key(device, compiler, workload);
    const ProblemKey& names = key.problem;
    problems.emplace(names.family, names.problem, names.conditions);
    families.emplace(names.family, names.conditions);
    const ProblemHistory history(store, key, workload, options.resume);
    const std::size_t left =
        configurations_left(workload, history, device.multiprocessor_count, options);
    forecast.configurations += left;
    forecast.done += left == 0 ? 1 : 0;
    forecast.pinned += store.has_pins(key) ? 1 : 0;
  }
  Past past(device.fingerprint());
  for (const StoredResult& row : store.newest(kNewest)) past.add(row);
  if (const std::optional<double> each_s = past.configuration_s()) {
    forecast.seconds = *each_s * static_cast<double>(forecast.configurations);
    forecast.runs = past.telling_runs();
  }
  const auto is_of_these = [&](const auto& family, const auto& problem, const auto& conditions) {
    return problems.contains({family, problem, conditions});
  };
  const auto is_of_families = [&](const auto& family, const auto&, const auto& conditions) {
    return families.contains({family, conditions});
  };
  forecast.of_these = past.gain(is_of_these);
  forecast.of_their_families = past.gain(is_of_families);
  return forecast;
}

}  // namespace foldtune
