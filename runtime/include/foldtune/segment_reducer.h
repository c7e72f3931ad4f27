/// A reduction of segments that is ready to be called.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "foldtune/explanation.h"
#include "foldtune/export.h"
#include "foldtune/segment_reduction.h"
#include "foldtune/stream.h"

namespace foldtune {

/// Reduces segments of arrays: the rows of a CSR matrix, the nodes' edges of a graph, the words of
/// texts. A handle: copies share everything but the promise of `with_inputs_ready`. It may be used
/// when the context that made it is gone. Member functions may be called from several threads.
///
/// Each call enqueues its work on `stream` and returns, with all that Reducer::operator() says of
/// memory, of the first call, of streams that are captured and of errors. Nothing is read back to
/// the host. The time follows the bytes, however the elements are spread over the segments.
class FOLDTUNE_API SegmentReducer {
 public:
  /// Reduces the elements from begins[i] up to ends[i] of each input, for each of `segments`
  /// segments, to output[i]. `begins` and `ends` are device memory, of the type that the problem
  /// says; of a list of `segments + 1` offsets they are the list, and the same from its second
  /// offset on. Segments may be empty, overlap, and be in any order. Each input has `elements`
  /// elements: of a segment, what lies outside is left out, and one that ends before it begins is
  /// empty. An empty segment gives the operator's identity, operators that find an element -1,
  /// means and variances NaN. The output overlaps no input.
  ///
  /// Throws InvalidArgument for another number of inputs than the operator's, and for more elements
  /// or segments than 2^40, or than offsets of i32 reach.
  void reduce(std::span<const void* const> inputs, std::uint64_t elements, const void* begins,
              const void* ends, std::uint64_t segments, void* output,
              Stream stream = nullptr) const;

  /// The same of one input, and of segments that follow one another: `offsets` has `segments + 1`.
  void operator()(const void* input, std::uint64_t elements, const void* offsets,
                  std::uint64_t segments, void* output, Stream stream = nullptr) const;

  /// Does everything that the first such call on `stream` would do, except the launch. The inputs
  /// are not read. Throws what the call would throw.
  void prepare(std::span<const void* const> inputs, std::uint64_t elements, std::uint64_t segments,
               Stream stream = nullptr) const;

  /// As Reducer::with_inputs_ready(); begins and ends are inputs, too.
  SegmentReducer with_inputs_ready() const;

  /// As Reducer::explain().
  Explanation explain(std::uint64_t elements, std::uint64_t segments) const;

  /// What is looked up for such calls, and tuned for them.
  Workload workload(std::uint64_t elements, std::uint64_t segments) const;

  /// What is computed of each segment. Valid as long as a handle of the context, or the context.
  const SegmentReduction& problem() const;

 private:
  friend class Context;
  class FOLDTUNE_LOCAL State;
  explicit SegmentReducer(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
  bool inputs_ready_ = false;
};

}  // namespace foldtune
