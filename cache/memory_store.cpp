#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <tuple>

#include "cache/config_store.h"
#include "cache/memory_kernels.h"
#include "cache/record_check.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

struct Entry {
  StoredResult result;
  TuningKey key;
};

bool is_marked(const TuningKey& key, const TuningKey& other) {
  const bool has_its_compiler = key.compiler.empty() || other.compiler == key.compiler;
  return other.device_fingerprint != key.device_fingerprint || !has_its_compiler;
}

// The order of `ConfigStore::best`.
auto order(const Entry& entry) {
  const ProblemKey& p = entry.key.problem;
  return std::tie(entry.result.run.device.name, entry.key.device_fingerprint, p.family, p.op,
                  p.element_type, p.accumulator_type, p.alignment, p.determinism, p.options,
                  p.size_class, entry.key.template_fingerprint, entry.key.compiler);
}

bool same_origin(const TuningKey& left, TuningKey right) {
  right.problem = left.problem;
  return left == right;
}

bool same_problem_but_size(ProblemKey left, const ProblemKey& right) {
  left.size_class = right.size_class;
  return left == right;
}

// How like an entry of the key `other` is to `key`, the lower the likelier, in the words of
// `ConfigStore::related`; nothing if it is not related.
using Unlikeness = std::array<int, 5>;
std::optional<Unlikeness> unlikeness(const TuningKey& key, const TuningKey& other) {
  const int size_class = other.problem.size_class;
  const int distance = std::abs(size_class - key.problem.size_class);
  const bool same_problem = same_problem_but_size(key.problem, other.problem);
  const bool same_run = same_origin(key, other);
  if (key.problem.family != other.problem.family || key == other) return std::nullopt;
  if (!same_problem && !same_run) return std::nullopt;
  if (!(same_problem && same_run) && distance > kNearSizeClasses) return std::nullopt;
  const int tier = !same_run ? 3 : same_problem ? 1 : 2;
  return Unlikeness{tier, distance, key.problem.op == other.problem.op ? 0 : 1,
                    key.problem.element_type == other.problem.element_type ? 0 : 1, size_class};
}

// Whether `find` may take it, but for its size class.
bool is_usable(const TuningKey& key, const Entry& entry) {
  return same_problem_but_size(key.problem, entry.key.problem) &&
         entry.key.template_fingerprint == key.template_fingerprint &&
         (!is_marked(key, entry.key) ||
          (key.device && key.device->has_hardware_of(entry.result.run.device)));
}

// As those of entries are, but for the device.
TuningKey without_device(TuningKey key) {
  key.device.reset();
  return key;
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
    const auto distance = [&](const Entry* entry) {
      return std::abs(entry->key.problem.size_class - key.problem.size_class);
    };
    // Among the best of each key, of which none is another's rival.
    const std::vector<const Entry*> candidates = best_of_each_key([&](const Entry& entry) {
      return is_usable(key, entry) && distance(&entry) <= kNearSizeClasses;
    });
    const auto found = std::ranges::min_element(candidates, {}, [&](const Entry* entry) {
      return std::tuple(distance(entry), is_marked(key, entry->key), -entry->key.problem.size_class,
                        entries_.data() - entry);  // the newest
    });
    if (found == candidates.end()) return std::nullopt;
    return Match{.quality = distance(*found) == 0 ? MatchQuality::exact : MatchQuality::near_size,
                 .is_marked = is_marked(key, (*found)->key),
                 .result = (*found)->result};
  }

  std::vector<StoredResult> best() const override {
    const std::lock_guard lock(mutex_);
    std::vector<const Entry*> winners = best_of_each_key([](const Entry&) { return true; });
    std::sort(winners.begin(), winners.end(),
              [](const Entry* left, const Entry* right) { return order(*left) < order(*right); });
    return results_of(winners);
  }

  std::vector<StoredResult> measurements_where(
      const std::function<bool(const StoredResult&)>& is_wanted) const override {
    const std::lock_guard lock(mutex_);
    std::vector<StoredResult> results;
    for (const Entry& entry : entries_) {
      if (!is_wanted || is_wanted(entry.result)) results.push_back(entry.result);
    }
    return results;
  }

  std::vector<StoredResult> choices_of(const ProblemKey& problem) const override {
    return measurements_where([&](const StoredResult& result) {
      return result.measurement.problem == problem && result.measurement.round > 1;
    });
  }

  std::vector<StoredResult> measurements_of(const TuningKey& asked) const override {
    const TuningKey key = without_device(asked);
    const std::lock_guard lock(mutex_);
    std::vector<StoredResult> results;
    for (const Entry& entry : entries_) {
      if (entry.key == key) results.push_back(entry.result);
    }
    return results;
  }

  std::vector<StoredResult> related(const TuningKey& asked, std::size_t most) const override {
    const TuningKey key = without_device(asked);
    const std::lock_guard lock(mutex_);
    std::vector<const Entry*> found = best_of_each_key(
        [&](const Entry& entry) { return unlikeness(key, entry.key).has_value(); });
    std::ranges::sort(found, [&](const Entry* left, const Entry* right) {
      const auto rank = [&](const Entry* entry) { return unlikeness(key, entry->key); };
      if (rank(left) != rank(right)) return rank(left) < rank(right);
      return left > right;  // the newer one
    });
    if (found.size() > most) found.resize(most);
    return results_of(found);
  }

  std::shared_ptr<KernelStore> kernels() const override { return kernels_; }

 private:
  static std::vector<StoredResult> results_of(const std::vector<const Entry*>& entries) {
    std::vector<StoredResult> results;
    results.reserve(entries.size());
    for (const Entry* entry : entries) results.push_back(entry->result);
    return results;
  }

  // The caller holds the lock.
  template <typename Wanted>
  std::vector<const Entry*> best_of_each_key(const Wanted& wanted) const {
    std::vector<const Entry*> winners;
    for (const Entry& entry : entries_) {
      if (entry.result.measurement.outcome != Outcome::ok || !wanted(entry)) continue;
      const auto same_key = [&](const Entry* winner) { return winner->key == entry.key; };
      const auto incumbent = std::find_if(winners.begin(), winners.end(), same_key);
      if (incumbent == winners.end()) {
        winners.push_back(&entry);
      } else if (is_better(entry.result.measurement, (*incumbent)->result.measurement)) {
        *incumbent = &entry;
      }
    }
    return winners;
  }

  mutable std::mutex mutex_;
  std::vector<RunRecord> runs_;  // A run's id is its place, counted from 1.
  std::vector<Entry> entries_;   // Oldest first.
  const std::shared_ptr<KernelStore> kernels_ = std::make_shared<MemoryKernels>();
};

}  // namespace

std::unique_ptr<ConfigStore> make_memory_store() { return std::make_unique<MemoryStore>(); }

}  // namespace foldtune
