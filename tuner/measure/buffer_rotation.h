/// Where the calls of a sample put their scratch and their results.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/device/device.h"

namespace foldtune {

/// Device memory for the same purpose in several places. Which part of the L2 an address belongs to
/// makes calls of a few microseconds up to 6 % faster or slower (H200), and no caller can choose
/// it: what is timed in one place alone is luck.
class BufferRotation {
 public:
  BufferRotation() = default;

  /// BufferRotation of `bytes` bytes, filled with zeros: as many as a small amount of memory holds.
  /// None is needed, and all addresses are null, for 0 bytes. Throws OutOfMemory.
  BufferRotation(Device& device, std::size_t bytes)
      : stride_(stride(bytes)),
        count_(bytes == 0 ? 1 : std::clamp<std::size_t>(kMostBytes / stride_, 1, kMostAreas)),
        memory_(device, bytes == 0 ? 0 : (count_ - 1) * stride_ + bytes) {}

  int count() const { return static_cast<int>(count_); }

  void* at(int area) const {
    if (memory_.data() == nullptr) return nullptr;
    return static_cast<std::byte*>(memory_.data()) + static_cast<std::size_t>(area) * stride_;
  }

 private:
  static constexpr std::size_t kMostAreas = 16;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;

  /// Addresses of the same kilobyte share their place in the L2. An odd number of them, and some
  /// more than the bytes take, so that the areas differ in many bits of their addresses.
  static std::size_t stride(std::size_t bytes) {
    constexpr std::size_t kPlace = 1024;
    constexpr std::size_t kGap = 4;
    return (((bytes + kPlace - 1) / kPlace + kGap) | 1) * kPlace;
  }

  std::size_t stride_ = 0;
  std::size_t count_ = 1;
  DeviceBuffer memory_;
};

}  // namespace foldtune
