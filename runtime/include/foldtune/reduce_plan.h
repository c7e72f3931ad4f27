/// A reduction of counts of one size, with everything resolved: the cheapest call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>

#include "foldtune/export.h"
#include "foldtune/reducer.h"
#include "foldtune/stream.h"

namespace foldtune {

class ResolvedPlan;
struct Call;

/// What `Reducer::plan` gives: the configuration of one size class and one alignment, compiled and
/// loaded. A call is one launch (two with the final stages `atomic` and `two_pass`): no look-up, no
/// lock, no allocation, but on the first call on a stream and in captures. A handle: copies share
/// everything but the scratch of `with_scratch`. It may be used when reducer and context are gone.
/// Calls may come from several threads.
class FOLDTUNE_API ReducePlan {
 public:
  /// As Reducer::operator(), with `count` up to `max_count()`, and inputs of the plan's alignment:
  /// more, or an input that is less aligned, is an InvalidArgument before anything is launched.
  void operator()(const void* input, std::uint64_t count, void* output,
                  Stream stream = nullptr) const;
  /// The same for an operator of several inputs.
  void operator()(std::initializer_list<const void*> inputs, std::uint64_t count, void* output,
                  Stream stream = nullptr) const;

  /// The most elements of a call: those of the size class, 2^(k/4).
  std::uint64_t max_count() const;

  /// Bytes of device memory that a call of any count needs beside input and output. 0 where one
  /// block does it all, or atomics do.
  std::size_t scratch_bytes() const;

  /// A handle whose calls use the caller's scratch, so that they allocate nothing, on no stream.
  /// `scratch` is memory of the context's device, `bytes` at least `scratch_bytes()`, aligned to
  /// 128. The caller zeroes it once, before the first call; every call that completes leaves it fit
  /// for the next one of this plan, and for no other plan. Calls with the same scratch must not
  /// overlap: they are on one stream, enqueued by one thread at a time, and a graph that holds one
  /// counts as a call. After a kernel that was aborted it has to be zeroed again. Throws
  /// InvalidArgument if it is too small or misaligned. A plan that needs none takes any, null too.
  ReducePlan with_scratch(void* scratch, std::size_t bytes) const;

 private:
  friend class Reducer;
  ReducePlan(std::shared_ptr<Reducer::State> state, ResolvedPlan& resolved, Alignment alignment,
             bool inputs_ready)
      : state_(std::move(state)),
        resolved_(&resolved),
        alignment_(alignment),
        inputs_ready_(inputs_ready) {}
  void enqueue(const Call& call, std::size_t inputs, Stream stream) const;

  std::shared_ptr<Reducer::State> state_;
  ResolvedPlan* resolved_;   // The state's.
  void* scratch_ = nullptr;  // Null: the plan has its own.
  Alignment alignment_;
  bool inputs_ready_;
};

}  // namespace foldtune
