/// The methods `strips` and `lines`: threads side by side across columns.
///
/// `strips`: a block has `width` threads across, each for `vector_width` columns, and `group` of
/// these one below the other, which take lines in turn. Where lines begin at vectors, a thread's
/// columns are neighbours; else they are `width` apart, and are loaded one by one:
///
///     line 0      thread 0 0 0 0   1 1 1 1 ... 31 31 31 31  |  the next strip
///     line 1      thread 32 ...
///
///     line 0      thread 0 1 2 ... 31   0 1 2 ... 31   0 1 2 ... 31   0 1 2 ... 31  |  the next
///
/// `lines`: a block reads lines one after another as if they were one run. Its threads are as many
/// as fill a number of lines, so that each comes back to its columns:
///
///     3 columns   thread 0 0 0 0 1 1 1 1 2 2 2 2 3 ...
///     column             0 1 2 0 1 2 0 1 2 0 1 2 0 ...
#pragma once

#include "templates/axis/lines.cuh"
#include "templates/axis/meeting.cuh"
#include "templates/axis/params.cuh"
#include "templates/axis/place.cuh"

namespace foldtune {

/// Single elements of several columns in one line.
template <int kWidth, class... Ts>
struct ScatteredLine {
  Row<1, Ts...> elements[kWidth];
};
template <int kWidth, class... Ts>
FOLDTUNE_DEVICE Row<1, Ts...> element_of(const ScatteredLine<kWidth, Ts...>& line, int i) {
  return line.elements[i];
}

/// The columns of a strip that thread `x` across has: column j is the strip's number `at(j)`.
template <AxisLayout kLayout, AxisParams kParams>
struct StripColumns {
  static constexpr uint32 kVector = kParams.vector_width;
  static constexpr uint32 kCount = kParams.width * kVector;  ///< of the strip
  static constexpr bool kAreNeighbours = kLayout == AxisLayout::vector;

  uint32 x;

