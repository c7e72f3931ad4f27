/// The method `rows`: a group of threads reads each row from its beginning to its end. Blocks that
/// share a row take its tiles in turn. Where a result is of several rows, blocks take these in
/// turn, and share each where there are more blocks than rows; or groups take the vectors, or the
/// elements, of all rows in turn.
#pragma once

#include "templates/axis/params.cuh"
#include "templates/axis/pieces.cuh"
#include "templates/axis/place.cuh"

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

/// The same where rows can be cut into pieces of `kWidth` elements: those of all rows of the result
/// are dealt in turn, whatever the length of a row. `load(r, piece)` gives a piece of row r.
template <class Op, int kWidth, class Index, AxisParams kParams, class Load>
FOLDTUNE_DEVICE typename Op::Accumulator fold_row_pieces(const AxisShape& shape, uint32 thread,
                                                         uint32 part, uint32 parts,
                                                         const Load& load) {
  const auto pieces = static_cast<Index>(shape.extents[3] / kWidth);  // of a row
  return fold_pieces<Op, kParams.unroll, kWidth, LoadedFrom::memory, Index>(
      static_cast<Index>(shape.extents[1] * pieces),
      static_cast<Index>(part * uint32{kParams.group} + thread),
      static_cast<Index>(parts * uint32{kParams.group}), [&](Index number) {
        const Quotient place = divide(number, pieces);
        return load(static_cast<int64>(place.quotient), place.remainder);
      });
}

/// Of elements with any stride between them.
template <class Op, class Index, AxisParams kParams, class... Ts>
FOLDTUNE_DEVICE typename Op::Accumulator fold_strided_row(TypeList<Ts...>,
                                                          const void* const* inputs,
                                                          const AxisShape& shape, int64 start,
                                                          uint32 thread, uint32 part,
                                                          uint32 parts) {
  return fold_row_pieces<Op, 1, Index, kParams>(
      shape, thread, part, parts, [&](int64 row, uint64 element) {
        return StridedSource<Ts...>::at(inputs, start + row * shape.strides[1], shape.strides[3])
            .load(element);
      });
}

/// Of rows that begin and end at vectors.
template <class Op, class Index, AxisParams kParams, class... Ts>
FOLDTUNE_DEVICE typename Op::Accumulator fold_rows_of_vectors(TypeList<Ts...>,
                                                              const void* const* inputs,
                                                              const AxisShape& shape, int64 start,
                                                              uint32 thread, uint32 part,
                                                              uint32 parts) {
  constexpr int kWidth = kParams.vector_width;
  return fold_row_pieces<Op, kWidth, Index, kParams>(
      shape, thread, part, parts, [&](int64 row, uint64 vector) {
        return RowSource<kWidth, true, Ts...>::at(inputs, start + row * shape.strides[1])
            .load(vector);
      });
}

}  // namespace foldtune
