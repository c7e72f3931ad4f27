/// The memory that variants are checked and timed on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "foldtune/problem.h"
#include "runtime/device/device.h"
#include "runtime/launch/plan.h"

namespace foldtune {

/// Pseudo-random elements for all inputs of a problem, on the host and on the device. On a device
/// with an L2 it is large enough to read the device's memory bandwidth, and the last part of its
/// first input is left to flush the L2.
class InputPool {
 public:
  using Pointers = std::array<const void*, kMaxInputs>;

  /// Enough for `problem`, and for every problem of the same elements that has no more of them. The
  /// device must outlive the pool. Throws OutOfMemory before any element is made.
  InputPool(Device& device, const Problem& problem, std::uint64_t seed);

  /// The bytes of all inputs of such a pool.
  static std::uint64_t bytes_for(const DeviceInfo& device, const Problem& problem);

  /// Whether the pool's elements are made for `problem`, and enough for it.
  bool serves(const Problem& problem) const;

  /// Whether the inputs of two problems have the same elements, whatever is done with them.
  static bool same_elements(const Problem& a, const Problem& b);

  /// The number of each problem's group, counted from 0 in the order in which they begin: problems
  /// of the same elements are of one.
  static std::vector<std::size_t> groups(const std::vector<Problem>& problems);

  /// Disjoint inputs for the problem that fit beside the flush region; at least one.
  int slice_count(const Problem& problem) const;

  /// Device addresses of the inputs number `slice` (modulo the count), of the problem's alignment
  /// class.
  Pointers slice(const Problem& problem, int slice) const;

  /// What slice 0 holds.
  Pointers host_slice(const Problem& problem) const;

  /// All that is not the flush region, of the first input.
  const void* body() const { return inputs_.front().device.data(); }
  std::uint64_t body_bytes() const { return body_bytes_; }

  /// The region that no slice touches, four times the L2; empty where the device reports no L2.
  const void* flush_region() const;
  std::uint64_t flush_bytes() const { return flush_bytes_; }

 private:
  struct Input {
    ElementType type;
    DeviceBuffer device;
    std::unique_ptr<std::byte[]> host;
  };

  std::uint64_t stride(const Problem& problem) const;  ///< elements between two slices
  std::uint64_t offset(const Problem& problem) const;  ///< elements before a slice's first

  Problem problem_;
  std::uint64_t slice_elements_ = 0;  ///< of each input, for slices
  std::uint64_t body_bytes_ = 0;
  std::uint64_t flush_bytes_ = 0;
  std::vector<Input> inputs_;
};

}  // namespace foldtune
