/// Which worker tunes which problem of a list.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace foldtune {

/// Deals items to workers. Items of one group share what a worker has to make for them, so a worker
/// stays with its group while that lasts, and then takes one that no other is at, as far as there
/// is one. Within a group items go in ascending order. Each worker's next one is known while it is
/// busy with one, so that things can be made ready for it. Thread-safe.
class WorkQueue {
 public:
  /// `groups` has the group of each item: any numbers.
  WorkQueue(std::vector<std::size_t> groups, std::size_t workers)
      : groups_(std::move(groups)), is_dealt_(groups_.size()), next_(workers), at_(workers) {}

  /// What the worker is to do now: what was its next one, or, where nothing else is left, another
  /// worker's. Empty if nothing is left.
  std::optional<std::size_t> take(std::size_t worker) {
    const std::lock_guard lock(mutex_);
    std::optional<std::size_t> taken = next_[worker] ? next_[worker] : deal(worker);
    next_[worker].reset();
    if (!taken) return steal();
    next_[worker] = deal(worker);
    return taken;
  }

  /// What `take` will give the worker, if no other one takes it.
  std::optional<std::size_t> next(std::size_t worker) const {
    const std::lock_guard lock(mutex_);
    return next_[worker];
  }

  /// The first items that are nobody's yet, and that the worker would get if it were alone; `most`
  /// of them at most.
  std::vector<std::size_t> coming(std::size_t worker, std::size_t most) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::size_t> items;
    for (const bool is_of_group : {true, false}) {
      for (std::size_t item = 0; item < groups_.size() && items.size() < most; ++item) {
        const bool is_there = at_[worker] && groups_[item] == *at_[worker];
        if (!is_dealt_[item] && is_there == is_of_group) items.push_back(item);
      }
    }
    return items;
  }

 private:
  std::optional<std::size_t> deal(std::size_t worker) {
    std::optional<std::size_t> best;
    for (std::size_t item = 0; item < groups_.size(); ++item) {
      if (is_dealt_[item]) continue;
      if (!best || workers_at(item, worker) < workers_at(*best, worker)) best = item;
      if (at_[worker] && groups_[item] == *at_[worker]) {
        best = item;
        break;
      }
    }
    if (!best) return std::nullopt;
    is_dealt_[*best] = true;
    at_[worker] = groups_[*best];
    return best;
  }

  /// How many other workers are at the group of an item.
  std::size_t workers_at(std::size_t item, std::size_t worker) const {
    std::size_t count = 0;
    for (std::size_t other = 0; other < at_.size(); ++other) {
      if (other != worker && at_[other] && *at_[other] == groups_[item]) ++count;
    }
    return count;
  }

  std::optional<std::size_t> steal() {
    for (std::optional<std::size_t>& other : next_) {
      if (other) return std::exchange(other, std::nullopt);
    }
    return std::nullopt;
  }

  const std::vector<std::size_t> groups_;
  mutable std::mutex mutex_;
  std::vector<bool> is_dealt_;                    ///< by item
  std::vector<std::optional<std::size_t>> next_;  ///< by worker
  std::vector<std::optional<std::size_t>> at_;    ///< by worker: the group of what it got last
};

}  // namespace foldtune
