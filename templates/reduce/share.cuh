/// The first stage: every thread folds its share of the inputs.
///
/// An input is cut into a head of fewer than `vector_width` elements up to the first aligned
/// vector, tiles of `block_size * unroll` vectors, a rest of whole vectors that fill no tile, and a
/// tail of fewer than `vector_width` elements. Tiles are dealt to the blocks in turn; the block
/// whose turn comes after the last full tile takes the head, the rest and the tail.
#pragma once

#include "templates/device/prefetch.cuh"
#include "templates/fold/load.cuh"
#include "templates/reduce/params.cuh"

namespace foldtune {

/// Loads and folds the elements that one kernel's threads share.
template <class Op, class Inputs, class Index, bool kAligned, ReduceParams kParams>
struct Share;

template <class Op, class T, class... Rest, class Index, bool kAligned, ReduceParams kParams>
struct Share<Op, TypeList<T, Rest...>, Index, kAligned, kParams> {
  static constexpr uint32 kWidth = kParams.vector_width;
  static constexpr uint32 kUnroll = kParams.unroll;
  static constexpr uint32 kBlockSize = kParams.block_size;
  static constexpr uint32 kTileRows = kBlockSize * kUnroll;
  // A single input is aligned once its head is peeled.
  static constexpr bool kLoadsAligned = kAligned || sizeof...(Rest) == 0;
  using Source = RowSource<kWidth, kLoadsAligned, T, Rest...>;
  using Element = RowSource<1, true, T, Rest...>;
  using RowType = Row<kWidth, T, Rest...>;
  using Accumulator = typename Op::Accumulator;

  /// Brings this block's share of the inputs into the L2, of large ones a part. With
  /// TileLayout::split it is other blocks' vectors, which they find there as well.
  static FOLDTUNE_DEVICE void prefetch(const InputPointers<sizeof...(Rest) + 1>& inputs,
                                       Index count) {
    prefetch_tiles<kBlockSize, kTileRows * kWidth, T, Rest...>(inputs.pointers, count);
  }

  /// The fold of this thread's share of the first `count` elements; the identity if it has none.
  /// Index is an unsigned type that holds every index: 32 bits cost fewer registers and
  /// instructions than 64. `kAligned` promises that every input is aligned to a vector.
  static FOLDTUNE_DEVICE Accumulator fold(const InputPointers<sizeof...(Rest) + 1>& inputs,
                                          Index count) {
    if constexpr (requires { typename Op::Plain; }) {
      using Plain = typename Op::Plain;
      const auto plain =
          Share<Plain, TypeList<T, Rest...>, Index, kAligned, kParams>::fold(inputs, count);
      if (Op::is_ordinary(plain)) [[likely]]
        return Op::of_plain(plain);
      return fold_again(inputs, count);
    } else {
      return fold_once(inputs, count);
    }
  }

 private:
  /// Where the rows begin that are loaded as vectors.
  static FOLDTUNE_DEVICE Index head_of(const void* first, Index count) {
    if constexpr (kWidth == 1 || kAligned) {
      return 0;
    } else {
      constexpr uint32 kBytes = sizeof(Pack<T, kWidth>);
      const auto misaligned = static_cast<uint32>(reinterpret_cast<uint64>(first) % kBytes);
      const Index head = misaligned == 0 ? 0 : (kBytes - misaligned) / sizeof(T);
      return head < count ? head : count;
    }
  }

