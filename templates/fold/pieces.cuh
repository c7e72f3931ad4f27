/// Folds of pieces of a few neighbouring elements, a step apart.
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

/// The total of pieces of `kWidth` elements each: the thread's piece i is number
/// `first + i * step` of those of the fold.
template <class F, class Index, int kWidth>
struct PieceTotal {
  typename F::Accumulator total;
  Index first;
  Index step;

  /// The thread's pieces from number `i` on, after those of the total.
  template <int kCount, class Piece>
  FOLDTUNE_DEVICE void add(const Piece* pieces, Index i) {
    total = add_tile<F, true, kCount, kWidth>(total, pieces, number(i),
                                              static_cast<Index>(step * kWidth));
  }
  /// The first `valid` of them.
  template <int kCount, class Piece>
  FOLDTUNE_DEVICE void add_valid(Piece* pieces, Index i, int32 valid) {
    total = add_valid_rows<F, true, kCount, kWidth>(total, pieces, valid, number(i),
                                                    static_cast<Index>(step * kWidth));
  }

 private:
  FOLDTUNE_DEVICE Index number(Index i) const {
    return static_cast<Index>((first + i * step) * kWidth);
  }
};

/// A thread's `count` pieces of one fold: `load(i)` gives piece i. PieceTotal says which numbers
/// they have.
template <int kUnroll, int kWidth, LoadedFrom kFrom, class Index, class Load>
struct PieceWalk {
  const Load& load;
  Index first;
  Index step;
  Index count;

  template <class F>
  FOLDTUNE_DEVICE typename F::Accumulator fold() const {
    PieceTotal<F, Index, kWidth> sink{F::identity(), first, step};
    load_in_turn<kUnroll, kFrom>(count, load, sink);
    return sink.total;
  }
  template <class F>
  FOLDTUNE_DEVICE typename F::Accumulator fold_each() const {
    typename F::Accumulator total = F::identity();
    FOLDTUNE_ROLL
    for (Index i = 0; i < count; ++i) {
      const auto piece = load(i);
      FOLDTUNE_UNROLL
      for (int j = 0; j < kWidth; ++j) {
        total = F::combine(total,
                           fold_row<F, 0, 1>(element_of(piece, j),
                                             static_cast<Index>((first + i * step) * kWidth + j)));
      }
    }
    return total;
  }
};

/// The fold of a thread's share: of `pieces` that are dealt in turn to `takers`, those of number
/// `taker`. `load(k)` gives piece number k of the fold.
template <class Op, int kUnroll, int kWidth, LoadedFrom kFrom, class Index, class Load>
FOLDTUNE_DEVICE typename Op::Accumulator fold_pieces(Index pieces, Index taker, Index takers,
                                                     const Load& load) {
  const auto own = [&](Index i) { return load(static_cast<Index>(taker + i * takers)); };
  return fold_walk<Op>(PieceWalk<kUnroll, kWidth, kFrom, Index, decltype(own)>{
      own, taker, takers, turns_of(taker, pieces, takers)});
}

}  // namespace foldtune