  FOLDTUNE_DEVICE uint32 at(uint32 j) const {
    return kAreNeighbours ? x * kVector + j : x + j * uint32{kParams.width};
  }
};

/// The totals of a thread's columns, those of the strip of slab `k` that begins at column `strip`,
/// in its share of the lines: it is in line `y` of the `height` lines of threads that take lines in
/// turn.
template <class Op, class Index, AxisLayout kLayout, AxisParams kParams, class... Ts>
FOLDTUNE_DEVICE void fold_strip(TypeList<Ts...>, const void* const* inputs, const AxisShape& shape,
                                uint64 k, uint64 strip, StripColumns<kLayout, kParams> columns,
                                Index y, Index height,
                                typename Op::Accumulator (&totals)[kParams.vector_width]) {
  constexpr int kWidth = kParams.vector_width;
  const auto lines = static_cast<Index>(shape.extents[1]);
  const uint64 first = strip + columns.at(0);
  const bool has_columns = first < shape.extents[2];
  const Index count = has_columns ? turns_of(y, lines, height) : 0;
  const int64 line = static_cast<int64>(y) * shape.strides[1];
  const int64 step = static_cast<int64>(height) * shape.strides[1];
  Index numbers[kWidth];
  FOLDTUNE_UNROLL
  for (Index& number : numbers) number = y;
  if constexpr (columns.kAreNeighbours || kWidth == 1) {
    const int64 start = input_offset(shape, k, first) + line;
    fold_columns<Op, kParams.unroll>(totals, count, numbers, height, [&](Index i) {
      return RowSource<kWidth, true, Ts...>::at(inputs, start + static_cast<int64>(i) * step)
          .load(0u);
    });
  } else {
    // The last column in the place of those that there are not.
    int64 starts[kWidth];
    FOLDTUNE_UNROLL
    for (int j = 0; j < kWidth; ++j) {
      const uint64 column = strip + columns.at(j);
      starts[j] =
          input_offset(shape, k, column < shape.extents[2] ? column : shape.extents[2] - 1) + line;
    }
    fold_columns<Op, kParams.unroll>(totals, count, numbers, height, [&](Index i) {
      ScatteredLine<kWidth, Ts...> scattered;
      FOLDTUNE_UNROLL
      for (int j = 0; j < kWidth; ++j) {
        scattered.elements[j] =
            RowSource<1, true, Ts...>::at(inputs, starts[j] + static_cast<int64>(i) * step)
                .load(0u);
      }
      return scattered;
    });
  }
}

/// How `lines` deals a slab of lines to threads.
struct LineDeal {
  uint32 threads;  ///< those of a block that take part
  uint32 lines;    ///< lines that they read at a time
};

/// The fewest vectors that end where a line does.
FOLDTUNE_DEVICE uint32 vectors_of_whole_lines(uint32 columns, uint32 width) {
  uint32 common = width;  // a power of two
  while (columns % common != 0) common /= 2;
  return columns / common;
}

template <uint32 kBlockSize, uint32 kWidth>
FOLDTUNE_DEVICE LineDeal deal_lines(uint32 columns) {
  const uint32 vectors = vectors_of_whole_lines(columns, kWidth);
  const uint32 threads = kBlockSize / vectors * vectors;
  return {threads, threads * kWidth / columns};
}

/// The totals of a thread's elements of slab `k`; the threads of a block read `deal.lines` lines at
/// a time, and those of `parts` blocks take turns.
template <class Op, class Index, AxisParams kParams, class T, class... Rest>
FOLDTUNE_DEVICE void fold_whole_lines(TypeList<T, Rest...>, const void* const* inputs,
                                      const AxisShape& shape, uint64 k, const LineDeal& deal,
                                      uint32 part, uint32 parts,
                                      typename Op::Accumulator (&totals)[kParams.vector_width]) {
  constexpr uint32 kWidth = kParams.vector_width;
  const uint32 thread = platform::thread_index();
  const auto columns = static_cast<uint32>(shape.extents[2]);
  const uint64 elements = shape.extents[1] * columns;
  const uint64 turn = uint64{deal.lines} * columns;  // elements of a block's turn
  const uint64 first = part * turn + uint64{thread} * kWidth;
  const uint64 step = parts * turn;
  const bool takes_part = thread < deal.threads;
  // Whole vectors of this thread, and what is left of one at the end of the slab.
  const Index count = takes_part && first + kWidth <= elements
                          ? static_cast<Index>((elements - first - kWidth) / step + 1)
                          : 0;
  const auto number_step = static_cast<Index>(parts * Index{deal.lines});
  Index numbers[kWidth];
  uint32 line = thread * kWidth / columns;
  uint32 column = thread * kWidth - line * columns;
  FOLDTUNE_UNROLL
  for (Index& number : numbers) {
    number = static_cast<Index>(part * Index{deal.lines} + line);
    if (++column == columns) {
      column = 0;
      ++line;
    }
  }
  const int64 start = input_offset(shape, k, 0) + static_cast<int64>(first);
  const auto source = RowSource<kWidth, false, T, Rest...>::at(inputs, start);
  const uint64 vector_step = step / kWidth;
  fold_columns<Op, kParams.unroll>(totals, count, numbers, number_step, [&](Index i) {
    return source.load(static_cast<uint64>(i) * vector_step);
  });
  if constexpr (kWidth > 1) {
    const uint64 last = first + count * step;
    if (!takes_part || last >= elements) return;
    const auto rest = RowSource<1, true, T, Rest...>::at(
        inputs, input_offset(shape, k, 0) + static_cast<int64>(last));
    FOLDTUNE_UNROLL
    for (uint32 j = 0; j + 1 < kWidth; ++j) {
      if (last + j < elements) {
        totals[j] = Op::combine(
            totals[j],
            fold_row<Op, 0, 1>(rest.load(j), static_cast<Index>(numbers[j] + count * number_step)));
      }
    }
  }
}

}  // namespace foldtune
