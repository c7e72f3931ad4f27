/// Places in host memory that kernels write results to, while the host waits for them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <vector>

#include "runtime/device/device.h"

namespace foldtune {

/// Gives each waiting call a place of its own, and keeps it for the next one. May be used from
/// several threads.
class HostResults {
 public:
  /// `max_bytes` for each result, in words of `word_bytes`: 1, 2, 4 or 8. The device must outlive
  /// it.
  HostResults(Device& device, std::size_t max_bytes, std::size_t word_bytes)
      : device_(device), max_bytes_(max_bytes), word_bytes_(word_bytes) {}
  HostResults(const HostResults&) = delete;
  HostResults& operator=(const HostResults&) = delete;
  /// Waits for kernels that are about to end.
  ~HostResults() {
    for (void* const place : all_) device_.deallocate_host(place);
  }

  /// A place for a result of so many bytes, whose words hold a mark.
  void* take(std::size_t bytes) {
    void* const place = take_any();
    std::memset(place, kMark, bytes);
    return place;
  }

  /// Whether no word of the result holds the mark any more. Where a kernel stores each word once,
  /// the result is complete then. One in 256 results of one byte looks like the mark, and hardly
  /// any larger one.
  bool is_complete(void* place, std::size_t bytes) const noexcept {
    switch (word_bytes_) {
      case 1:
        return has_no_mark<std::uint8_t>(place, bytes);
      case 2:
        return has_no_mark<std::uint16_t>(place, bytes);
      case 4:
        return has_no_mark<std::uint32_t>(place, bytes);
      default:
        return has_no_mark<std::uint64_t>(place, bytes);
    }
  }

  /// Only what no kernel can write to any more.
  void give_back(void* place) noexcept {
    const std::lock_guard lock(mutex_);
    idle_.push_back(place);  // within its capacity
  }

 private:
  static constexpr unsigned char kMark = 0xa5;

  template <class Word>
  static bool has_no_mark(void* place, std::size_t bytes) noexcept {
    Word mark;
    std::memset(&mark, kMark, sizeof(mark));
    auto* const words = static_cast<Word*>(place);
    for (std::size_t i = 0; i < bytes / sizeof(Word); ++i) {
      if (std::atomic_ref<Word>(words[i]).load(std::memory_order_acquire) == mark) return false;
    }
    return true;
  }

  void* take_any() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      all_.reserve(all_.size() + 1);
      idle_.reserve(all_.size() + 1);  // for give_back
      idle_.push_back(all_.emplace_back(device_.allocate_host(max_bytes_)));
    }
    void* const place = idle_.back();
    idle_.pop_back();
    return place;
  }

  Device& device_;
  const std::size_t max_bytes_;
  const std::size_t word_bytes_;
  std::mutex mutex_;
  std::vector<void*> all_;
  std::vector<void*> idle_;
};

}  // namespace foldtune
