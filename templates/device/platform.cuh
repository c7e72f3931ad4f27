/// What a kernel needs from its machine. The only file, with sm90.cuh, that knows which compiler is
/// reading: NVRTC and nvcc take the first half, g++ and clang++ (the CPU device) the second.
///
/// Blocks are one-dimensional, grids have blocks of one or several rows; a block is a multiple of
/// 32 threads; every warp-wide function is called by all 32 lanes.
#pragma once

namespace foldtune {

// No compiler finds <cstdint> without an include path, so the widths are spelled out.
using uint8 = unsigned char;
using uint16 = unsigned short;
using int32 = int;
using int64 = long long;
using uint32 = unsigned int;
using uint64 = unsigned long long;
static_assert(sizeof(uint16) == 2 && sizeof(int32) == 4 && sizeof(int64) == 8 &&
              sizeof(void*) == 8);

inline constexpr uint32 kWarpSize = 32;
inline constexpr uint32 kLineBytes = 128;  ///< of the L2

/// The widest that one instruction loads.
struct alignas(16) WordQuad {
  uint32 words[4];
};

/// What the two halves of a word are.
enum class HalfType { i16, u16, f16, bf16 };

}  // namespace foldtune

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)

#define FOLDTUNE_DEVICE __device__ __forceinline__
#define FOLDTUNE_KERNEL(block_size) __global__ void __launch_bounds__(block_size)
// With as many registers as it takes. Without a number of blocks ptxas may rather put some of them
// into memory, loads in flight among them, so that more threads fit a multiprocessor.
#define FOLDTUNE_KERNEL_IN_REGISTERS(block_size) __global__ void __launch_bounds__(block_size, 1)
#define FOLDTUNE_SHARED(Type, name) __shared__ Type name
#define FOLDTUNE_UNROLL _Pragma("unroll")
#define FOLDTUNE_ROLL _Pragma("unroll 1")  // short code instead

namespace foldtune::platform {

FOLDTUNE_DEVICE uint32 thread_index() { return threadIdx.x; }
/// Of a grid of several rows those in the block's row.
FOLDTUNE_DEVICE uint32 block_index() { return blockIdx.x; }
FOLDTUNE_DEVICE uint32 grid_size() { return gridDim.x; }
FOLDTUNE_DEVICE uint32 block_row() { return blockIdx.y; }
FOLDTUNE_DEVICE uint32 grid_rows() { return gridDim.y; }

FOLDTUNE_DEVICE void sync_block() { __syncthreads(); }

/// Waits for all lanes of the warp; what they wrote to shared memory before is then visible to
/// them.
FOLDTUNE_DEVICE void sync_warp() { __syncwarp(); }

/// The word of the lane `delta` above; the top `delta` lanes keep their own.
FOLDTUNE_DEVICE uint32 shuffle_down(uint32 word, uint32 delta) {
  return __shfl_down_sync(0xffffffffu, word, delta);
}

/// The word of lane `lane`.
FOLDTUNE_DEVICE uint32 shuffle(uint32 word, uint32 lane) {
  return __shfl_sync(0xffffffffu, word, lane);
}

/// The lowest lane whose `vote` is true, the same for all; the last lane if there is none.
FOLDTUNE_DEVICE uint32 first_lane(bool vote) {
  return (__ffs(__ballot_sync(0xffffffffu, vote)) - 1) % kWarpSize;
}

/// The number of the lowest bit that is set; there is one.
FOLDTUNE_DEVICE uint32 lowest_bit(uint32 bits) { return __ffs(bits) - 1; }
FOLDTUNE_DEVICE uint32 lowest_bit(uint64 bits) { return __ffsll(bits) - 1; }

/// Between two looks at memory that another block will write.
FOLDTUNE_DEVICE void pause() {}

/// The IEEE half precision number with these bits, and the nearest one to `value`.
FOLDTUNE_DEVICE float half_to_float(uint16 bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}
FOLDTUNE_DEVICE uint16 float_to_half(float value) {
  uint16 bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}

/// The byte that begins at bit 8 * i, by one instruction: a shift and a mask would be merged with
/// what comes next, and be two.
FOLDTUNE_DEVICE uint32 byte_of(uint32 word, uint32 i) {
  const uint32 byte = __byte_perm(word, 0, 0x4440 + i);
  __builtin_assume(byte < 256);
  return byte;
}

/// The same pointer into shared memory, of which the compiler does not know what it is the sum of:
/// it is kept in a register, and not taken apart wherever something is added to it.
template <class T>
FOLDTUNE_DEVICE T* keep_shared(T* pointer) {
  auto address = static_cast<uint32>(__cvta_generic_to_shared(pointer));
  asm("" : "+r"(address));
  return static_cast<T*>(__cvta_shared_to_generic(address));
}

/// a * b + c, rounded once.
FOLDTUNE_DEVICE float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }
FOLDTUNE_DEVICE double multiply_add(double a, double b, double c) { return fma(a, b, c); }

