/// Places in host memory that kernels write results to, while the host waits for them.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "runtime/device.h"

namespace foldtune {

/// Gives each waiting call a place of its own, and keeps it for the next one. May be used from
/// several threads.
class HostResults {
 public:
  /// `bytes` for each result. The device must outlive it.
  HostResults(Device& device, std::size_t bytes) : device_(device), bytes_(bytes) {}
  HostResults(const HostResults&) = delete;
  HostResults& operator=(const HostResults&) = delete;
  ~HostResults() {
    for (void* const place : all_) device_.deallocate_host(place);
  }

  std::size_t bytes() const { return bytes_; }

  void* take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      all_.reserve(all_.size() + 1);
      idle_.reserve(all_.size() + 1);  // for give_back
      idle_.push_back(all_.emplace_back(device_.allocate_host(bytes_)));
    }
    void* const place = idle_.back();
    idle_.pop_back();
    return place;
  }

  /// Only what no kernel can write to any more.
  void give_back(void* place) noexcept {
    const std::lock_guard lock(mutex_);
    idle_.push_back(place);  // within its capacity
  }

 private:
  Device& device_;
  const std::size_t bytes_;
  std::mutex mutex_;
  std::vector<void*> all_;
  std::vector<void*> idle_;
};

}  // namespace foldtune
