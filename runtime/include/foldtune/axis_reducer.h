/// A reduction along axes that is ready to be called.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <utility>

#include "foldtune/array_layout.h"
#include "foldtune/axis_reduction.h"
#include "foldtune/explanation.h"
#include "foldtune/export.h"
#include "foldtune/stream.h"

namespace foldtune {

/// Reduces arrays of any extents along any of their axes. A handle: copies share everything but the
/// promise of `with_inputs_ready`. It may be used when the context that made it is gone. Member
/// functions may be called from several threads.
///
/// Each call enqueues its work on `stream` and returns, with all that Reducer::operator() says of
/// memory, of the first call, of streams that are captured and of errors. Nothing is copied to be
/// put in order: slices, steps, transposed and broadcast arrays are read where they are. Each
/// result is that of a fold of its elements alone, with one NaN policy; what combines by order
/// combines in an order that depends on the shape and the configuration, and on nothing else.
class FOLDTUNE_API AxisReducer {
 public:
  /// Reduces the array `input` of this layout along `axes`, which are counted from the end if they
  /// are negative. No axes: each element is a row of its own. `output` takes the results in C order
  /// of the axes that are kept; it overlaps no input. Operators that find an element give its
  /// number along the axes in C order, the lowest of equal ones. Rows of no elements give the
  /// operator's identity, where it has one.
  ///
  /// Throws InvalidArgument for axes that there are not, arrays of more than 2^40 elements or
  /// results, an output within an input, and dimensions that cannot be merged into two that are
  /// kept and two that are reduced.
  void operator()(const void* input, const ArrayLayout& layout, std::initializer_list<int> axes,
                  void* output, Stream stream = nullptr) const {
    reduce({&input, 1}, layout, {axes.begin(), axes.size()}, output, stream);
  }

  /// The same of an operator of several inputs, arrays of the same layout.
  void operator()(std::initializer_list<const void*> inputs, const ArrayLayout& layout,
                  std::initializer_list<int> axes, void* output, Stream stream = nullptr) const {
    reduce({inputs.begin(), inputs.size()}, layout, {axes.begin(), axes.size()}, output, stream);
  }

  /// The same. `results` is the layout of the output, whose extents are those that are kept; null:
  /// in C order.
  void reduce(std::span<const void* const> inputs, const ArrayLayout& layout,
              std::span<const int> axes, void* output, Stream stream = nullptr,
              const ArrayLayout* results = nullptr) const;

  /// Does everything that the first such call on `stream` would do, except the launch. The inputs
  /// are not read. Throws what the call would throw.
  void prepare(std::span<const void* const> inputs, const ArrayLayout& layout,
               std::span<const int> axes, Stream stream = nullptr) const;

  /// As Reducer::with_inputs_ready().
  AxisReducer with_inputs_ready() const;

  /// As Reducer::explain(), of arrays at multiples of 16 bytes. Throws InvalidArgument as the call.
  Explanation explain(const ArrayLayout& layout, std::span<const int> axes) const;

  /// What is looked up for such calls, and tuned for them.
  Workload workload(const ArrayLayout& layout, std::span<const int> axes) const;

  /// What is computed of each row. Valid as long as a handle of the context, or the context.
  const Reduction& problem() const;

 private:
  friend class Context;
  class FOLDTUNE_LOCAL State;
  explicit AxisReducer(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
  bool inputs_ready_ = false;
};

}  // namespace foldtune
