/// Which worker tunes which problem of a list.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace foldtune {

/// Deals the numbers below `size` to workers, in ascending order. Each worker's next one is known
/// while it is busy with one, so that things can be made ready for it. Thread-safe.
class WorkQueue {
 public:
  WorkQueue(std::size_t size, std::size_t workers) : size_(size), next_(workers) {}

  /// What the worker is to do now: what was its next one, or, where nothing else is left, another
  /// worker's. Empty if nothing is left.
  std::optional<std::size_t> take(std::size_t worker) {
    const std::lock_guard lock(mutex_);
    std::optional<std::size_t> taken = next_[worker] ? next_[worker] : deal();
    next_[worker].reset();
    if (!taken) return steal();
    next_[worker] = deal();
    return taken;
  }

  /// What `take` will give the worker, if no other one takes it.
  std::optional<std::size_t> next(std::size_t worker) const {
    const std::lock_guard lock(mutex_);
    return next_[worker];
  }

  /// The first number that is nobody's yet; the size if there is none.
  std::size_t undealt() const {
    const std::lock_guard lock(mutex_);
    return dealt_;
  }

 private:
  std::optional<std::size_t> deal() {
    return dealt_ < size_ ? std::optional(dealt_++) : std::nullopt;
  }

  std::optional<std::size_t> steal() {
    for (std::optional<std::size_t>& other : next_) {
      if (other) return std::exchange(other, std::nullopt);
    }
    return std::nullopt;
  }

  const std::size_t size_;
  mutable std::mutex mutex_;
  std::size_t dealt_ = 0;
  std::vector<std::optional<std::size_t>> next_;  ///< by worker
};

}  // namespace foldtune
