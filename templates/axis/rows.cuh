/// The method `rows`: a group of threads reads each row from its beginning to its end. Blocks that
/// share a row take its tiles in turn; where a result is of several rows, they take these in turn.
#pragma once

#include "templates/axis/lines.cuh"
#include "templates/axis/params.cuh"
#include "templates/axis/place.cuh"

namespace foldtune {

/// A thread's share of a result, whose first row begins at element `start` of the inputs.
template <class Op, class Inputs, class Index, AxisLayout kLayout, AxisParams kParams>
struct RowWalk {
  using Elements = Run<Inputs, Index,
                       RunParams{.threads = kParams.group,
                                 .vector_width = kParams.vector_width,
                                 .unroll = kParams.unroll,
                                 .is_aligned = kLayout == AxisLayout::vector,
                                 .is_split = false}>;

  const void* const* inputs;
  const AxisShape& shape;
  int64 start;
  uint32 thread;
  uint32 part;
  uint32 parts;

  template <class F>
  FOLDTUNE_DEVICE typename F::Accumulator fold() const {
    typename F::Accumulator total = F::identity();
    visit(
        [&](const Elements& row, Index number) { total = row.template add_to<F>(total, number); });
    return total;
  }
  template <class F>
  FOLDTUNE_DEVICE typename F::Accumulator fold_each() const {
    typename F::Accumulator total = F::identity();
    visit([&](const Elements& row, Index number) {
      total = row.template add_each_to<F>(total, number);
    });
    return total;
  }

 private:
  template <class Visit>
  FOLDTUNE_DEVICE void visit(const Visit& visit) const {
    const auto count = static_cast<Index>(shape.extents[3]);
    if (shape.extents[1] == 1) {
      visit(Elements{inputs, start, count, {thread, part, parts}}, Index{0});
      return;
    }
    for (uint64 r = part; r < shape.extents[1]; r += parts) {
      visit(
          Elements{inputs, start + static_cast<int64>(r) * shape.strides[1], count, {thread, 0, 1}},
          static_cast<Index>(r) * count);
    }
  }
};

/// The same of elements with any stride between them.
template <class Op, class Index, AxisParams kParams, class... Ts>
FOLDTUNE_DEVICE typename Op::Accumulator fold_strided_row(TypeList<Ts...>,
                                                          const void* const* inputs,
                                                          const AxisShape& shape, int64 start,
                                                          uint32 thread, uint32 part,
                                                          uint32 parts) {
  using A = typename Op::Accumulator;
  // As one run: element i is number i % extents[3] of row i / extents[3].
  const auto length = static_cast<Index>(shape.extents[3]);
  const auto total_count = static_cast<Index>(shape.extents[1] * shape.extents[3]);
  const Index first = part * Index{kParams.group} + thread;
  const Index step = parts * Index{kParams.group};
  const Index count = first < total_count ? (total_count - first + step - 1) / step : 0;
  const Index numbers[1] = {first};
  A totals[1];
  fold_columns<Op, kParams.unroll>(totals, count, numbers, step, [&](Index i) {
    const Index number = first + i * step;
    const Quotient place = divide(number, length);
    return StridedSource<Ts...>::at(inputs,
                                    start + static_cast<int64>(place.quotient) * shape.strides[1],
                                    shape.strides[3])
        .load(place.remainder);
  });
  return totals[0];
}

}  // namespace foldtune
