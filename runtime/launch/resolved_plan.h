/// What the calls of one bucket and layout need, resolved once.
#pragma once

#include <cstddef>

#include "runtime/launch/host_results.h"
#include "runtime/launch/plan.h"
#include "runtime/launch/stream_scratch.h"

namespace foldtune {

/// May be used from several threads. No extent of a call is larger than its of `max_shape()`.
class ResolvedPlan {
 public:
  /// Loads `compiled`, the program of `variant`, for every shape of the variant's bucket. The
  /// device must outlive it.
  ResolvedPlan(Device& device, const Variant& variant, const CompiledKernel& compiled);

  const Shape& max_shape() const { return max_shape_; }
  std::size_t scratch_bytes() const { return scratch_bytes_; }

  /// Enqueues a call with the stream's own scratch, if any is needed, which the first call makes;
  /// while the stream is being captured, with scratch of the call's own, which the graph keeps.
  void enqueue(const Call& call, Stream stream);

  /// The same with an output of the plan's; waits until the stream's work is complete, or until
  /// every word of the output is there, and copies it to `result`. Throws what is wrong with the
  /// stream's earlier work, too.
  void call_and_wait(Call call, void* result, Stream stream);

  /// Makes the stream's scratch. Nothing, while the stream is being captured.
  void prepare(Stream stream);

  /// Enqueues a call with scratch of the caller's, who keeps other calls away from it.
  void enqueue(const Call& call, void* scratch, Stream stream) const {
    plan_.enqueue(call, scratch, stream);
  }

 private:
  std::size_t output_bytes(const Shape& shape) const;
  void enqueue_and_copy(const Call& call, Stream stream);
  void enqueue_captured(const Call& call, Stream stream) const;

  Device& device_;
  const Plan plan_;
  const Shape max_shape_;
  const std::size_t scratch_bytes_;
  const std::size_t output_place_;
  const Argument output_;
  const bool stores_result_once_;
  ScratchOfStreams scratch_;
  ScratchOfStreams outputs_;  ///< of calls that are waited for and do not store their result once
  /// Goes first, for it waits until kernels whose results were seen have ended.
  HostResults results_;
};

/// Throws InvalidArgument if the stream is being captured: then nothing can be compiled for a call
/// of `workload`.
void refuse_in_capture(const Device& device, const Workload& workload, Stream stream);

}  // namespace foldtune