/// a * b + c, each operation rounded by itself.
FOLDTUNE_DEVICE double multiply_then_add(double a, double b, double c) {
  return __dadd_rn(__dmul_rn(a, b), c);
}

/// a - b, rounded down.
FOLDTUNE_DEVICE float subtract_down(float a, float b) { return __fsub_rd(a, b); }
FOLDTUNE_DEVICE double subtract_down(double a, double b) { return __dsub_rd(a, b); }

/// A number below 2^32, rounded down; 0 for what is below 0.
FOLDTUNE_DEVICE uint32 to_uint32(float value) { return __float2uint_rz(value); }
FOLDTUNE_DEVICE uint32 to_uint32(double value) { return __double2uint_rz(value); }

FOLDTUNE_DEVICE float square_root(float value) { return sqrtf(value); }
FOLDTUNE_DEVICE double square_root(double value) { return sqrt(value); }
/// Within 2^-22 (PTX ISA, ex2.approx) and three roundings of `value`, relative to itself; 0 where
/// it would be less than the least normal number.
FOLDTUNE_DEVICE float exponential(float value) {
  constexpr float kLog2E = 1.44269504f;
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value * kLog2E));
  return result;
}
FOLDTUNE_DEVICE double exponential(double value) { return exp(value); }
FOLDTUNE_DEVICE float logarithm(float value) { return logf(value); }
FOLDTUNE_DEVICE double logarithm(double value) { return log(value); }

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

/// c plus the products of the bytes of two words, which are signed if c is.
FOLDTUNE_DEVICE int32 dot_bytes(uint32 a, uint32 b, int32 c) {
  asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(c) : "r"(a), "r"(b));
  return c;
}
FOLDTUNE_DEVICE uint32 dot_bytes(uint32 a, uint32 b, uint32 c) {
  asm("dp4a.u32.u32 %0, %1, %2, %0;" : "+r"(c) : "r"(a), "r"(b));
  return c;
}

/// c plus the halves of a word, which are signed if c is.
FOLDTUNE_DEVICE int32 add_halves(uint32 word, int32 c) {
  asm("dp2a.lo.s32.s32 %0, %1, %2, %0;" : "+r"(c) : "r"(word), "r"(0x0101));
  return c;
}
FOLDTUNE_DEVICE uint32 add_halves(uint32 word, uint32 c) {
  asm("dp2a.lo.u32.u32 %0, %1, %2, %0;" : "+r"(c) : "r"(word), "r"(0x0101));
  return c;
}

