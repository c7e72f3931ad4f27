/// Loads the elements of an input, each once in the grid.
///
/// The input is cut as the family `reduce` does it: a head of fewer than `vector_width` elements up
/// to the first aligned vector, tiles of `block_size * unroll` vectors dealt to the blocks in turn,
/// a rest of whole vectors, and a tail. The block whose turn comes after the last full tile takes
/// the head, the rest and the tail.
#pragma once

#include "templates/device/prefetch.cuh"
#include "templates/device/types.cuh"
#include "templates/histogram/params.cuh"

namespace foldtune {

/// `kWidth` elements as they are loaded: elements of one and two bytes as words, of which the
/// compiler then takes them with fewer instructions.
template <class T, int kWidth, bool kAreWords = sizeof(T) < 4 && sizeof(T) * kWidth >= 4>
struct LoadedVector {
  Pack<T, kWidth> pack;
  FOLDTUNE_DEVICE T at(uint32 i) const { return pack.elements[i]; }
};
template <class T, int kWidth>
struct LoadedVector<T, kWidth, true> {
  Pack<uint32, sizeof(T) * kWidth / 4> words;
  FOLDTUNE_DEVICE T at(uint32 i) const {
    constexpr uint32 kPerWord = 4 / sizeof(T);
    const uint32 word = words.elements[i / kPerWord];
    if constexpr (sizeof(T) == 1) {
      return static_cast<T>(platform::byte_of(word, i % kPerWord));
    } else {
      const uint32 bits = word >> (i % kPerWord * 8 * sizeof(T));
      return bit_cast<T>(static_cast<uint16>(bits));
    }
  }
};

/// Brings this block's share of the input into the L2, of a large one a part.
template <class T, HistogramParams kParams, class Index>
FOLDTUNE_DEVICE void prefetch_share(const T* input, Index count) {
  constexpr uint32 kTile = kParams.block_size * kParams.unroll * kParams.vector_width;  // elements
  const void* const pointers[] = {input};
  prefetch_tiles<kParams.block_size, kTile, T>(pointers, count);
}

/// Calls `visitor.visit(element)`, or `visit_vector<kWidth>(vector, i)` for its vector number i of
/// a tile, for this thread's share of the first `count` elements, in no particular order; after a
/// tile's vectors `break_ties(load)`, to which `load(i * kWidth + j)` gives element j of vector i.
/// Index is an unsigned type that holds every index with room for a grid of tiles. `kAligned`
/// promises that the input is aligned to a vector.
template <class T, class Index, bool kAligned, HistogramParams kParams, class Visitor>
FOLDTUNE_DEVICE void visit_elements(const T* input, Index count, Visitor& visitor) {
  constexpr uint32 kWidth = kParams.vector_width;
  constexpr uint32 kUnroll = kParams.unroll;
  constexpr uint32 kBlockSize = kParams.block_size;
  constexpr uint32 kTileVectors = kBlockSize * kUnroll;
  using Vector = LoadedVector<T, kWidth>;

  const uint32 thread = platform::thread_index();
  Index head = 0;
  if constexpr (kWidth > 1 && !kAligned) {
    const auto misaligned = static_cast<uint32>(reinterpret_cast<uint64>(input) % sizeof(Vector));
    head = misaligned == 0 ? 0 : (sizeof(Vector) - misaligned) / sizeof(T);
    if (head > count) head = count;
  }
  const Vector* const source = reinterpret_cast<const Vector*>(input + head);
  const Index vector_count = (count - head) / kWidth;
  const Index full_tiles = vector_count / kTileVectors;

  const auto load_from = [&](Index first) {
    return [=](uint32 element) {
      return source[first + element / kWidth * kBlockSize].at(element % kWidth);
    };
  };

  Index tile = platform::block_index();
  for (; tile < full_tiles; tile += platform::grid_size()) {
    const Index first = tile * kTileVectors + thread;
    Vector vectors[kUnroll];
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kUnroll; ++i) vectors[i] = source[first + i * kBlockSize];
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kUnroll; ++i) visitor.template visit_vector<kWidth>(vectors[i], i);
    visitor.break_ties(load_from(first));
  }

  // One block of the grid comes here with tile == full_tiles. Often nothing is left for it.
  if (tile != full_tiles || full_tiles * kTileVectors * kWidth == count) return;
  const Index first = full_tiles * kTileVectors + thread;
  Vector vectors[kUnroll];
  FOLDTUNE_UNROLL
  for (uint32 i = 0; i < kUnroll; ++i) {
    const Index vector = first + i * kBlockSize;
    if (vector < vector_count) vectors[i] = source[vector];
  }
  FOLDTUNE_UNROLL
  for (uint32 i = 0; i < kUnroll; ++i) {
    if (first + i * kBlockSize < vector_count) {
      visitor.template visit_vector<kWidth>(vectors[i], i);
    }
  }
  visitor.break_ties(load_from(first));
  if constexpr (kWidth > 1) {
    const Index tail = head + vector_count * kWidth + thread;
    if (thread < head) visitor.visit(input[thread]);
    if (tail < count) visitor.visit(input[tail]);
  }
}

}  // namespace foldtune
