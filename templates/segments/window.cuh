/// A stretch of the inputs in shared memory, which lies at the same distance from a multiple of the
/// vectors' size as in memory. There is room for kWindowBeyond elements after it, so that a warp
/// may load a few too many and drop them.
#pragma once

#include "templates/fold/load.cuh"
#include "templates/segments/params.cuh"

namespace foldtune {

template <int kCapacity, class... Ts>
struct Window {
  FOLDTUNE_DEVICE Row<1> load(uint32, const uint32*) const { return {}; }
};
template <int kCapacity, class T, class... Rest>
struct Window<kCapacity, T, Rest...> {
  alignas(16) T elements[kCapacity + kWindowBeyond];
  Window<kCapacity, Rest...> rest;

  /// Element `i` of the stretch; `shifts` says where it begins, of each input.
  FOLDTUNE_DEVICE Row<1, T, Rest...> load(uint32 i, const uint32* shifts) const {
    return {{{elements[shifts[0] + i]}}, rest.load(i, shifts + 1)};
  }
};

/// Copies `count` elements of each input from element `start` on, by all threads of the block, at
/// most the window's capacity but one vector. Sets the shifts. A thread's own are there after
/// `await_copies`.
template <SegmentParams kParams, int kCapacity>
FOLDTUNE_DEVICE void fill(Window<kCapacity>&, const void* const*, int64, uint32, uint32*) {}
template <SegmentParams kParams, int kCapacity, class T, class... Rest>
FOLDTUNE_DEVICE void fill(Window<kCapacity, T, Rest...>& window, const void* const* inputs,
                          int64 start, uint32 count, uint32* shifts) {
  constexpr uint32 kWidth = kParams.vector_width;
  using Vector = Pack<T, kWidth>;
  const uint32 thread = platform::thread_index();
  const T* const source = static_cast<const T*>(inputs[0]) + start;
  const auto shift = static_cast<uint32>(reinterpret_cast<uint64>(source) / sizeof(T) % kWidth);
  const uint32 to_vector = (kWidth - shift) % kWidth;
  const uint32 head = to_vector < count ? to_vector : count;
  const uint32 vectors = (count - head) / kWidth;
  const uint32 tail = head + vectors * kWidth;
  T* const elements = window.elements + shift;
  FOLDTUNE_UNROLL
  for (uint32 i = 0; i < kParams.unroll; ++i) {
    const uint32 vector = thread + i * kParams.block_size;
    if (vector < vectors) {
      T* const to = elements + head + vector * kWidth;
      const T* const from = source + head + vector * kWidth;
      if constexpr (sizeof(Vector) >= sizeof(uint32)) {
        platform::copy_to_shared<sizeof(Vector)>(to, from);
      } else {
        *reinterpret_cast<Vector*>(to) = *reinterpret_cast<const Vector*>(from);
      }
    }
  }
  if (thread < head) elements[thread] = source[thread];
  if (tail + thread < count) elements[tail + thread] = source[tail + thread];
  shifts[0] = shift;
  fill<kParams>(window.rest, inputs + 1, start, count, shifts + 1);
}

}  // namespace foldtune