/// The smaller halves of two words, and the larger ones, where one instruction finds both. Of
/// floating types, NaN wins, or loses if `kDropsNan`; -0 is below +0.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
template <HalfType kType>
inline constexpr bool kHasHalfExtremes = true;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
template <HalfType kType>
inline constexpr bool kHasHalfExtremes = kType == HalfType::f16 || kType == HalfType::bf16;
#else
template <HalfType kType>
inline constexpr bool kHasHalfExtremes = false;
#endif
template <HalfType kType, bool kDropsNan>
FOLDTUNE_DEVICE uint32 half_minima(uint32 a, uint32 b) {
  if constexpr (kType == HalfType::i16) {
    asm("min.s16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
  } else if constexpr (kType == HalfType::u16) {
    asm("min.u16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
  } else if constexpr (kType == HalfType::f16) {
    if constexpr (kDropsNan) asm("min.f16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
    if constexpr (!kDropsNan) asm("min.NaN.f16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
  } else {
    if constexpr (kDropsNan) asm("min.bf16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
    if constexpr (!kDropsNan) asm("min.NaN.bf16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
  }
  return a;
}
template <HalfType kType, bool kDropsNan>
FOLDTUNE_DEVICE uint32 half_maxima(uint32 a, uint32 b) {
  if constexpr (kType == HalfType::i16) {
    asm("max.s16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
  } else if constexpr (kType == HalfType::u16) {
    asm("max.u16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
  } else if constexpr (kType == HalfType::f16) {
    if constexpr (kDropsNan) asm("max.f16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
    if constexpr (!kDropsNan) asm("max.NaN.f16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
  } else {
    if constexpr (kDropsNan) asm("max.bf16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
    if constexpr (!kDropsNan) asm("max.NaN.bf16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
  }
  return a;
}

/// Loads what is read once, so that it takes no room in the L1.
FOLDTUNE_DEVICE WordQuad load_once(const WordQuad* address) {
  WordQuad quad;
  asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(quad.words[0]), "=r"(quad.words[1]), "=r"(quad.words[2]), "=r"(quad.words[3])
               : "l"(__cvta_generic_to_global(address)));
  return quad;
}

/// Copies 4, 8 or 16 aligned bytes from global to shared memory, from sm_80 on without a register
/// and without waiting: after `await_copies` this thread's are there.
template <int kBytes>
FOLDTUNE_DEVICE void copy_to_shared(void* shared, const void* global) {
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const auto to = static_cast<uint32>(__cvta_generic_to_shared(shared));
  const auto from = __cvta_generic_to_global(global);
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(kBytes)
                 : "memory");
  }
#else
  struct alignas(kBytes) Piece {
    char bytes[kBytes];
  };
  *static_cast<Piece*>(shared) = *static_cast<const Piece*>(global);
#endif
}
FOLDTUNE_DEVICE void await_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// The compiler moves no load from before this to after it.
FOLDTUNE_DEVICE void load_first() { asm volatile("" : : : "memory"); }

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
/// The same, after which the reader sees what was written before whoever wrote it took a ticket.
FOLDTUNE_DEVICE uint32 load_acquire(const uint32* address) {
  uint32 value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
               : "=r"(value)
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

/// Returns what was there before.
FOLDTUNE_DEVICE uint64 fetch_add_relaxed(uint64* address, uint64 value) {
  return atomicAdd(address, value);
}

/// A word that others may be changing, of any memory.
template <class Word>
FOLDTUNE_DEVICE Word peek(const Word* address) {
  return *static_cast<const volatile Word*>(address);
}

/// Stores a word of 1 to 8 bytes, in one access, where the host may be waiting for it.
template <class Word>
FOLDTUNE_DEVICE void show(Word* address, Word value) {
  *static_cast<volatile Word*>(address) = value;
}

/// Counts arrivals from 0 to `last` and starts again at 0. What the caller wrote before is visible
/// to whoever takes a later ticket.
FOLDTUNE_DEVICE uint32 take_ticket(uint32* counter, uint32 last) {
  __threadfence();
  const uint32 ticket = atomicInc(counter, last);
  __threadfence();
  return ticket;
}

/// Atomic combinations that the hardware has: additions, and the rest of integers alone.
inline constexpr bool kHasAtomics = true;
FOLDTUNE_DEVICE void atomic_add(int32* address, int32 value) { atomicAdd(address, value); }
FOLDTUNE_DEVICE void atomic_add(uint32* address, uint32 value) { atomicAdd(address, value); }
FOLDTUNE_DEVICE void atomic_add(float* address, float value) { atomicAdd(address, value); }
FOLDTUNE_DEVICE void atomic_add(double* address, double value) { atomicAdd(address, value); }
FOLDTUNE_DEVICE void atomic_add(int64* address, int64 value) {
  atomicAdd(reinterpret_cast<uint64*>(address), static_cast<uint64>(value));
}
FOLDTUNE_DEVICE void atomic_add(uint64* address, uint64 value) { atomicAdd(address, value); }
template <class Integer>
FOLDTUNE_DEVICE void atomic_min(Integer* address, Integer value) {
  atomicMin(address, value);
}
template <class Integer>
FOLDTUNE_DEVICE void atomic_max(Integer* address, Integer value) {
  atomicMax(address, value);
}
FOLDTUNE_DEVICE void atomic_and(uint32* address, uint32 value) { atomicAnd(address, value); }
FOLDTUNE_DEVICE void atomic_and(uint64* address, uint64 value) { atomicAnd(address, value); }
FOLDTUNE_DEVICE void atomic_or(uint32* address, uint32 value) { atomicOr(address, value); }
FOLDTUNE_DEVICE void atomic_or(uint64* address, uint64 value) { atomicOr(address, value); }
FOLDTUNE_DEVICE void atomic_xor(uint32* address, uint32 value) { atomicXor(address, value); }
FOLDTUNE_DEVICE void atomic_xor(uint64* address, uint64 value) { atomicXor(address, value); }

/// Folds the lanes of a warp in one instruction; every lane gets the result.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
inline constexpr bool kHasWarpInstructions = true;
FOLDTUNE_DEVICE uint32 warp_add(uint32 value) { return __reduce_add_sync(0xffffffffu, value); }
FOLDTUNE_DEVICE uint32 warp_min(uint32 value) { return __reduce_min_sync(0xffffffffu, value); }
FOLDTUNE_DEVICE uint32 warp_max(uint32 value) { return __reduce_max_sync(0xffffffffu, value); }
FOLDTUNE_DEVICE uint32 warp_and(uint32 value) { return __reduce_and_sync(0xffffffffu, value); }
FOLDTUNE_DEVICE uint32 warp_or(uint32 value) { return __reduce_or_sync(0xffffffffu, value); }
FOLDTUNE_DEVICE uint32 warp_xor(uint32 value) { return __reduce_xor_sync(0xffffffffu, value); }
#else
inline constexpr bool kHasWarpInstructions = false;
template <class T>
FOLDTUNE_DEVICE T warp_add(T value);
template <class T>
FOLDTUNE_DEVICE T warp_min(T value);
template <class T>
FOLDTUNE_DEVICE T warp_max(T value);
template <class T>
FOLDTUNE_DEVICE T warp_and(T value);
template <class T>
FOLDTUNE_DEVICE T warp_or(T value);
template <class T>
FOLDTUNE_DEVICE T warp_xor(T value);
#endif
FOLDTUNE_DEVICE bool warp_all(bool vote) { return __all_sync(0xffffffffu, vote) != 0; }
FOLDTUNE_DEVICE bool warp_any(bool vote) { return __any_sync(0xffffffffu, vote) != 0; }

/// Stores `desired` if `expected` is there; returns what was there.
FOLDTUNE_DEVICE uint32 compare_and_swap(uint32* address, uint32 expected, uint32 desired) {
  return atomicCAS(address, expected, desired);
}
FOLDTUNE_DEVICE uint64 compare_and_swap(uint64* address, uint64 expected, uint64 desired) {
  return atomicCAS(address, expected, desired);
}

/// Adds `amount` to a counter in global or shared memory that others add to at the same time.
FOLDTUNE_DEVICE void count(uint32* counter, uint32 amount) { atomicAdd(counter, amount); }
FOLDTUNE_DEVICE void count(uint64* counter, uint64 amount) { atomicAdd(counter, amount); }

}  // namespace foldtune::platform

#else  // the host compiler

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "templates/device/host_thread.h"

#define FOLDTUNE_DEVICE inline
#define FOLDTUNE_KERNEL(block_size) void
#define FOLDTUNE_KERNEL_IN_REGISTERS(block_size) void
#define FOLDTUNE_SHARED(Type, name)                            \
  static_assert(sizeof(Type) <= foldtune::host::kSharedBytes); \
  Type& name = *static_cast<Type*>(foldtune::platform::current->shared)
#define FOLDTUNE_UNROLL
#define FOLDTUNE_ROLL

namespace foldtune::platform {

#ifdef __clang__
#define FOLDTUNE_UNWATCHED __attribute__((no_sanitize("thread")))
#else
#define FOLDTUNE_UNWATCHED
#endif
/// A place for a thread. ThreadSanitizer does not see it, since the fibers of one thread of the
/// system share it.
struct CurrentThread {
  FOLDTUNE_UNWATCHED host::Thread* operator->() const { return thread; }
  FOLDTUNE_UNWATCHED operator host::Thread*() const { return thread; }
  FOLDTUNE_UNWATCHED void operator=(host::Thread* other) { thread = other; }
  host::Thread* thread = nullptr;
};

/// The thread that is running. Functions that may run another thread in between set it again when
/// they return.
inline thread_local CurrentThread current;

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
inline uint32 block_index() { return current->block_index % current->grid_extents[0]; }
inline uint32 grid_size() { return current->grid_extents[0]; }
inline uint32 block_row() { return current->block_index / current->grid_extents[0]; }
inline uint32 grid_rows() { return current->grid_extents[1]; }

inline void sync_block() {
  host::Thread* const self = current;
  self->sync_block(self);
  current = self;
}

inline uint32 shuffle_down(uint32 word, uint32 delta) {
  host::Thread* const self = current;
  const uint32 lane = self->thread_index % kWarpSize;
  self->shuffle(self, &word, sizeof(word), lane + delta < kWarpSize ? lane + delta : lane);
  current = self;
  return word;
}
inline void sync_warp() { shuffle_down(0, 0); }

inline uint32 shuffle(uint32 word, uint32 lane) {
  host::Thread* const self = current;
  self->shuffle(self, &word, sizeof(word), lane);
  current = self;
  return word;
}

inline constexpr bool kHasWarpInstructions = true;
template <class Combine>
uint32 fold_warp(uint32 value, Combine combine) {
  const uint32 lane = thread_index() % kWarpSize;
  for (uint32 bit = 1; bit < kWarpSize; bit *= 2) {
    value = combine(value, shuffle(value, lane ^ bit));
  }
  return value;
}
inline uint32 warp_add(uint32 value) {
  return fold_warp(value, [](uint32 a, uint32 b) { return a + b; });
}
inline uint32 warp_min(uint32 value) {
  return fold_warp(value, [](uint32 a, uint32 b) { return a < b ? a : b; });
}
inline uint32 warp_max(uint32 value) {
  return fold_warp(value, [](uint32 a, uint32 b) { return a < b ? b : a; });
}
inline uint32 warp_and(uint32 value) {
  return fold_warp(value, [](uint32 a, uint32 b) { return a & b; });
}
inline uint32 warp_or(uint32 value) {
  return fold_warp(value, [](uint32 a, uint32 b) { return a | b; });
}
inline uint32 warp_xor(uint32 value) {
  return fold_warp(value, [](uint32 a, uint32 b) { return a ^ b; });
}
inline bool warp_all(bool vote) { return warp_and(vote ? 1 : 0) != 0; }
inline bool warp_any(bool vote) { return warp_or(vote ? 1 : 0) != 0; }

inline uint32 first_lane(bool vote) {
  return warp_min(vote ? thread_index() % kWarpSize : kWarpSize - 1);
}

template <class Word>
uint32 lowest_bit(Word bits) {
  return static_cast<uint32>(std::countr_zero(bits));
}

inline void pause() {
  host::Thread* const self = current;
  self->pause(self);
  current = self;
}

inline float half_to_float(uint16 bits) {
  const uint32 sign = (bits & 0x8000u) << 16;
  const uint32 magnitude = bits & 0x7fffu;
  if (magnitude < 0x400) {  // zero and denormal numbers, which are multiples of 2^-24
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return sign != 0 ? -value : value;
  }
  const uint32 exponent_shift = magnitude >= 0x7c00 ? (255u - 31) << 23 : (127u - 15) << 23;
  return __builtin_bit_cast(float, sign | ((magnitude << 13) + exponent_shift));
}
inline uint16 float_to_half(float value) {
  const uint32 bits = __builtin_bit_cast(uint32, value);
  const uint32 sign = bits >> 16 & 0x8000u;
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return 0x7fff;
  if (magnitude >= 65520.f) return static_cast<uint16>(sign | 0x7c00u);  // rounds to infinity
  // Below 2^-14 the results are multiples of 2^-24; above, of 2^-10 of their power of two. Adding
  // 2^23 such units rounds to one, ties to even.
  const int exponent = magnitude < 0x1p-14f ? -14 : std::ilogb(magnitude);
  const float unit = std::ldexp(1.0f, exponent - 10);
  const float units = (magnitude / unit + 0x1p23f) - 0x1p23f;
  const uint32 biased = static_cast<uint32>(exponent + 14) << 10;
  return static_cast<uint16>(sign | (biased + static_cast<uint32>(units)));
}

inline uint32 byte_of(uint32 word, uint32 i) { return word >> (8 * i) & 0xffu; }

template <class T>
T* keep_shared(T* pointer) {
  return pointer;
}

inline float multiply_add(float a, float b, float c) { return std::fma(a, b, c); }
inline double multiply_add(double a, double b, double c) { return std::fma(a, b, c); }

inline double multiply_then_add(double a, double b, double c) {
  const double product = a * b;
  return product + c;
}

template <class Real>
Real subtract_down(Real a, Real b) {
  const Real difference = a - b;
  // What it lacks is a number, too (Knuth).
  const Real back = difference - a;
  const Real error = (a - (difference - back)) - (b + back);
  return error < 0 ? std::nextafter(difference, -std::numeric_limits<Real>::infinity())
                   : difference;
}

template <class Real>
uint32 to_uint32(Real value) {
  return value > 0 ? static_cast<uint32>(value) : 0;
}

inline float square_root(float value) { return std::sqrt(value); }
inline double square_root(double value) { return std::sqrt(value); }
inline float exponential(float value) { return std::exp(value); }
inline double exponential(double value) { return std::exp(value); }
inline float logarithm(float value) { return std::log(value); }
inline double logarithm(double value) { return std::log(value); }

template <class T>
inline constexpr bool kHasNativeMinimum = false;
template <class T>
T native_minimum(T a, T b);
template <class T>
T native_maximum(T a, T b);

inline int32 dot_bytes(uint32 a, uint32 b, int32 c) {
  for (uint32 shift = 0; shift < 32; shift += 8) {
    c += static_cast<signed char>(a >> shift) * static_cast<signed char>(b >> shift);
  }
  return c;
}
inline uint32 dot_bytes(uint32 a, uint32 b, uint32 c) {
  for (uint32 shift = 0; shift < 32; shift += 8) c += (a >> shift & 0xffu) * (b >> shift & 0xffu);
  return c;
}
inline int32 add_halves(uint32 word, int32 c) {
  return c + static_cast<short>(word) + static_cast<short>(word >> 16);
}
inline uint32 add_halves(uint32 word, uint32 c) { return c + (word & 0xffffu) + (word >> 16); }

template <HalfType kType>
inline constexpr bool kHasHalfExtremes = true;

/// Where a half stands in the order of its type.
template <HalfType kType>
int32 rank_of_half(uint32 half) {
  const auto bits = static_cast<int32>(half & 0xffffu);
  if constexpr (kType == HalfType::u16) return bits;
  const int32 rank = static_cast<short>(half);
  return kType == HalfType::i16 || rank >= 0 ? rank : -1 - (bits & 0x7fff);
}
template <HalfType kType>
bool is_nan_half(uint32 half) {
  if constexpr (kType == HalfType::i16 || kType == HalfType::u16) return false;
  return (half & 0x7fffu) > (kType == HalfType::f16 ? 0x7c00u : 0x7f80u);
}
template <HalfType kType, bool kDropsNan>
uint32 half_extremes(uint32 a, uint32 b, bool wants_minima) {
  uint32 result = 0;
  for (uint32 shift = 0; shift < 32; shift += 16) {
    const uint32 x = a >> shift & 0xffffu;
    const uint32 y = b >> shift & 0xffffu;
    const bool takes_y = (rank_of_half<kType>(y) < rank_of_half<kType>(x)) == wants_minima;
    uint32 half = takes_y ? y : x;
    if (is_nan_half<kType>(x) || is_nan_half<kType>(y)) {
      half = !kDropsNan || is_nan_half<kType>(x) == is_nan_half<kType>(y) ? 0x7fff
             : is_nan_half<kType>(x)                                      ? y
                                                                          : x;
    }
    result |= half << shift;
  }
  return result;
}
template <HalfType kType, bool kDropsNan>
uint32 half_minima(uint32 a, uint32 b) {
  return half_extremes<kType, kDropsNan>(a, b, true);
}
template <HalfType kType, bool kDropsNan>
uint32 half_maxima(uint32 a, uint32 b) {
  return half_extremes<kType, kDropsNan>(a, b, false);
}

inline constexpr bool kHasAtomics = false;
template <class T>
void atomic_add(T* address, T value);
template <class T>
void atomic_min(T* address, T value);
template <class T>
void atomic_max(T* address, T value);
template <class T>
void atomic_and(T* address, T value);
template <class T>
void atomic_or(T* address, T value);
template <class T>
void atomic_xor(T* address, T value);

inline WordQuad load_once(const WordQuad* address) { return *address; }

template <int kBytes>
void copy_to_shared(void* shared, const void* global) {
  __builtin_memcpy(shared, global, kBytes);
}
inline void await_copies() {}

inline void load_first() {}

template <class Word>
Word load_relaxed(const Word* address) {
  return __atomic_load_n(address, __ATOMIC_RELAXED);
}
inline uint32 load_acquire(const uint32* address) {
  return __atomic_load_n(address, __ATOMIC_ACQUIRE);
}
template <class Word>
Word peek(const Word* address) {
  return load_relaxed(address);
}
template <class Word>
void store_relaxed(Word* address, Word value) {
  __atomic_store_n(address, value, __ATOMIC_RELAXED);
}
template <class Word>
void show(Word* address, Word value) {
  store_relaxed(address, value);
}

inline uint64 fetch_add_relaxed(uint64* address, uint64 value) {
  return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
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

inline void count(uint32* counter, uint32 amount) {
  __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
}
inline void count(uint64* counter, uint64 amount) {
  __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
}

}  // namespace foldtune::platform

#endif

#include "templates/device/sm90.cuh"
