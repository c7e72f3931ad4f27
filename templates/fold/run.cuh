/// Folds of a run, elements that follow one another: each thread of a team folds its share.
///
///     run         |head| vector  vector  vector ... vector |tail|
///     thread              0       1       2   ...  0  1  2
///
/// A run is cut into a head of fewer than `vector_width` elements up to the first aligned vector,
/// tiles of `threads * unroll` vectors, a rest of whole vectors that fill no tile, and a tail of
/// fewer than `vector_width` elements. Tiles are dealt to the parts of the team, such as blocks, in
/// turn; the part whose turn comes after the last full tile takes the head, the rest and the tail.
#pragma once

#include "templates/fold/load.cuh"

namespace foldtune {

/// How a team reads a run.
struct RunParams {
  int threads;       ///< of each part of the team
  int vector_width;  ///< elements per load
  int unroll;        ///< loads in flight per thread and input
  bool is_aligned;   ///< all inputs begin at a vector
  bool is_split;  ///< a tile is `unroll` stretches, one from each of as many equal parts of the run
};

/// A thread's place in its team.
struct TeamPlace {
  uint32 thread;  ///< in its part
  uint32 part;
  uint32 parts;
};

/// A run of `count` elements from element `start` of each of the inputs on, which are of the types
/// of the list. Index is an unsigned type that holds every index: 32 bits cost fewer registers and
/// instructions than 64.
template <class Inputs, class Index, RunParams kRun>
struct Run;

template <class T, class... Rest, class Index, RunParams kRun>
struct Run<TypeList<T, Rest...>, Index, kRun> {
  static constexpr uint32 kWidth = kRun.vector_width;
  static constexpr uint32 kUnroll = kRun.unroll;
  static constexpr uint32 kThreads = kRun.threads;
  static constexpr uint32 kTileRows = kThreads * kUnroll;
  /// Elements of the head, or of the tail, for each thread at most.
  static constexpr uint32 kEndElements = kWidth > 1 ? (kWidth - 1 + kThreads - 1) / kThreads : 1;
  // A single input is aligned once its head is peeled.
  static constexpr bool kLoadsAligned = kRun.is_aligned || sizeof...(Rest) == 0;
  using Source = RowSource<kWidth, kLoadsAligned, T, Rest...>;
  using Element = RowSource<1, true, T, Rest...>;
  using RowType = Row<kWidth, T, Rest...>;

  const void* const* inputs;
  int64 start;
  Index count;
  TeamPlace place;

  /// `total` and this thread's share, whose first element has number `number`; those of `total`
  /// have numbers below it.
  template <class F>
  FOLDTUNE_DEVICE typename F::Accumulator add_to(typename F::Accumulator total,
                                                 Index number) const {
    const uint32 thread = place.thread;
    const Index head = head_size();
    const Source source = Source::at(inputs, start + static_cast<int64>(head));
    const Index row_count = (count - head) / kWidth;
    const Index full_tiles = row_count / kTileRows;
    const Index step = kRun.is_split ? full_tiles * kThreads : kThreads;  // between a tile's rows

    Index tile = place.part;
    for (; tile < full_tiles; tile += place.parts) {
      const Index first = tile * (kRun.is_split ? kThreads : kTileRows) + thread;
      RowType rows[kUnroll];
      FOLDTUNE_UNROLL
      for (uint32 i = 0; i < kUnroll; ++i) rows[i] = source.load(first + i * step);
      const Index index = number + head + first * kWidth;
      total = add_tile<F, !kRun.is_split, kUnroll, kWidth>(total, rows, index,
                                                           static_cast<Index>(step * kWidth));
    }

    // One part of the team comes here with tile == full_tiles. Often nothing is left for it; else
    // it loads all before it folds any, for it may have to wait for the memory but once.
    if (tile == full_tiles && full_tiles * kTileRows * kWidth != count) {
      const Index tail = head + row_count * kWidth + thread;
      Row<1, T, Rest...> of_head[kEndElements];
      Row<1, T, Rest...> of_tail[kEndElements];
      if constexpr (kWidth > 1) {
        const Element elements = Element::at(inputs, start);
        FOLDTUNE_UNROLL
        for (uint32 i = 0; i < kEndElements; ++i) {
          const uint32 after = i * kThreads;
          if (thread + after < head) of_head[i] = elements.load(Index(thread + after));
          if (tail + after < count) of_tail[i] = elements.load(Index(tail + after));
        }
      }
      if (full_tiles * kTileRows < row_count) {
        const Index first = full_tiles * kTileRows + thread;
        // Every thread loads something, the last row if need be: a branch around a load would take
        // what it loaded apart, and wait for it.
        RowType rows[kUnroll];
        FOLDTUNE_UNROLL
        for (uint32 i = 0; i < kUnroll; ++i) {
          const Index row = first + i * kThreads;
          rows[i] = source.load(row < row_count ? row : row_count - 1);
        }
        platform::load_first();
        const Index left = first < row_count ? row_count - first : 0;
        const auto valid = static_cast<int32>((left + (kThreads - 1)) / kThreads);
        const auto index = static_cast<Index>(number + head + first * kWidth);
        total = add_valid_rows<F, !kRun.is_split, kUnroll, kWidth>(total, rows, valid, index,
                                                                   Index{kThreads * kWidth});
      }
      if constexpr (kWidth > 1) {
        FOLDTUNE_UNROLL
        for (uint32 i = 0; i < kEndElements; ++i) {
          const uint32 after = i * kThreads;
          if (thread + after < head) {
            total = F::combine(
                total, fold_row<F, 0, 1>(of_head[i], static_cast<Index>(number + thread + after)));
          }
          if (tail + after < count) {
            total = F::combine(
                total, fold_row<F, 0, 1>(of_tail[i], static_cast<Index>(number + tail + after)));
          }
        }
      }
    }
    return total;
  }

