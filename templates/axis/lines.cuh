/// Folds of elements that are a step apart, several neighbouring columns of them at a time.
#pragma once

#include "templates/fold/run.cuh"

namespace foldtune {

/// Element `i` of each input's part of a row, as a row of its own.
template <int kWidth>
FOLDTUNE_DEVICE Row<1> element_of(const Row<kWidth>&, int) {
  return {};
}
template <int kWidth, class T, class... Rest>
FOLDTUNE_DEVICE Row<1, T, Rest...> element_of(const Row<kWidth, T, Rest...>& row, int i) {
  return {{{row.first.elements[i]}}, element_of(row.rest, i)};
}

/// Adds `count` lines of `kWidth` elements to as many totals: `load(i)` gives line i. Element j of
/// the first line has number `numbers[j]` in its fold, and each line's is `step` above that of the
/// line before. Elements of a total have numbers below those of what is added to it.
template <class F, int kUnroll, class Index, int kWidth, class Load>
FOLDTUNE_DEVICE void add_lines(typename F::Accumulator (&totals)[kWidth], Index count,
                               const Index (&numbers)[kWidth], Index step, const Load& load) {
  using Line = decltype(load(Index{0}));
  using Element = decltype(element_of(load(Index{0}), 0));
  const auto column_of = [](const Line(&lines)[kUnroll], int j, Element(&column)[kUnroll]) {
    FOLDTUNE_UNROLL
    for (int i = 0; i < kUnroll; ++i) column[i] = element_of(lines[i], j);
  };
  Index first = 0;
  for (; first + kUnroll <= count; first += kUnroll) {
    Line lines[kUnroll];
    FOLDTUNE_UNROLL
    for (int i = 0; i < kUnroll; ++i) lines[i] = load(static_cast<Index>(first + i));
    FOLDTUNE_UNROLL
    for (int j = 0; j < kWidth; ++j) {
      Element column[kUnroll];
      column_of(lines, j, column);
      totals[j] = add_tile<F, true, kUnroll, 1>(
          totals[j], column, static_cast<Index>(numbers[j] + first * step), step);
    }
  }
  if (kUnroll == 1 || first == count) return;
  // The last line in the place of those that there are not: see Run.
  Line lines[kUnroll];
  FOLDTUNE_UNROLL
  for (int i = 0; i < kUnroll; ++i) {
    lines[i] = load(static_cast<Index>(first + i < count ? first + i : count - 1));
  }
  platform::load_first();
  FOLDTUNE_UNROLL
  for (int j = 0; j < kWidth; ++j) {
    Element column[kUnroll];
    column_of(lines, j, column);
    totals[j] =
        add_valid_rows<F, true, kUnroll, 1>(totals[j], column, static_cast<int32>(count - first),
                                            static_cast<Index>(numbers[j] + first * step), step);
  }
}

/// Folds as `add_lines` does, into totals of the operator Op.
template <class Op, int kUnroll, class Index, int kWidth, class Load>
FOLDTUNE_DEVICE void fold_columns(typename Op::Accumulator (&totals)[kWidth], Index count,
                                  const Index (&numbers)[kWidth], Index step, const Load& load) {
  if constexpr (requires { typename Op::Plain; }) {
    using Plain = typename Op::Plain;
    typename Plain::Accumulator plain[kWidth];
    FOLDTUNE_UNROLL
    for (int j = 0; j < kWidth; ++j) plain[j] = Plain::identity();
    add_lines<Plain, kUnroll>(plain, count, numbers, step, load);
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
    add_lines<Op, kUnroll>(totals, count, numbers, step, load);
  }
}

}  // namespace foldtune
