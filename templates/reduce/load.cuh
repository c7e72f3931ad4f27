/// The first stage: every thread folds its share of the input.
///
/// The input is cut into a head of fewer than `vector_width` elements up to the first aligned
/// vector, tiles of `block_size * unroll` vectors, a rest of whole vectors that fill no tile, and a
/// tail of fewer than `vector_width` elements. Tiles are dealt to the blocks in turn; the block
/// whose turn comes after the last full tile takes the head, the rest and the tail.
#pragma once

#include "templates/operators.cuh"
#include "templates/reduce/params.cuh"

namespace foldtune {

/// `kWidth` elements that are loaded by one instruction.
template <class T, int kWidth>
struct alignas(sizeof(T) * kWidth) Pack {
  T elements[kWidth];
};

/// Folds `kCount` elements (a power of two) as a balanced tree: no long chain of dependent
/// operations, and an error that grows with the tree's depth.
template <class Op, class A, int kCount, class T>
FOLDTUNE_DEVICE A fold_tree(const T* elements) {
  if constexpr (kCount == 1) {
    return static_cast<A>(elements[0]);
  } else {
    return Op::combine(fold_tree<Op, A, kCount / 2>(elements),
                       fold_tree<Op, A, kCount / 2>(elements + kCount / 2));
  }
}

template <class Op, class A, int kCount, class T, int kWidth>
FOLDTUNE_DEVICE A fold_packs(const Pack<T, kWidth>* packs) {
  if constexpr (kCount == 1) {
    return fold_tree<Op, A, kWidth>(packs[0].elements);
  } else {
    return Op::combine(fold_packs<Op, A, kCount / 2>(packs),
                       fold_packs<Op, A, kCount / 2>(packs + kCount / 2));
  }
}

/// The fold of this thread's share of `input[0, count)`; the identity if the share is empty. Index
/// is an unsigned type that holds every index: 32 bits cost fewer registers and instructions than
/// 64. `kAligned` promises that the input is aligned to a vector, so that there is no head.
template <class T, class A, class Op, class Index, bool kAligned, ReduceParams kParams>
FOLDTUNE_DEVICE A fold_share(const T* __restrict__ input, Index count) {
  constexpr uint32 kWidth = kParams.vector_width;
  constexpr uint32 kUnroll = kParams.unroll;
  constexpr uint32 kBlockSize = kParams.block_size;
  constexpr uint32 kTileVectors = kBlockSize * kUnroll;
  using Vector = Pack<T, kWidth>;

  const uint32 thread = platform::thread_index();
  Index head = 0;
  if constexpr (kWidth > 1 && !kAligned) {
    const uint32 misaligned = static_cast<uint32>(reinterpret_cast<uint64>(input)) % sizeof(Vector);
    head = misaligned == 0 ? 0 : (sizeof(Vector) - misaligned) / sizeof(T);
    if (head > count) head = count;
  }
  const Vector* const vectors = reinterpret_cast<const Vector*>(input + head);
  const Index vector_count = (count - head) / kWidth;
  const Index full_tiles = vector_count / kTileVectors;

  A total = Op::template identity<A>();
  Index tile = platform::block_index();
  for (; tile < full_tiles; tile += platform::grid_size()) {
    const Vector* const mine = vectors + tile * kTileVectors + thread;
    Vector loaded[kUnroll];
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kUnroll; ++i) loaded[i] = mine[i * kBlockSize];
    total = Op::combine(total, fold_packs<Op, A, kUnroll>(loaded));
  }

  // One block of the grid comes here with tile == full_tiles. Often nothing is left for it.
  if (tile == full_tiles && full_tiles * kTileVectors * kWidth != count) {
    const uint32 rest = static_cast<uint32>(vector_count - full_tiles * kTileVectors);
    const Vector* const mine = vectors + full_tiles * kTileVectors + thread;
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kUnroll; ++i) {
      if (i * kBlockSize + thread < rest) {
        const Vector loaded = mine[i * kBlockSize];
        total = Op::combine(total, fold_tree<Op, A, kWidth>(loaded.elements));
      }
    }
    if constexpr (kWidth > 1) {
      const Index tail_begin = head + vector_count * kWidth;
      if (thread < head) total = Op::combine(total, static_cast<A>(input[thread]));
      if (thread < count - tail_begin) {
        total = Op::combine(total, static_cast<A>(input[tail_begin + thread]));
      }
    }
  }
  return total;
}

}  // namespace foldtune
