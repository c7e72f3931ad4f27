/// The method `rows`: a group of threads reads each row from its beginning to its end. Blocks that
/// share a row take its tiles in turn. Where a result is of several rows, blocks take these in
/// turn, and share each where there are more blocks than rows; or groups take the vectors, or the
/// elements, of all rows in turn.
#pragma once

#include "templates/axis/params.cuh"
#include "templates/axis/place.cuh"
#include "templates/fold/pieces.cuh"

namespace foldtune {

/// A thread's share of a result, whose first row begins at element `start` of the inputs.
template <class Op, class Inputs, class Index, AxisLayout kLayout, ResultRows kRows,
          AxisParams kParams>
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
    const uint64 rows = shape.extents[1];
    const auto length = static_cast<Index>(shape.extents[3]);
    if constexpr (kRows == ResultRows::one) {
      const auto count = static_cast<Index>(rows * length);  // without elements there is no row
      visit(Elements{inputs, start, count, {thread, part, parts}}, Index{0});
    } else {
      TeamPlace place{thread, 0, 1};
      uint64 row = part;
      if (rows < parts && rows > 0) {
        const auto sharers = static_cast<uint32>(rows);  // of the blocks
        row = part % sharers;
        place.part = part / sharers;
        place.parts = turns_of(static_cast<uint32>(row), parts, sharers);
      }
      for (; row < rows; row += parts) {
        visit(Elements{inputs, start + static_cast<int64>(row) * shape.strides[1], length, place},
              static_cast<Index>(row) * length);
      }
    }
  }
};

/// The same of rows that are joined: their vectors, or their elements where these have any stride
/// between them, are dealt in turn, whatever the length of a row.
template <class Op, class Index, AxisLayout kLayout, AxisParams kParams, class... Ts>
FOLDTUNE_DEVICE typename Op::Accumulator fold_joined_rows(TypeList<Ts...>,
                                                          const void* const* inputs,
                                                          const AxisShape& shape, int64 start,
                                                          uint32 thread, uint32 part,
                                                          uint32 parts) {
  constexpr bool kIsStrided = kLayout == AxisLayout::strided;
  constexpr int kWidth = kIsStrided ? 1 : kParams.vector_width;
  const auto pieces = static_cast<Index>(shape.extents[3] / kWidth);  // of a row
  return fold_pieces<Op, kParams.unroll, kWidth, LoadedFrom::memory, Index>(
      static_cast<Index>(shape.extents[1] * pieces),
      static_cast<Index>(part * uint32{kParams.group} + thread),
      static_cast<Index>(parts * uint32{kParams.group}), [&](Index number) {
        const Quotient place = divide(number, pieces);
        const int64 row = start + static_cast<int64>(place.quotient) * shape.strides[1];
        if constexpr (kIsStrided) {
          return StridedSource<Ts...>::at(inputs, row, shape.strides[3]).load(place.remainder);
        } else {
          return RowSource<kWidth, true, Ts...>::at(inputs, row).load(place.remainder);
        }
      });
}

}  // namespace foldtune
