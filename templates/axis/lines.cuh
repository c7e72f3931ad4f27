/// Folds of elements that are a step apart, several columns of them at a time.
#pragma once

#include "templates/fold/pieces.cuh"

namespace foldtune {

/// The totals of a thread's columns. Element j of the first line has number `numbers[j]` in its
/// fold, and each line's is `step` above that of the line before.
template <class F, class Index, int kWidth>
struct ColumnTotals {
  typename F::Accumulator (&totals)[kWidth];
  const Index (&numbers)[kWidth];
  Index step;

  /// Lines from number `first` on, whose elements have numbers above those of the totals.
  template <int kCount, class Line>
  FOLDTUNE_DEVICE void add(const Line* lines, Index first) {
    FOLDTUNE_UNROLL
    for (int j = 0; j < kWidth; ++j) {
      ElementOf<Line> column[kCount];
      take_column(lines, j, column);
      totals[j] = add_tile<F, true, kCount, 1>(totals[j], column, number(j, first), step);
    }
  }
  /// The first `valid` of them.
  template <int kCount, class Line>
  FOLDTUNE_DEVICE void add_valid(const Line* lines, Index first, int32 valid) {
    FOLDTUNE_UNROLL
    for (int j = 0; j < kWidth; ++j) {
      ElementOf<Line> column[kCount];
      take_column(lines, j, column);
      totals[j] =
          add_valid_rows<F, true, kCount, 1>(totals[j], column, valid, number(j, first), step);
    }
  }

 private:
  template <class Line>
  using ElementOf = decltype(element_of(*static_cast<const Line*>(nullptr), 0));

  template <int kCount, class Line>
  static FOLDTUNE_DEVICE void take_column(const Line* lines, int j,
                                          ElementOf<Line> (&column)[kCount]) {
    FOLDTUNE_UNROLL
    for (int i = 0; i < kCount; ++i) column[i] = element_of(lines[i], j);
  }
  FOLDTUNE_DEVICE Index number(int j, Index line) const {
    return static_cast<Index>(numbers[j] + line * step);
  }
};

/// Folds `count` lines of `kWidth` elements into as many totals: `load(i)` gives line i.
/// ColumnTotals says which numbers they have.
template <class Op, int kUnroll, class Index, int kWidth, class Load>
FOLDTUNE_DEVICE void fold_columns(typename Op::Accumulator (&totals)[kWidth], Index count,
                                  const Index (&numbers)[kWidth], Index step, const Load& load) {
  if constexpr (requires { typename Op::Plain; }) {
    using Plain = typename Op::Plain;
    typename Plain::Accumulator plain[kWidth];
    FOLDTUNE_UNROLL
    for (int j = 0; j < kWidth; ++j) plain[j] = Plain::identity();
    ColumnTotals<Plain, Index, kWidth> sink{plain, numbers, step};
    load_in_turn<kUnroll>(count, load, sink);
    FOLDTUNE_UNROLL
    for (int j = 0; j < kWidth; ++j) {
      if (Op::is_ordinary(plain[j])) [[likely]] {
        totals[j] = Op::of_plain(plain[j]);
        continue;
      }
      totals[j] = Op::identity();
      FOLDTUNE_ROLL
      for (Index i = 0; i < count; ++i) {
        const auto element = element_of(load(i), j);
        totals[j] = Op::combine(totals[j], fold_row<Op, 0, 1>(element, Index{0}));
      }
    }
  } else {
    FOLDTUNE_UNROLL
    for (int j = 0; j < kWidth; ++j) totals[j] = Op::identity();
    ColumnTotals<Op, Index, kWidth> sink{totals, numbers, step};
    load_in_turn<kUnroll>(count, load, sink);
  }
}

}  // namespace foldtune
