/// Where the elements of a fold are, and how they are loaded.
#pragma once

#include "templates/fold/tile.cuh"

namespace foldtune {

/// The inputs of a fold: as many arrays of the same number of elements.
template <int kCount>
struct InputPointers {
  const void* pointers[kCount];
};

/// Where rows are loaded from: vectors of the first input, and the same elements of the others.
template <int kWidth, bool kAligned, class... Ts>
struct RowSource {
  static FOLDTUNE_DEVICE RowSource at(const void* const*, int64) { return {}; }
  template <class Index>
  FOLDTUNE_DEVICE Row<kWidth> load(Index) const {
    return {};
  }
};
template <int kWidth, bool kAligned, class T, class... Rest>
struct RowSource<kWidth, kAligned, T, Rest...> {
  const T* first;
  RowSource<kWidth, kAligned, Rest...> rest;

  /// From element `start` of each of the `pointers` on.
  static FOLDTUNE_DEVICE RowSource at(const void* const* pointers, int64 start) {
    return {static_cast<const T*>(pointers[0]) + start,
            RowSource<kWidth, kAligned, Rest...>::at(pointers + 1, start)};
  }

  /// Row number `row`.
  template <class Index>
  FOLDTUNE_DEVICE Row<kWidth, T, Rest...> load(Index row) const {
    return {load_pack(row), rest.load(row)};
  }

 private:
  template <class Index>
  FOLDTUNE_DEVICE Pack<T, kWidth> load_pack(Index row) const {
    using Vector = Pack<T, kWidth>;
    if constexpr (!kAligned && kWidth > 1) {
      // Inputs may be misaligned in different ways, of which the head mends only the first's.
      if (reinterpret_cast<uint64>(first) % sizeof(Vector) != 0) {
        const T* const elements = first + row * kWidth;
        Vector pack;
        FOLDTUNE_UNROLL
        for (int i = 0; i < kWidth; ++i) pack.elements[i] = elements[i];
        return pack;
      }
    }
    if constexpr (sizeof(Vector) == 4 * sizeof(uint32)) {
      return bit_cast<Vector>(platform::load_once(reinterpret_cast<const WordQuad*>(first) + row));
    } else if constexpr (sizeof(T) < sizeof(uint32) && sizeof(Vector) % sizeof(uint32) == 0) {
      // As words, or nvcc takes them apart, element by element, for whoever wants words.
      using WordVector = Pack<uint32, sizeof(Vector) / sizeof(uint32)>;
      return bit_cast<Vector>(reinterpret_cast<const WordVector*>(first)[row]);
    } else {
      return reinterpret_cast<const Vector*>(first)[row];
    }
  }
};

/// Where single elements are loaded from, with any stride between them.
template <class... Ts>
struct StridedSource {
  static FOLDTUNE_DEVICE StridedSource at(const void* const*, int64, int64) { return {}; }
  FOLDTUNE_DEVICE Row<1> load(uint64) const { return {}; }
};
template <class T, class... Rest>
struct StridedSource<T, Rest...> {
  const T* first;
  int64 stride;
  StridedSource<Rest...> rest;

  /// From element `start` of each of the `pointers` on.
  static FOLDTUNE_DEVICE StridedSource at(const void* const* pointers, int64 start, int64 stride) {
    return {static_cast<const T*>(pointers[0]) + start, stride,
            StridedSource<Rest...>::at(pointers + 1, start, stride)};
  }
  FOLDTUNE_DEVICE Row<1, T, Rest...> load(uint64 i) const {
    return {{{first[static_cast<int64>(i) * stride]}}, rest.load(i)};
  }
};

}  // namespace foldtune
