/// What a kernel needs from its machine. The only file that knows which compiler is reading:
/// NVRTC and nvcc take the first half, g++ and clang++ (the CPU device) the second.
///
/// Blocks and grids are one-dimensional; a block is a multiple of 32 threads; every warp-wide
/// function is called by all 32 lanes.
#pragma once

namespace foldtune {

// No compiler finds <cstdint> without an include path, so the widths are spelled out.
using int32 = int;
using int64 = long long;
using uint32 = unsigned int;
using uint64 = unsigned long long;
static_assert(sizeof(int32) == 4 && sizeof(int64) == 8 && sizeof(void*) == 8);

inline constexpr uint32 kWarpSize = 32;

}  // namespace foldtune

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)

#define FOLDTUNE_DEVICE __device__ __forceinline__
#define FOLDTUNE_KERNEL(block_size) __global__ void __launch_bounds__(block_size)
#define FOLDTUNE_SHARED(Type, name) __shared__ Type name
#define FOLDTUNE_UNROLL _Pragma("unroll")

namespace foldtune::platform {

FOLDTUNE_DEVICE uint32 thread_index() { return threadIdx.x; }
FOLDTUNE_DEVICE uint32 block_index() { return blockIdx.x; }
FOLDTUNE_DEVICE uint32 grid_size() { return gridDim.x; }

FOLDTUNE_DEVICE void sync_block() { __syncthreads(); }

/// The value of the lane `delta` above; the top `delta` lanes keep their own.
template <class T>
FOLDTUNE_DEVICE T shuffle_down(T value, uint32 delta) {
  return __shfl_down_sync(0xffffffffu, value, delta);
}

/// Between two looks at memory that another block will write.
FOLDTUNE_DEVICE void pause() {}

FOLDTUNE_DEVICE uint32 to_bits(float value) { return __float_as_uint(value); }
FOLDTUNE_DEVICE uint32 to_bits(int32 value) { return static_cast<uint32>(value); }
FOLDTUNE_DEVICE uint64 to_bits(int64 value) { return static_cast<uint64>(value); }
FOLDTUNE_DEVICE uint64 to_bits(double value) {
  return static_cast<uint64>(__double_as_longlong(value));
}
FOLDTUNE_DEVICE void from_bits(uint32 bits, float& value) { value = __uint_as_float(bits); }
FOLDTUNE_DEVICE void from_bits(uint32 bits, int32& value) { value = static_cast<int32>(bits); }
FOLDTUNE_DEVICE void from_bits(uint64 bits, int64& value) { value = static_cast<int64>(bits); }
FOLDTUNE_DEVICE void from_bits(uint64 bits, double& value) {
  value = __longlong_as_double(static_cast<int64>(bits));
}

/// Minimum and maximum that propagate NaN and order -0 below +0, where one instruction does it.
template <class T>
inline constexpr bool kHasNativeMinimum = false;
template <class T>
FOLDTUNE_DEVICE T native_minimum(T a, T b);
template <class T>
FOLDTUNE_DEVICE T native_maximum(T a, T b);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
template <>
inline constexpr bool kHasNativeMinimum<float> = true;
template <>
FOLDTUNE_DEVICE float native_minimum(float a, float b) {
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(a) : "f"(a), "f"(b));
  return a;
}
template <>
FOLDTUNE_DEVICE float native_maximum(float a, float b) {
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(a) : "f"(a), "f"(b));
  return a;
}
#endif

/// Relaxed accesses of device scope: one word, never torn, never served from the L1.
FOLDTUNE_DEVICE uint32 load_relaxed(const uint32* address) {
  uint32 value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
               : "=r"(value)
               : "l"(__cvta_generic_to_global(address))
               : "memory");
  return value;
}
FOLDTUNE_DEVICE uint64 load_relaxed(const uint64* address) {
  uint64 value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
               : "=l"(value)
               : "l"(__cvta_generic_to_global(address))
               : "memory");
  return value;
}
FOLDTUNE_DEVICE void store_relaxed(uint32* address, uint32 value) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(address)),
               "r"(value)
               : "memory");
}
FOLDTUNE_DEVICE void store_relaxed(uint64* address, uint64 value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(address)),
               "l"(value)
               : "memory");
}

/// Counts arrivals from 0 to `last` and starts again at 0. What the caller wrote before is visible
/// to whoever takes a later ticket.
FOLDTUNE_DEVICE uint32 take_ticket(uint32* counter, uint32 last) {
  __threadfence();
  const uint32 ticket = atomicInc(counter, last);
  __threadfence();
  return ticket;
}

