/// A variant made launchable on one device. It is the object that is verified, timed, stored and
/// launched: the tuner and the runtime enqueue the same calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "runtime/device/device.h"
#include "runtime/launch/call.h"
#include "runtime/launch/reduce_launch.h"
#include "runtime/launch/variant.h"

namespace foldtune {

/// Move-only. `enqueue` may be called from several threads, with different scratch.
class Plan {
 public:
  /// Loads `compiled`, which was compiled from `make_program(variant)`. The device must outlive the
  /// plan.
  Plan(Device& device, const Variant& variant, const CompiledKernel& compiled);

  /// Blocks of the grid for `count` elements.
  std::uint32_t grid_size(std::uint64_t count) const;

  /// Bytes of scratch that a call on `count` elements needs, or 0: then it may be null. Scratch is
  /// zero before its first use; every completed call leaves it fit for the next one of this plan.
  /// Calls that may overlap need scratch of their own.
  std::size_t scratch_bytes(std::uint64_t count) const;

  /// The same for any call on at most `most` elements.
  std::size_t most_scratch_bytes(std::uint64_t most) const;

  /// Whether a call is two launches of which the second reads what the first leaves in the scratch,
  /// so that no other call with that scratch may be enqueued between them.
  bool needs_two_launches() const;

  /// Enqueues a call. Its count is of the variant's size class, or smaller; its inputs are of the
  /// variant's alignment class.
  void enqueue(const Call& call, void* scratch, Stream stream) const;

  const Variant& variant() const { return variant_; }
  /// Of the main kernel; asks the device.
  KernelResources resources() const;

 private:
  // What every call reads comes first.
  std::unique_ptr<Kernel> kernel_;
  std::optional<ReduceLaunch> reduce_;  ///< empty: a histogram
  int multiprocessor_count_ = 1;
  Variant variant_;
};

}  // namespace foldtune
