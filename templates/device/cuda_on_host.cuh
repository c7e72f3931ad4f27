/// The names of CUDA C++ for kernels that are written for CUDA alone, so that the CPU device runs
/// them, too. CUDA's own compilers see nothing of this.
///
/// What there is: thread and block indices, shared memory, barriers, shuffles and votes of whole
/// warps, atomics, vector types of 2 to 4 numbers, and the functions of math.h. What there is not:
/// textures, cooperative groups, libraries of the toolkit, warps of which some lanes are elsewhere.
#pragma once

#include "templates/device/platform.cuh"

#if !defined(__CUDACC__) && !defined(__CUDACC_RTC__)

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __forceinline__  // a program may have `inline` beside it, and has one file
#define __noinline__
#define __restrict__
#define __constant__ static const
#define __launch_bounds__(...)
// The fibers of a block are on one thread of the system, which runs no other block before they end.
#define __shared__ static thread_local

namespace foldtune::cuda {

struct Extents {
  unsigned x, y, z;
};

inline Extents place_of(unsigned index, const unsigned* extents) {
  return {index % extents[0], index / extents[0] % extents[1], index / extents[0] / extents[1]};
}
inline Extents thread_place() {
  return place_of(platform::current->thread_index, platform::current->block_extents);
}
inline Extents block_place() {
  return place_of(platform::current->block_index, platform::current->grid_extents);
}
inline Extents extents_of(const unsigned* extents) { return {extents[0], extents[1], extents[2]}; }

inline unsigned lane() { return platform::current->thread_index % 32; }

/// What lane `source` gives.
template <class T>
T shuffle(T value, unsigned source) {
  static_assert(sizeof(T) <= 16);
  host::Thread* const self = platform::current;
  self->shuffle(self, &value, sizeof(value), source);
  platform::current = self;
  return value;
}

/// Whether the lane is of the same part of a warp, of `width` lanes.
inline bool is_of_part(unsigned source, int width) {
  const auto lanes = static_cast<unsigned>(width);
  return source / lanes == lane() / lanes;
}

template <class T, class Combine>
T fold_warp(T value, const Combine& combine) {
  for (unsigned bit = 1; bit < 32; bit *= 2) value = combine(value, shuffle(value, lane() ^ bit));
  return value;
}

template <class T, class Change>
T exchange(T* address, const Change& change) {
  T old;
  __atomic_load(address, &old, __ATOMIC_RELAXED);
  for (;;) {
    T next = change(old);
    if (__atomic_compare_exchange(address, &old, &next, false, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED)) {
      return old;
    }
  }
}

}  // namespace foldtune::cuda

#define threadIdx (::foldtune::cuda::thread_place())
#define blockIdx (::foldtune::cuda::block_place())
#define blockDim (::foldtune::cuda::extents_of(::foldtune::platform::current->block_extents))
#define gridDim (::foldtune::cuda::extents_of(::foldtune::platform::current->grid_extents))

inline constexpr int warpSize = 32;

inline void __syncthreads() { foldtune::platform::sync_block(); }
inline void __syncwarp(unsigned = 0xffffffffu) { foldtune::platform::sync_warp(); }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// Shuffles and votes, of all lanes of a warp.

template <class T>
T __shfl_sync(unsigned, T value, int source, int width = 32) {
  const auto lanes = static_cast<unsigned>(width);
  const unsigned first = foldtune::cuda::lane() / lanes * lanes;
  return foldtune::cuda::shuffle(value, first + static_cast<unsigned>(source) % lanes);
}
template <class T>
T __shfl_down_sync(unsigned, T value, unsigned delta, int width = 32) {
  const unsigned source = foldtune::cuda::lane() + delta;
  return foldtune::cuda::shuffle(
      value, foldtune::cuda::is_of_part(source, width) ? source : foldtune::cuda::lane());
}
template <class T>
T __shfl_up_sync(unsigned, T value, unsigned delta, int width = 32) {
  const unsigned source = foldtune::cuda::lane() - delta;
  return foldtune::cuda::shuffle(
      value, foldtune::cuda::is_of_part(source, width) ? source : foldtune::cuda::lane());
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask, int width = 32) {
  const unsigned source = foldtune::cuda::lane() ^ static_cast<unsigned>(mask);
  return foldtune::cuda::shuffle(
      value, foldtune::cuda::is_of_part(source, width) ? source : foldtune::cuda::lane());
}
inline unsigned __ballot_sync(unsigned, int vote) {
  return foldtune::cuda::fold_warp(vote != 0 ? 1u << foldtune::cuda::lane() : 0u,
                                   [](unsigned a, unsigned b) { return a | b; });
}
inline int __any_sync(unsigned mask, int vote) { return __ballot_sync(mask, vote) != 0 ? 1 : 0; }
inline int __all_sync(unsigned mask, int vote) {
  return __ballot_sync(mask, vote) == 0xffffffffu ? 1 : 0;
}
inline unsigned __reduce_add_sync(unsigned, unsigned value) {
  return foldtune::cuda::fold_warp(value, [](unsigned a, unsigned b) { return a + b; });
}