inline constexpr bool kHasAtomicAdd = true;
FOLDTUNE_DEVICE void atomic_add(int32* address, int32 value) { atomicAdd(address, value); }
FOLDTUNE_DEVICE void atomic_add(float* address, float value) { atomicAdd(address, value); }
FOLDTUNE_DEVICE void atomic_add(double* address, double value) { atomicAdd(address, value); }
FOLDTUNE_DEVICE void atomic_add(int64* address, int64 value) {
  atomicAdd(reinterpret_cast<uint64*>(address), static_cast<uint64>(value));
}

/// Stores `desired` if `expected` is there; returns what was there.
FOLDTUNE_DEVICE uint32 compare_and_swap(uint32* address, uint32 expected, uint32 desired) {
  return atomicCAS(address, expected, desired);
}
FOLDTUNE_DEVICE uint64 compare_and_swap(uint64* address, uint64 expected, uint64 desired) {
  return atomicCAS(address, expected, desired);
}

}  // namespace foldtune::platform

#else  // the host compiler

#include <tuple>
#include <utility>

#include "templates/host_thread.h"

#define FOLDTUNE_DEVICE inline
#define FOLDTUNE_KERNEL(block_size) void
#define FOLDTUNE_SHARED(Type, name)                            \
  static_assert(sizeof(Type) <= foldtune::host::kSharedBytes); \
  Type& name = *static_cast<Type*>(foldtune::platform::current->shared)
#define FOLDTUNE_UNROLL

namespace foldtune::platform {

/// The thread that is running. Functions that may run another thread in between set it again when
/// they return.
inline thread_local host::Thread* current = nullptr;

/// Calls `kernel` with `arguments`, pointers to its parameters.
template <class... Parameters>
void run_thread(host::Thread* thread, void (*kernel)(Parameters...), void** arguments) {
  current = thread;
  [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    kernel(*static_cast<Parameters*>(arguments[kIndex])...);
  }
  (std::index_sequence_for<Parameters...>{});
}

inline uint32 thread_index() { return current->thread_index; }
inline uint32 block_index() { return current->block_index; }
inline uint32 grid_size() { return current->grid_size; }

inline void sync_block() {
  host::Thread* const self = current;
  self->sync_block(self);
  current = self;
}

template <class T>
T shuffle_down(T value, uint32 delta) {
  host::Thread* const self = current;
  const uint32 lane = self->thread_index % kWarpSize;
  const uint32 source = lane + delta < kWarpSize ? lane + delta : lane;
  self->shuffle(self, &value, sizeof(T), source);
  current = self;
  return value;
}

inline void pause() {
  host::Thread* const self = current;
  self->pause(self);
  current = self;
}

inline uint32 to_bits(float value) { return __builtin_bit_cast(uint32, value); }
inline uint32 to_bits(int32 value) { return static_cast<uint32>(value); }
inline uint64 to_bits(int64 value) { return static_cast<uint64>(value); }
inline uint64 to_bits(double value) { return __builtin_bit_cast(uint64, value); }
inline void from_bits(uint32 bits, float& value) { value = __builtin_bit_cast(float, bits); }
inline void from_bits(uint32 bits, int32& value) { value = static_cast<int32>(bits); }
inline void from_bits(uint64 bits, int64& value) { value = static_cast<int64>(bits); }
inline void from_bits(uint64 bits, double& value) { value = __builtin_bit_cast(double, bits); }

template <class T>
inline constexpr bool kHasNativeMinimum = false;
template <class T>
T native_minimum(T a, T b);
template <class T>
T native_maximum(T a, T b);

inline constexpr bool kHasAtomicAdd = false;
template <class T>
void atomic_add(T* address, T value);

template <class Word>
Word load_relaxed(const Word* address) {
  return __atomic_load_n(address, __ATOMIC_RELAXED);
}
template <class Word>
void store_relaxed(Word* address, Word value) {
  __atomic_store_n(address, value, __ATOMIC_RELAXED);
}

inline uint32 take_ticket(uint32* counter, uint32 last) {
  const uint32 ticket = __atomic_fetch_add(counter, 1u, __ATOMIC_ACQ_REL);
  if (ticket == last) __atomic_store_n(counter, 0u, __ATOMIC_RELAXED);
  return ticket;
}

template <class Word>
Word compare_and_swap(Word* address, Word expected, Word desired) {
  __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
  return expected;
}

}  // namespace foldtune::platform

#endif
