/// A variant made launchable on one device. It is the object that is verified, timed, stored and
/// launched: the tuner and the runtime enqueue the same calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "runtime/device/device.h"
#include "templates/family.h"

namespace foldtune {

/// Move-only. `enqueue` may be called from several threads, with different scratch.
class Plan {
 public:
  /// Loads `compiled`, which was compiled from `make_program(variant)`. The device must outlive the
  /// plan.
  Plan(Device& device, const Variant& variant, const CompiledKernel& compiled);

  /// Blocks of the grid of the main kernel in a call of this shape.
  std::uint64_t grid_size(const Shape& shape) const;

  /// Bytes of scratch that a call of this shape needs, or 0: then it may be null. Scratch is zero
  /// before its first use; every completed call leaves it fit for the next one of this plan. Calls
  /// that may overlap need scratch of their own.
  std::size_t scratch_bytes(const Shape& shape) const { return launcher_->scratch_bytes(shape); }

  /// The same for any call whose extents are at most those of `most`.
  std::size_t max_scratch_bytes(const Shape& most) const {
    return launcher_->max_scratch_bytes(most);
  }

  /// Enqueues a call. Its shape is of the variant's bucket, or smaller; its addresses are of the
  /// variant's layout. Where it is several launches, they are enqueued under `together`,
  /// if that is not null: no other call with the scratch may come between them.
  void enqueue(const Call& call, void* scratch, Stream stream,
               std::mutex* together = nullptr) const;

  const Variant& variant() const { return variant_; }
  /// Of the main kernel; asks the device.
  KernelResources resources() const;

 private:
  // What every call reads comes first.
  std::unique_ptr<Kernel> kernel_;
  std::unique_ptr<Launcher> launcher_;
  Variant variant_;
};

}  // namespace foldtune
