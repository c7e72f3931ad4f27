#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <tuple>

#include "cache/config_store.h"
#include "cache/record_check.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

struct Entry {
  StoredResult result;
  TuningKey key;
};

bool same_but_size(const TuningKey& left, TuningKey right) {
  right.problem.size_class = left.problem.size_class;
  return left == right;
}

// The order of `ConfigStore::best`.
auto order(const Entry& entry) {
  const ProblemKey& p = entry.key.problem;
  return std::tie(entry.result.run.device.name, entry.key.device_fingerprint, p.family, p.op,
                  p.element_type, p.accumulator_type, p.alignment, p.determinism, p.options,
                  p.size_class, entry.key.template_fingerprint, entry.key.compiler);
}

class MemoryStore final : public ConfigStore {
 public:
  RunId begin_run(const RunRecord& run) override {
    RunRecord record = checked(run);
    const std::lock_guard lock(mutex_);
    runs_.push_back(std::move(record));
    return static_cast<RunId>(runs_.size());
  }

  void put(RunId run, const MeasurementRecord& measurement) override {
    MeasurementRecord record = checked(measurement);
    const std::lock_guard lock(mutex_);
    if (run < 1 || run > static_cast<RunId>(runs_.size())) {
      throw StoreError(fmt::format(
          "cannot store a measurement: run {} is not one of this store; call begin_run first",
          run));
    }
    const RunRecord& origin = runs_[static_cast<std::size_t>(run - 1)];
    TuningKey key{origin.device.fingerprint(), origin.template_fingerprint, origin.compiler,
                  record.problem};
    entries_.push_back({{std::move(record), origin, utc_now()}, std::move(key)});
  }

  std::optional<Match> find(const TuningKey& key) const override {
    const std::lock_guard lock(mutex_);
    const auto distance = [&](const Entry& entry) {
      return std::abs(entry.key.problem.size_class - key.problem.size_class);
    };
    const auto replaces = [&](const Entry& candidate, const Entry& incumbent) {
      if (distance(candidate) != distance(incumbent)) {
        return distance(candidate) < distance(incumbent);
      }
      const int candidate_class = candidate.key.problem.size_class;
      const int incumbent_class = incumbent.key.problem.size_class;
      if (candidate_class != incumbent_class) return candidate_class < incumbent_class;
      return is_better(candidate.result.measurement, incumbent.result.measurement);
    };

    const Entry* found = nullptr;
    for (const Entry& entry : entries_) {
      if (entry.result.measurement.outcome != Outcome::ok) continue;
      if (!same_but_size(key, entry.key) || distance(entry) > kNearSizeClasses) continue;
      if (found == nullptr || replaces(entry, *found)) found = &entry;
    }
    if (found == nullptr) return std::nullopt;
    return Match{distance(*found) == 0 ? MatchQuality::exact : MatchQuality::near_size,
                 found->result};
  }

  std::vector<StoredResult> best() const override {
    const std::lock_guard lock(mutex_);
    std::vector<const Entry*> winners;
    for (const Entry& entry : entries_) {
      if (entry.result.measurement.outcome != Outcome::ok) continue;
      const auto same_key = [&](const Entry* winner) { return winner->key == entry.key; };
      const auto incumbent = std::find_if(winners.begin(), winners.end(), same_key);
      if (incumbent == winners.end()) {
        winners.push_back(&entry);
      } else if (is_better(entry.result.measurement, (*incumbent)->result.measurement)) {
        *incumbent = &entry;
      }
    }
    std::sort(winners.begin(), winners.end(),
              [](const Entry* left, const Entry* right) { return order(*left) < order(*right); });
    std::vector<StoredResult> results;
    results.reserve(winners.size());
    for (const Entry* winner : winners) results.push_back(winner->result);
    return results;
  }

  std::vector<StoredResult> measurements() const override {
    const std::lock_guard lock(mutex_);
    std::vector<StoredResult> results;
    results.reserve(entries_.size());
    for (const Entry& entry : entries_) results.push_back(entry.result);
    return results;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<RunRecord> runs_;  // A run's id is its place, counted from 1.
  std::vector<Entry> entries_;   // Oldest first.
};

}  // namespace

std::unique_ptr<ConfigStore> make_memory_store() { return std::make_unique<MemoryStore>(); }

}  // namespace foldtune
