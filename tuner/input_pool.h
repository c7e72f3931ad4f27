/// The memory that variants are checked and timed on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "foldtune/problem.h"
#include "runtime/device.h"

namespace foldtune {

/// Pseudo-random elements of one type, on the host and on the device. On a device with an L2 it is
/// large enough to read the device's memory bandwidth, and its last part is left to flush the L2.
class InputPool {
 public:
  /// Enough for inputs of `count` elements. The device must outlive the pool.
  InputPool(Device& device, ElementType type, std::uint64_t count, std::uint64_t seed);

  ElementType type() const { return type_; }
  std::uint64_t capacity() const { return slice_bytes_ / size_of(type_); }

  /// Disjoint inputs for the problem that fit beside the flush region; at least one.
  int slice_count(const Problem& problem) const;

  /// Device address of input number `slice` (modulo the count), of the problem's alignment class.
  const void* slice(const Problem& problem, int slice) const;

  /// What slice 0 holds.
  const void* host_slice(const Problem& problem) const;

  /// The region that no slice touches, four times the L2; empty where the device reports no L2.
  const void* flush_region() const;
  std::uint64_t flush_count() const { return flush_bytes_ / size_of(type_); }

 private:
  std::uint64_t stride(const Problem& problem) const;
  std::uint64_t offset(const Problem& problem) const;

  ElementType type_;
  std::uint64_t slice_bytes_;  ///< for slices, from the start
  std::uint64_t flush_bytes_;  ///< behind them
  std::vector<std::byte> host_;
  DeviceBuffer device_;
};

}  // namespace foldtune
