/// The method `staged`: a block copies short rows, or slabs of a few short columns, as they lie in
/// memory into shared memory, and folds them there: whatever their length, memory is read in whole
/// vectors, one after another.
#pragma once

#include "templates/axis/params.cuh"
#include "templates/axis/place.cuh"
#include "templates/fold/pieces.cuh"

namespace foldtune {

/// Elements of each input in shared memory, which are read in pieces of `kPiece`. Pieces of 16
/// bytes are in an order in which threads that read a row each do not read the same banks, where
/// rows have 1, 2, 4 or 8 pieces.
template <int kCapacity, int kPiece, class... Ts>
struct StagedElements {
  FOLDTUNE_DEVICE Row<kPiece> load(uint32) const { return {}; }
};
template <int kCapacity, int kPiece, class T, class... Rest>
struct StagedElements<kCapacity, kPiece, T, Rest...> {
  using Piece = Pack<T, kPiece>;

  alignas(16) T first[kCapacity];
  StagedElements<kCapacity, kPiece, Rest...> rest;

  static FOLDTUNE_DEVICE uint32 place(uint32 piece) {
    constexpr uint32 kOfAllBanks = 8;
    if constexpr (sizeof(Piece) == 16) return piece ^ (piece / kOfAllBanks % kOfAllBanks);
    return piece;
  }
  FOLDTUNE_DEVICE Row<kPiece, T, Rest...> load(uint32 piece) const {
    return {reinterpret_cast<const Piece*>(first)[place(piece)], rest.load(piece)};
  }
};

/// Copies `count` elements of each input from element `start` on, by all threads of the block.
/// Pieces are vectors, of which `count` is a multiple then, or single elements.
template <AxisParams kParams, int kCapacity, int kPiece>
FOLDTUNE_DEVICE void stage(StagedElements<kCapacity, kPiece>&, const void* const*, int64, uint32) {}
template <AxisParams kParams, int kCapacity, int kPiece, class T, class... Rest>
FOLDTUNE_DEVICE void stage(StagedElements<kCapacity, kPiece, T, Rest...>& staged,
                           const void* const* inputs, int64 start, uint32 count) {
  constexpr uint32 kWidth = kParams.vector_width;
  constexpr uint32 kBlockSize = kParams.block_size;
  constexpr bool kHasVectors = kPiece > 1;
  static_assert(!kHasVectors || kPiece == kWidth);
  using Vector = Pack<T, kWidth>;
  const uint32 thread = platform::thread_index();
  const auto source = RowSource<kWidth, kHasVectors, T>::at(inputs, start);
  const uint32 vectors = count / kWidth;
  Vector loaded[kParams.unroll];
  FOLDTUNE_UNROLL
  for (uint32 i = 0; i < kParams.unroll; ++i) {
    const uint32 vector = thread + i * kBlockSize;
    if (vector < vectors) loaded[i] = source.load(vector).first;
  }
  FOLDTUNE_UNROLL
  for (uint32 i = 0; i < kParams.unroll; ++i) {
    const uint32 vector = thread + i * kBlockSize;
    const uint32 place = kHasVectors ? staged.place(vector) : vector;
    if (vector < vectors) reinterpret_cast<Vector*>(staged.first)[place] = loaded[i];
  }
  if (!kHasVectors && thread < count % kWidth) {
    const uint32 i = vectors * kWidth + thread;
    staged.first[i] = static_cast<const T*>(inputs[0])[start + static_cast<int64>(i)];
  }
  stage<kParams>(staged.rest, inputs + 1, start, count);
}

}  // namespace foldtune
