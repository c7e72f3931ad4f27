/// The memory that variants are checked and timed on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/device/device.h"
#include "templates/family.h"

namespace foldtune {

/// Pseudo-random elements for all inputs of a problem, on the host and on the device. On a device
/// with an L2 it is large enough to read the device's memory bandwidth, and the last part of its
/// first input is left to flush the L2.
class InputPool {
 public:
  using Arguments = std::array<void*, Call::kMaxArguments>;

  /// Enough for `workload`, and for every workload of the same inputs that has no more elements.
  /// The device must outlive the pool. Throws OutOfMemory before any element is made.
  InputPool(Device& device, const Workload& workload, std::uint64_t seed);

  /// The bytes of all inputs of such a pool.
  static std::uint64_t bytes_for(const DeviceInfo& device, const Workload& workload);

  /// Whether the pool's elements are made for `workload`, and enough for it.
  bool serves(const Workload& workload) const;

  /// Whether two problems have the same inputs, whatever is done with them.
  static bool has_same_inputs(const Problem& a, const Problem& b);

  /// The number of each workload's group, counted from 0 in the order in which they begin: those of
  /// the same inputs are of one.
  static std::vector<std::size_t> groups(const std::vector<Workload>& workloads);

  /// The arguments of calls on disjoint inputs, of the workload's layout: device addresses of
  /// inputs and addresses of scalars; the output is null. A value type; cheap to ask, for timed
  /// loops do.
  class Slices {
   public:
    int count() const { return count_; }
    /// Of slice `i` modulo the count.
    Arguments at(int i) const {
      Arguments arguments = first_;
      const auto slice = static_cast<std::size_t>(i % count_);
      for (std::size_t k = 0; k < used_; ++k) {
        if (strides_[k] > 0) {
          arguments[k] = static_cast<std::byte*>(first_[k]) + strides_[k] * slice;
        }
      }
      return arguments;
    }

   private:
    friend class InputPool;
    Arguments first_{};
    std::array<std::size_t, Call::kMaxArguments> strides_{};  ///< bytes
    std::size_t used_ = 0;
    int count_ = 1;
    std::shared_ptr<const void> tables_;  ///< whose addresses they have
  };

  /// As many as fit beside the flush region; at least one. Host addresses of tables that follow the
  /// shape stay valid until those of two other shapes were asked for.
  Slices slices(const Workload& workload) const;

  /// What slice 0 holds, on the host.
  Arguments host_slice(const Workload& workload) const;

  /// All that is not the flush region, of the first input.
  void* body() const { return inputs_.empty() ? nullptr : inputs_.front().device.data(); }
  std::uint64_t body_bytes() const { return body_bytes_; }

  /// The region that no slice touches, four times the L2; empty where the device reports no L2.
  void* flush_region() const;
  std::uint64_t flush_bytes() const { return flush_bytes_; }

 private:
  struct Input {
    std::size_t place;  ///< among the arguments
    std::size_t element_bytes;
    bool is_table;
    std::uint64_t elements;  ///< for slices
    DeviceBuffer device;
    std::unique_ptr<std::byte[]> host;
  };

  /// Those that are made for one shape.
  struct Tables {
    Shape shape;
    std::vector<Input> inputs;
  };
  /// Makes them, if it is the first time. The pool keeps those of two shapes, and slices their own.
  std::shared_ptr<const Tables> tables_of(const Workload& workload) const;

  /// Those of slice 0, its inputs from element `offset` on.
  Arguments addresses(const Workload& workload, std::uint64_t offset, bool on_host) const;
  /// The least offset with which they are of the workload's layout.
  std::uint64_t offset(const Workload& workload) const;

  Device& device_;
  Workload workload_;
  std::uint64_t seed_;
  std::uint64_t body_bytes_ = 0;
  std::uint64_t flush_bytes_ = 0;
  std::vector<Input> inputs_;
  mutable std::mutex tables_mutex_;
  mutable std::list<std::shared_ptr<const Tables>> tables_;
};

}  // namespace foldtune
