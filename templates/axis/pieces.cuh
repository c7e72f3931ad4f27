/// Folds of pieces of a few neighbouring elements, a step apart.
#pragma once

#include "templates/axis/lines.cuh"
#include "templates/fold/run.cuh"

namespace foldtune {

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
