/// Folds of elements that are a step apart, several columns of them at a time.
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

/// Of `count` things that are dealt in turn to `takers`, those of number `taker`.
template <class Index>
FOLDTUNE_DEVICE Index turns_of(Index taker, Index count, Index takers) {
  return taker < count ? (count - taker + takers - 1) / takers : 0;
}

/// Loads kCount things, `load(i)` number i, from number `first` on, and gives them to `sink`, by a
/// call of `sink.add<kCount>(loaded, first)`.
template <int kCount, class Index, class Load, class Sink>
FOLDTUNE_DEVICE void load_together(Index first, const Load& load, Sink& sink) {
  decltype(load(Index{0})) loaded[kCount];
  FOLDTUNE_UNROLL
  for (int i = 0; i < kCount; ++i) loaded[i] = load(static_cast<Index>(first + i));
  sink.template add<kCount>(loaded, first);
}

/// The last `count` things, from number `first` on, those of each digit from kDigit down together.
template <int kDigit, class Index, class Load, class Sink>
FOLDTUNE_DEVICE void load_by_digits(Index first, Index count, const Load& load, Sink& sink) {
  if constexpr (kDigit > 0) {
    if ((count & kDigit) != 0) {
      load_together<kDigit>(first, load, sink);
      first += kDigit;
    }
    load_by_digits<kDigit / 2>(first, count, load, sink);
  }
}

enum class LoadedFrom { memory, shared_memory };

/// Loads `count` things, kUnroll at a time. Of the last ones in memory all are loaded before any is
/// folded, for a thread may have to wait for it but once; the last one is in the place of those
/// that there are not, for a branch around a load would take what it loaded apart.
template <int kUnroll, LoadedFrom kFrom = LoadedFrom::memory, class Index, class Load, class Sink>
FOLDTUNE_DEVICE void load_in_turn(Index count, const Load& load, Sink& sink) {
  Index first = 0;
  for (; first + kUnroll <= count; first += kUnroll) load_together<kUnroll>(first, load, sink);
  if constexpr (kUnroll > 1 && kFrom == LoadedFrom::shared_memory) {
    load_by_digits<kUnroll / 2>(first, static_cast<Index>(count - first), load, sink);
  } else if constexpr (kUnroll > 1) {
    if (first == count) return;
    decltype(load(Index{0})) loaded[kUnroll];
    FOLDTUNE_UNROLL
    for (int i = 0; i < kUnroll; ++i) {
      loaded[i] = load(static_cast<Index>(first + i < count ? first + i : count - 1));
    }
    platform::load_first();
    sink.template add_valid<kUnroll>(loaded, first, static_cast<int32>(count - first));
  }
}

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
