/// What the calls of one size class and alignment class need, resolved once.
#pragma once

#include <cstdint>
#include <functional>

#include "runtime/launch/plan.h"
#include "runtime/launch/stream_scratch.h"

namespace foldtune {

/// May be used from several threads. Calls have at most `max_count()` elements.
class ResolvedPlan {
 public:
  /// Loads `compiled`, the program of `variant`, for every count of the variant's size class. The
  /// device must outlive it.
  ResolvedPlan(Device& device, const Variant& variant, const CompiledKernel& compiled);

  std::uint64_t max_count() const { return max_count_; }
  std::size_t scratch_bytes() const { return scratch_bytes_; }

  /// Enqueues a call with the stream's own scratch, if any is needed, which the first call makes;
  /// while the stream is being captured, with scratch of the call's own, which the graph keeps.
  void enqueue(const Call& call, Stream stream);

  /// The same, and waits until the stream's work is complete, or until `is_there` sees every word
  /// of the result. The output is memory of `Device::allocate_host`. Throws what is wrong with the
  /// stream's earlier work, too.
  void call_and_wait(const Call& call, Stream stream, const std::function<bool()>& is_there);

  /// Makes the stream's scratch. Nothing, while the stream is being captured.
  void prepare(Stream stream);

  /// Enqueues a call with scratch of the caller's, who keeps other calls away from it.
  void enqueue(const Call& call, void* scratch, Stream stream) const {
    plan_.enqueue(call, scratch, stream);
  }

 private:
  void enqueue_and_copy(const Call& call, Stream stream);
  void enqueue_captured(const Call& call, Stream stream) const;

  Device& device_;
  const Plan plan_;
  const std::uint64_t max_count_;
  const std::size_t scratch_bytes_;
  const bool stores_result_once_;
  ScratchOfStreams scratch_;
  ScratchOfStreams outputs_;  ///< of calls that are waited for and do not store their result once
};

/// Throws InvalidArgument if the stream is being captured: then nothing can be compiled for a call
/// of `problem`.
void refuse_in_capture(const Device& device, const Problem& problem, Stream stream);

}  // namespace foldtune