  /// The same of the same elements, in few instructions, for where it is seldom needed.
  template <class F>
  FOLDTUNE_DEVICE typename F::Accumulator add_each_to(typename F::Accumulator total,
                                                      Index number) const {
    const uint32 thread = place.thread;
    const Index head = head_size();
    const Element elements = Element::at(inputs, start);
    const Index row_count = (count - head) / kWidth;
    const Index full_tiles = row_count / kTileRows;
    const auto add = [&](Index element) {
      total = F::combine(
          total, fold_row<F, 0, 1>(elements.load(element), static_cast<Index>(number + element)));
    };
    Index tile = place.part;
    for (; tile <= full_tiles; tile += place.parts) {
      const bool is_split = kRun.is_split && tile < full_tiles;
      Index row = tile * (is_split ? kThreads : kTileRows) + thread;
      const Index step = is_split ? full_tiles * kThreads : kThreads;
      FOLDTUNE_ROLL
      for (uint32 i = 0; i < kUnroll * kWidth; ++i) {
        if (row < row_count) add(head + row * kWidth + i % kWidth);
        if (i % kWidth == kWidth - 1) row += step;
      }
    }
    if (kWidth > 1 && full_tiles % place.parts == place.part) {
      for (Index i = thread; i < head; i += kThreads) add(i);
      for (Index i = head + row_count * kWidth + thread; i < count; i += kThreads) add(i);
    }
    return total;
  }

 private:
  /// Elements before the rows that are loaded as vectors.
  FOLDTUNE_DEVICE Index head_size() const {
    if constexpr (kWidth == 1 || kRun.is_aligned) {
      return 0;
    } else {
      constexpr uint32 kBytes = sizeof(Pack<T, kWidth>);
      const auto address = reinterpret_cast<uint64>(static_cast<const T*>(inputs[0]) + start);
      const auto misaligned = static_cast<uint32>(address % kBytes);
      const Index head = misaligned == 0 ? 0 : (kBytes - misaligned) / sizeof(T);
      return head < count ? head : count;
    }
  }
};

/// The fold of a thread's elements on a walk through memory. `Walk::fold<F>()` folds them with the
/// operator F, many at a time, `Walk::fold_each<F>()` the same ones one after another: only where
/// the plain partial result of an operator is not enough.
template <class Op, class Walk>
FOLDTUNE_DEVICE typename Op::Accumulator fold_walk(const Walk& walk) {
  if constexpr (requires { typename Op::Plain; }) {
    const auto plain = walk.template fold<typename Op::Plain>();
    if (Op::is_ordinary(plain)) [[likely]]
      return Op::of_plain(plain);
    return walk.template fold_each<Op>();
  } else {
    return walk.template fold<Op>();
  }
}

}  // namespace foldtune