// Atomics. Each gives what was there before.

template <class T>
T atomicAdd(T* address, std::type_identity_t<T> value) {
  return foldtune::cuda::exchange(address, [=](T old) { return static_cast<T>(old + value); });
}
template <class T>
T atomicSub(T* address, std::type_identity_t<T> value) {
  return foldtune::cuda::exchange(address, [=](T old) { return static_cast<T>(old - value); });
}
template <class T>
T atomicMin(T* address, std::type_identity_t<T> value) {
  return foldtune::cuda::exchange(address, [=](T old) { return value < old ? value : old; });
}
template <class T>
T atomicMax(T* address, std::type_identity_t<T> value) {
  return foldtune::cuda::exchange(address, [=](T old) { return old < value ? value : old; });
}
template <class T>
T atomicAnd(T* address, std::type_identity_t<T> value) {
  return foldtune::cuda::exchange(address, [=](T old) { return static_cast<T>(old & value); });
}
template <class T>
T atomicOr(T* address, std::type_identity_t<T> value) {
  return foldtune::cuda::exchange(address, [=](T old) { return static_cast<T>(old | value); });
}
template <class T>
T atomicXor(T* address, std::type_identity_t<T> value) {
  return foldtune::cuda::exchange(address, [=](T old) { return static_cast<T>(old ^ value); });
}
template <class T>
T atomicExch(T* address, std::type_identity_t<T> value) {
  return foldtune::cuda::exchange(address, [=](T) { return value; });
}
template <class T>
T atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return foldtune::cuda::exchange(address, [=](T old) { return old == expected ? value : old; });
}

template <class T>
T __ldg(const T* address) {
  return *address;
}

// The bits of numbers.

inline int __float_as_int(float value) { return __builtin_bit_cast(int, value); }
inline float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }
inline unsigned __float_as_uint(float value) { return __builtin_bit_cast(unsigned, value); }
inline float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }

// Vector types.

#define FOLDTUNE_VECTOR_TYPES(Number, name)                                         \
  struct alignas(2 * sizeof(Number)) name##2 {                                      \
    Number x, y;                                                                    \
  };                                                                                \
  struct name##3 {                                                                  \
    Number x, y, z;                                                                 \
  };                                                                                \
  struct alignas(4 * sizeof(Number) < 16 ? 4 * sizeof(Number) : 16) name##4 {       \
    Number x, y, z, w;                                                              \
  };                                                                                \
  inline name##2 make_##name##2(Number x, Number y) { return {x, y}; }              \
  inline name##3 make_##name##3(Number x, Number y, Number z) { return {x, y, z}; } \
  inline name##4 make_##name##4(Number x, Number y, Number z, Number w) { return {x, y, z, w}; }
FOLDTUNE_VECTOR_TYPES(float, float)
FOLDTUNE_VECTOR_TYPES(double, double)
FOLDTUNE_VECTOR_TYPES(int, int)
FOLDTUNE_VECTOR_TYPES(unsigned, uint)
FOLDTUNE_VECTOR_TYPES(unsigned char, uchar)
#undef FOLDTUNE_VECTOR_TYPES

using std::abs;
using std::max;
using std::min;

inline float __expf(float x) { return std::exp(x); }
inline float __logf(float x) { return std::log(x); }
inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
inline unsigned __popc(unsigned x) { return static_cast<unsigned>(__builtin_popcount(x)); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }

#endif