  static FOLDTUNE_DEVICE Accumulator fold_once(const InputPointers<sizeof...(Rest) + 1>& inputs,
                                               Index count) {
    const uint32 thread = platform::thread_index();
    const Index head = head_of(inputs.pointers[0], count);
    const Source source = Source::at(inputs.pointers, head);
    const Index row_count = (count - head) / kWidth;
    const Index full_tiles = row_count / kTileRows;
    constexpr bool kSplit = kParams.tile_layout == TileLayout::split;
    const Index step = kSplit ? full_tiles * kBlockSize : kBlockSize;  // between a tile's rows

    Accumulator total = Op::identity();
    Index tile = platform::block_index();
    for (; tile < full_tiles; tile += platform::grid_size()) {
      const Index first = tile * (kSplit ? kBlockSize : kTileRows) + thread;
      RowType rows[kUnroll];
      FOLDTUNE_UNROLL
      for (uint32 i = 0; i < kUnroll; ++i) rows[i] = source.load(first + i * step);
      const Index index = head + first * kWidth;
      total = add_tile<Op, !kSplit, kUnroll, kWidth>(total, rows, index,
                                                     static_cast<Index>(step * kWidth));
    }

    // One block of the grid comes here with tile == full_tiles. Often nothing is left for it; else
    // it loads all before it folds any, for it may have to wait for the memory but once.
    if (tile == full_tiles && full_tiles * kTileRows * kWidth != count) {
      const Index tail = head + row_count * kWidth + thread;
      Row<1, T, Rest...> of_head;
      Row<1, T, Rest...> of_tail;
      if constexpr (kWidth > 1) {
        const Element elements = Element::at(inputs.pointers, 0);
        if (thread < head) of_head = elements.load(Index(thread));
        if (tail < count) of_tail = elements.load(tail);
      }
      if (full_tiles * kTileRows < row_count) {
        const Index first = full_tiles * kTileRows + thread;
        // Every thread loads something, the last row if need be: a branch around a load would take
        // what it loaded apart, and wait for it.
        RowType rows[kUnroll];
        FOLDTUNE_UNROLL
        for (uint32 i = 0; i < kUnroll; ++i) {
          const Index row = first + i * kBlockSize;
          rows[i] = source.load(row < row_count ? row : row_count - 1);
        }
        platform::load_first();
        const Index left = first < row_count ? row_count - first : 0;
        const auto valid = static_cast<int32>((left + (kBlockSize - 1)) / kBlockSize);
        const auto index = static_cast<Index>(head + first * kWidth);
        total = add_valid_rows<Op, !kSplit, kUnroll, kWidth>(total, rows, valid, index,
                                                             Index{kBlockSize * kWidth});
      }
      if constexpr (kWidth > 1) {
        if (thread < head) {
          total = Op::combine(total, fold_row<Op, 0, 1>(of_head, Index(thread)));
        }
        if (tail < count) total = Op::combine(total, fold_row<Op, 0, 1>(of_tail, tail));
      }
    }
    return total;
  }

  /// The same of the same elements, in few instructions, for they are seldom needed.
  static FOLDTUNE_DEVICE Accumulator fold_again(const InputPointers<sizeof...(Rest) + 1>& inputs,
                                                Index count) {
    const uint32 thread = platform::thread_index();
    const Index head = head_of(inputs.pointers[0], count);
    const Element elements = Element::at(inputs.pointers, 0);
    const Index row_count = (count - head) / kWidth;
    const Index full_tiles = row_count / kTileRows;
    Accumulator total = Op::identity();
    const auto add = [&](Index element) {
      total = Op::combine(total, fold_row<Op, 0, 1>(elements.load(element), element));
    };
    Index tile = platform::block_index();
    for (; tile <= full_tiles; tile += platform::grid_size()) {
      const bool is_split = kParams.tile_layout == TileLayout::split && tile < full_tiles;
      Index row = tile * (is_split ? kBlockSize : kTileRows) + thread;
      const Index step = is_split ? full_tiles * kBlockSize : kBlockSize;
      FOLDTUNE_ROLL
      for (uint32 i = 0; i < kUnroll * kWidth; ++i) {
        if (row < row_count) add(head + row * kWidth + i % kWidth);
        if (i % kWidth == kWidth - 1) row += step;
      }
    }
    if (kWidth > 1 && full_tiles % platform::grid_size() == platform::block_index()) {
      if (thread < head) add(thread);
      const Index tail = head + row_count * kWidth + thread;
      if (tail < count) add(tail);
    }
    return total;
  }
};

}  // namespace foldtune
