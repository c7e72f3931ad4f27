// Times techniques for sums, some of which the templates have taken up since. It stands alone:
// bench/README.md says how to build and run it.
//
// The baseline is the f32 sum that the templates had before them: loads of 16 bytes, unroll 4, a
// tree over a tile, 512 threads, one wave of blocks, shuffles in the block, and a last block that
// polls. It has no overlapping launches, and neither has anything else here. Every n is a power of
// two.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

using uint32 = std::uint32_t;
using uint64 = unsigned long long;

constexpr uint32 kAllLanes = 0xffffffff;
constexpr uint64 kPresent = uint64{1} << 32;  // the flag of a slot
constexpr uint32 kCounterWord = 1 << 14;      // behind the slots of a call

// Loads of 16 bytes.

enum class Load { plain, nc, no_allocate, evict_first, prefetch_128, prefetch_256, streaming };

// A macro, since the instruction is a part of a text.
#define LOAD_VECTOR(instruction)                    \
  asm(instruction ".v4.u32 {%0, %1, %2, %3}, [%4];" \
      : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)  \
      : "l"(at))

template <Load kLoad>
__device__ __forceinline__ uint4 load(const uint4* vector) {
  const auto at = __cvta_generic_to_global(vector);
  uint4 v;
  if constexpr (kLoad == Load::plain) {
    v = *vector;
  } else if constexpr (kLoad == Load::nc) {
    LOAD_VECTOR("ld.global.nc");
  } else if constexpr (kLoad == Load::no_allocate) {
    LOAD_VECTOR("ld.global.nc.L1::no_allocate");
  } else if constexpr (kLoad == Load::prefetch_128) {
    LOAD_VECTOR("ld.global.nc.L1::no_allocate.L2::128B");
  } else if constexpr (kLoad == Load::prefetch_256) {
    LOAD_VECTOR("ld.global.nc.L1::no_allocate.L2::256B");
  } else if constexpr (kLoad == Load::streaming) {
    LOAD_VECTOR("ld.global.cs");
  } else {
    uint64 policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "l"(at), "l"(policy));
  }
  return v;
}

template <class T>
__device__ __forceinline__ T number(uint32 bits) {
  if constexpr (std::is_same_v<T, float>) return __uint_as_float(bits);
  return static_cast<T>(bits);
}

template <class T>
__device__ __forceinline__ T add_vector(uint4 v) {
  return (number<T>(v.x) + number<T>(v.y)) + (number<T>(v.z) + number<T>(v.w));
}

// The sum of `kCount` vectors, as a tree.
template <class T, int kCount>
__device__ __forceinline__ T add_vectors(const uint4* vectors) {
  if constexpr (kCount == 1) {
    return add_vector<T>(vectors[0]);
  } else {
    return add_vectors<T, kCount / 2>(vectors) + add_vectors<T, kCount / 2>(vectors + kCount / 2);
  }
}

// The sum of a thread's accumulators, as a tree.
template <class T, int kCount>
__device__ __forceinline__ T add_all(const T* sums) {
  if constexpr (kCount == 1) {
    return sums[0];
  } else {
    return add_all<T, kCount / 2>(sums) + add_all<T, kCount / 2>(sums + kCount / 2);
  }
}

// The stages after the loads.

template <class T>
__device__ __forceinline__ T add_warp(T value) {
#pragma unroll
  for (int delta = 16; delta > 0; delta /= 2) value += __shfl_down_sync(kAllLanes, value, delta);
  return value;
}

// Thread 0 gets the sum of a block.
template <class T, uint32 kThreads>
__device__ __forceinline__ T add_block(T value) {
  constexpr uint32 kWarps = kThreads / 32;
  __shared__ T values[kWarps];
  value = add_warp(value);
  if (threadIdx.x % 32 == 0) values[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) value = add_warp(threadIdx.x < kWarps ? values[threadIdx.x] : T{0});
  return value;
}

__device__ __forceinline__ uint64 load_relaxed(const uint64* word) {
  uint64 value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
               : "=l"(value)
               : "l"(__cvta_generic_to_global(word))
               : "memory");
  return value;
}
__device__ __forceinline__ void store_relaxed(uint64* word, uint64 value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(word)),
               "l"(value)
               : "memory");
}

// One of `kPollers` threads' share of the slots, which are left empty.
template <class T, uint32 kPollers>
__device__ __forceinline__ T poll(uint64* slots, uint32 count) {
  T total{0};
  for (uint32 first = threadIdx.x; first < count; first += kPollers * 4) {
    uint64 words[4];
    bool complete;
    do {
      complete = true;
#pragma unroll
      for (uint32 i = 0; i < 4; ++i) {
        const uint32 block = first + i * kPollers;
        words[i] = block < count ? load_relaxed(slots + block) : kPresent;
        complete &= words[i] >= kPresent;
      }
    } while (!complete);
#pragma unroll
    for (uint32 i = 0; i < 4; ++i) {
      const uint32 block = first + i * kPollers;
      if (block < count) {
        total += number<T>(static_cast<uint32>(words[i]));
        store_relaxed(slots + block, 0);
      }
    }
  }
  return total;
}

template <class T>
__device__ __forceinline__ uint32 bits_of(T value) {
  if constexpr (std::is_same_v<T, float>) return __float_as_uint(value);
  return static_cast<uint32>(value);
}

// By all threads of all blocks; thread 0 has its block's total.
template <class T, uint32 kThreads>
__device__ __forceinline__ void finish_polling(T total, T* output, uint64* slots) {
  const uint32 last = gridDim.x - 1;
  if (blockIdx.x != last) {
    if (threadIdx.x == 0) store_relaxed(slots + blockIdx.x, kPresent | bits_of(total));
    return;
  }
  if (last <= 128) {
    if (threadIdx.x >= 32) return;
    T share = poll<T, 32>(slots, last);
    if (threadIdx.x == 0) share += total;
    total = add_warp(share);
  } else {
    T share = poll<T, kThreads>(slots, last);
    if (threadIdx.x == 0) share += total;
    __syncthreads();
    total = add_block<T, kThreads>(share);
  }
  if (threadIdx.x == 0) *output = total;
}

// The value in the upper half of one word, the count of arrivals in the lower.
__device__ __forceinline__ void finish_packed(int total, int* output, uint64* word) {
  if (threadIdx.x != 0) return;
  const uint64 old = atomicAdd(word, static_cast<uint64>(bits_of(total)) << 32 | 1);
  if (static_cast<uint32>(old) != gridDim.x - 1) return;
  *output = static_cast<int>(static_cast<uint32>(old >> 32) + bits_of(total));
  store_relaxed(word, 0);
}

// The kernels.

enum class Final { polling, packed };

// n is a multiple of a tile of kThreads * kUnroll vectors. With kSums > 1, a thread has as many
// accumulators: one for each component of a vector (4) or of a tile's vectors (kUnroll * 4).
template <class T, class Index, uint32 kThreads, int kMinBlocks, int kUnroll, Load kLoad, int kSums,
          Final kFinal>
__global__ void __launch_bounds__(kThreads, kMinBlocks)
    sum(const void* input, Index n, T* output, uint64* slots) {
  constexpr uint32 kTile = kThreads * kUnroll;
  const auto* vectors = static_cast<const uint4*>(input);
  const Index tiles = n / (kTile * 4);
  T sums[kSums] = {};
  for (Index tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    uint4 rows[kUnroll];
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
      rows[i] = load<kLoad>(vectors + (tile * kTile + i * kThreads + threadIdx.x));
    }
    if constexpr (kSums == 1) {
      sums[0] += add_vectors<T, kUnroll>(rows);
    } else {
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
        sums[i * 4 % kSums] += number<T>(rows[i].x);
        sums[i * 4 % kSums + 1] += number<T>(rows[i].y);
        sums[i * 4 % kSums + 2] += number<T>(rows[i].z);
        sums[i * 4 % kSums + 3] += number<T>(rows[i].w);
      }
    }
  }
  const T total = add_block<T, kThreads>(add_all<T, kSums>(sums));
  if constexpr (kFinal == Final::packed) {
    finish_packed(total, output, slots);
  } else {
    finish_polling<T, kThreads>(total, output, slots);
  }
}

// Blocks draw their tiles from a counter, so that fast ones take more. Thread 0 draws the next
// while a tile is loaded.
template <uint32 kThreads, int kUnroll>
__global__ void __launch_bounds__(kThreads)
    sum_drawn(const void* input, uint32 n, float* output, uint64* slots) {
  __shared__ uint32 drawn[2];
  constexpr uint32 kTile = kThreads * kUnroll;
  auto* const counter = reinterpret_cast<uint32*>(slots + kCounterWord);
  const auto* vectors = static_cast<const uint4*>(input);
  const uint32 tiles = n / (kTile * 4);
  float total = 0;
  uint32 turn = 0;
  for (uint32 tile = blockIdx.x; tile < tiles; tile = drawn[turn], turn ^= 1) {
    uint32 next = 0;
    if (threadIdx.x == 0) next = gridDim.x + atomicAdd(counter, 1);
    uint4 rows[kUnroll];
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
      rows[i] = load<Load::no_allocate>(vectors + (tile * kTile + i * kThreads + threadIdx.x));
    }
    total += add_vectors<float, kUnroll>(rows);
    if (threadIdx.x == 0) drawn[turn] = next;
    __syncthreads();
  }
  finish_polling<float, kThreads>(add_block<float, kThreads>(total), output, slots);
  // All others have stored their totals, so that none draws any more.
  __syncthreads();
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) *counter = 0;
}

__device__ __forceinline__ uint32 shared_address(const void* shared) {
  return static_cast<uint32>(__cvta_generic_to_shared(shared));
}
__device__ __forceinline__ void init_barrier(uint64* barrier, uint32 arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}
__device__ __forceinline__ void expect_bytes(uint64* barrier, uint32 bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}
__device__ __forceinline__ void arrive(uint64* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}
// Returns when the phase of this parity is complete. What comes from other blocks is acquired from
// the cluster, which drops the L1.
template <bool kFromCluster>
__device__ __forceinline__ void await(uint64* barrier, uint32 parity) {
  uint32 complete = 0;
  while (complete == 0) {
    if constexpr (kFromCluster) {
      asm volatile(
          "{\n\t.reg .pred complete;\n\t"
          "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 complete, [%1], %2;\n\t"
          "selp.u32 %0, 1, 0, complete;\n\t}"
          : "=r"(complete)
          : "r"(shared_address(barrier)), "r"(parity)
          : "memory");
    } else {
      asm volatile(
          "{\n\t.reg .pred complete;\n\t"
          "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], %2;\n\t"
          "selp.u32 %0, 1, 0, complete;\n\t}"
          : "=r"(complete)
          : "r"(shared_address(barrier)), "r"(parity)
          : "memory");
    }
  }
}
__device__ __forceinline__ void copy_bulk(void* shared, const void* global, uint32 bytes,
                                          uint64* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(shared)),
      "l"(__cvta_generic_to_global(global)), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

constexpr uint32 kReaders = 256;
constexpr uint32 kBulkThreads = kReaders + 32;  // the first lane of the last warp copies

// A ring of stages in shared memory, filled by bulk copies. n is a multiple of a stage.
template <uint32 kStages, uint32 kStageBytes>
__global__ void __launch_bounds__(kBulkThreads)
    sum_bulk(const void* input, uint32 n, float* output, uint64* slots) {
  extern __shared__ __align__(128) uint4 ring[];
  __shared__ uint64 full[kStages];
  __shared__ uint64 empty[kStages];
  constexpr uint32 kVectors = kStageBytes / 16;
  constexpr uint32 kPerReader = kVectors / kReaders;
  const auto* vectors = static_cast<const uint4*>(input);
  const uint32 chunks = n / (kVectors * 4);
  if (threadIdx.x == 0) {
    for (uint32 i = 0; i < kStages; ++i) {
      init_barrier(full + i, 1);
      init_barrier(empty + i, kReaders / 32);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();

  float total = 0;
  uint32 stage = 0;
  uint32 parity = 0;
  if (threadIdx.x == kReaders) {
    for (uint32 chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
      await<false>(empty + stage, parity ^ 1);  // the first round finds all stages empty
      expect_bytes(full + stage, kStageBytes);
      copy_bulk(ring + stage * kVectors, vectors + uint64{chunk} * kVectors, kStageBytes,
                full + stage);
      stage = (stage + 1) % kStages;
      if (stage == 0) parity ^= 1;
    }
  } else if (threadIdx.x < kReaders) {
    for (uint32 chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
      await<false>(full + stage, parity);
      uint4 rows[kPerReader];
#pragma unroll
      for (uint32 i = 0; i < kPerReader; ++i) {
        rows[i] = ring[stage * kVectors + i * kReaders + threadIdx.x];
      }
      total += add_vectors<float, kPerReader>(rows);
      __syncwarp();
      if (threadIdx.x % 32 == 0) arrive(empty + stage);
      stage = (stage + 1) % kStages;
      if (stage == 0) parity ^= 1;
    }
  }
  __syncwarp();
  finish_polling<float, kBulkThreads>(add_block<float, kBulkThreads>(total), output, slots);
}

// The grid's threads take vectors in turn. Blocks meet by polling, or are one cluster and send
// their totals into the first one's shared memory.
template <uint32 kThreads, bool kInCluster>
__global__ void __launch_bounds__(kThreads)
    sum_few_blocks(const void* input, uint32 n, float* output, uint64* slots) {
  __shared__ uint64 arrived;
  __shared__ float totals[16];
  if constexpr (kInCluster) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      init_barrier(&arrived, 1);
      expect_bytes(&arrived, (gridDim.x - 1) * sizeof(float));
    }
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
  }
  const auto* vectors = static_cast<const uint4*>(input);
  const uint32 count = n / 4;
  const uint32 threads = gridDim.x * kThreads;
  float total = 0;
  for (uint32 at = blockIdx.x * kThreads + threadIdx.x; at < count; at += threads * 4) {
    uint4 rows[4];
#pragma unroll
    for (uint32 i = 0; i < 4; ++i) {
      rows[i] = at + i * threads < count ? vectors[at + i * threads] : uint4{0, 0, 0, 0};
    }
    total += add_vectors<float, 4>(rows);
  }
  total = add_block<float, kThreads>(total);
  if constexpr (kInCluster) {
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    if (threadIdx.x != 0) return;
    if (blockIdx.x != 0) {
      uint32 slot;
      uint32 barrier;
      asm("mapa.shared::cluster.u32 %0, %1, 0;"
          : "=r"(slot)
          : "r"(shared_address(totals + blockIdx.x)));
      asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(barrier) : "r"(shared_address(&arrived)));
      asm volatile(
          "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(slot),
          "r"(bits_of(total)), "r"(barrier)
          : "memory");
      return;
    }
    await<true>(&arrived, 0);
    for (uint32 block = 1; block < gridDim.x; ++block) total += totals[block];
    *output = total;
  } else {
    finish_polling<float, kThreads>(total, output, slots);
  }
}

__global__ void to_integers(const float* from, int* to) {
  const uint32 i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = static_cast<int>(from[i]);
}

// Reads everything; writes nothing, since all words are zero.
__global__ void flush(uint4* words, uint32 count) {
  for (uint32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const uint4 v = words[i];
    if ((v.x | v.y | v.z | v.w) != 0) words[i] = {};
  }
}

// The host's part.

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

constexpr uint64 kRotationBytes = 256 << 20;  // four times an L2 of 64 MiB
constexpr uint64 kPoolElements = 1 << 28;
constexpr uint32 kPiece = 1 << 13;  // elements whose sum the host knows; no n is below
constexpr uint32 kMaxCalls = 512;
constexpr uint32 kPlaces = 8;  // of slots, used in turns
constexpr uint32 kPlaceWords = kCounterWord + 128;

struct Bench {
  cudaStream_t stream;
  cudaEvent_t begin, end;
  int multiprocessors;
  float* floats;
  int* integers;
  uint4* flushed;
  uint32* outputs;  // of each call
  uint64* slots;
  std::vector<long long> piece_sums;
  int rounds = 9;
  bool wrong = false;
  std::mt19937 random{1};
};
Bench bench;

template <class Pointer>
void allocate(Pointer& pointer, uint64 bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), "cudaMalloc");
  check(cudaMemset(memory, 0, bytes), "cudaMemset");
  pointer = static_cast<Pointer>(memory);
}

// Odd numbers from -127 to 127, of which all sums are below 2^24: they are exact in any order.
void fill() {
  std::vector<float> part(1 << 22);
  uint64 state = 1;
  for (uint64 at = 0; at < kPoolElements; at += part.size()) {
    for (uint64 i = 0; i < part.size(); ++i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      const int value = static_cast<int>(state >> 57) * 2 - 127;
      part[i] = static_cast<float>(value);
      if (i % kPiece == 0) bench.piece_sums.push_back(0);
      bench.piece_sums.back() += value;
    }
    check(cudaMemcpy(bench.floats + at, part.data(), part.size() * 4, cudaMemcpyHostToDevice),
          "cudaMemcpy");
  }
  to_integers<<<kRotationBytes / 4 / 256, 256>>>(bench.floats, bench.integers);
  check(cudaGetLastError(), "to_integers");
  check(cudaDeviceSynchronize(), "to_integers");
}

struct Call {
  uint64 n;
  uint64 offset;  // of the input in its pool
  uint32* output;
  uint64* slots;
};

struct Contender {
  std::string name;
  bool is_integer;
  std::function<void(const Call&)> enqueue;
  uint32 baseline = 0;  // which contender it is compared with
};

// A grid of so many waves of resident blocks, or with 0 waves of a block for each tile.
template <class Index, class T>
Contender contender(std::string name, void (*kernel)(const void*, Index, T*, uint64*),
                    uint32 threads, uint32 tile, uint32 shared = 0, uint32 waves = 1) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
        "cudaFuncSetAttribute");
  if (shared > 0) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100),
          "cudaFuncSetAttribute");
  }
  int resident = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, shared),
        "occupancy");
  const uint64 limit = static_cast<uint64>(resident) * bench.multiprocessors * waves;
  return {name, std::is_same_v<T, int>, [=](const Call& call) {
            const uint64 tiles = call.n / tile;
            const auto grid = static_cast<uint32>(waves > 0 ? std::min(limit, tiles) : tiles);
            const void* pool = std::is_same_v<T, int> ? static_cast<void*>(bench.integers)
                                                      : static_cast<void*>(bench.floats);
            kernel<<<grid, threads, shared, bench.stream>>>(
                static_cast<const T*>(pool) + call.offset, static_cast<Index>(call.n),
                reinterpret_cast<T*>(call.output), call.slots);
            check(cudaGetLastError(), name.c_str());
          }};
}

// A grid that is one cluster; `attribute` outlives it.
cudaLaunchConfig_t cluster_config(uint32 blocks, uint32 threads, cudaLaunchAttribute* attribute) {
  attribute->id = cudaLaunchAttributeClusterDimension;
  attribute->val.clusterDim = {blocks, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.stream = bench.stream;
  config.attrs = attribute;
  config.numAttrs = 1;
  return config;
}

template <uint32 kThreads, bool kInCluster>
Contender few_blocks(uint32 blocks, uint32 baseline) {
  const auto kernel = sum_few_blocks<kThreads, kInCluster>;
  const std::string name = (kInCluster ? "cluster of " : "polling, ") + std::to_string(blocks) +
                           (kInCluster ? ", " : " blocks, ") + std::to_string(kThreads) +
                           " threads";
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
        "cudaFuncSetAttribute");
  const auto enqueue = [=](const Call& call) {
    cudaLaunchAttribute attribute{};
    cudaLaunchConfig_t config = cluster_config(blocks, kThreads, &attribute);
    if (!kInCluster) config.numAttrs = 0;
    const void* const input = bench.floats + call.offset;
    check(cudaLaunchKernelEx(&config, kernel, input, static_cast<uint32>(call.n),
                             reinterpret_cast<float*>(call.output), call.slots),
          name.c_str());
  };
  return {name, false, enqueue, baseline};
}

// A contender in a cell: its calls as a graph.
struct Entry {
  const Contender* contender;
  cudaGraphExec_t graph;
  bool wrong = false;
  std::vector<float> microseconds;
};

uint64 inputs_of(uint64 n) { return std::max<uint64>(kRotationBytes / (n * 4), 1); }

uint32 calls_of(uint64 n) {
  return static_cast<uint32>(std::min<uint64>(kMaxCalls, kPoolElements * 4 / n));
}

cudaGraphExec_t capture(const Contender& contender, uint64 n) {
  cudaGraph_t graph;
  check(cudaStreamBeginCapture(bench.stream, cudaStreamCaptureModeGlobal), "capture");
  for (uint32 i = 0; i < calls_of(n); ++i) {
    contender.enqueue(
        {n, i % inputs_of(n) * n, bench.outputs + i, bench.slots + i % kPlaces * kPlaceWords});
  }
  check(cudaStreamEndCapture(bench.stream, &graph), "capture");
  cudaGraphExec_t exec;
  check(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
  check(cudaGraphDestroy(graph), "cudaGraphDestroy");
  return exec;
}

// Whether all results of a replay are right.
bool is_right(const Entry& entry, uint64 n) {
  std::vector<uint32> outputs(calls_of(n));
  check(cudaMemsetAsync(bench.outputs, 0xff, outputs.size() * 4, bench.stream), "cudaMemset");
  check(cudaGraphLaunch(entry.graph, bench.stream), "cudaGraphLaunch");
  check(cudaStreamSynchronize(bench.stream), entry.contender->name.c_str());
  check(cudaMemcpy(outputs.data(), bench.outputs, outputs.size() * 4, cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  for (uint64 i = 0; i < outputs.size(); ++i) {
    const auto* piece = bench.piece_sums.data() + i % inputs_of(n) * n / kPiece;
    long long expected = 0;
    for (uint64 k = 0; k < n / kPiece; ++k) expected += piece[k];
    float as_float;
    std::memcpy(&as_float, &outputs[i], sizeof(as_float));
    const bool same = entry.contender->is_integer ? static_cast<int>(outputs[i]) == expected
                                                  : as_float == static_cast<float>(expected);
    if (!same) return false;
  }
  return true;
}

// Microseconds per call of one replay, after an untimed one and a flush of the L2.
float time_once(const Entry& entry, uint64 n) {
  check(cudaGraphLaunch(entry.graph, bench.stream), "cudaGraphLaunch");
  flush<<<bench.multiprocessors * 8, 256, 0, bench.stream>>>(bench.flushed, kRotationBytes / 16);
  check(cudaGetLastError(), "flush");
  check(cudaEventRecord(bench.begin, bench.stream), "cudaEventRecord");
  check(cudaGraphLaunch(entry.graph, bench.stream), "cudaGraphLaunch");
  check(cudaEventRecord(bench.end, bench.stream), "cudaEventRecord");
  check(cudaEventSynchronize(bench.end), entry.contender->name.c_str());
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, bench.begin, bench.end), "cudaEventElapsedTime");
  return milliseconds * 1000 / static_cast<float>(calls_of(n));
}

float median(std::vector<float> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Times all contenders in turns, and prints their lines.
void measure(uint64 n, const std::vector<Contender>& contenders) {
  std::vector<Entry> entries;
  std::vector<uint32> order;
  for (const Contender& contender : contenders) {
    order.push_back(static_cast<uint32>(entries.size()));
    entries.push_back({&contender, capture(contender, n), false, {}});
    entries.back().wrong = !is_right(entries.back(), n);
  }
  for (int round = 0; round < bench.rounds; ++round) {
    std::shuffle(order.begin(), order.end(), bench.random);
    for (const uint32 i : order) entries[i].microseconds.push_back(time_once(entries[i], n));
  }
  for (Entry& entry : entries) {
    entry.wrong |= !is_right(entry, n);
    const float own = median(entry.microseconds);
    const float other = median(entries[entry.contender->baseline].microseconds);
    if (entry.wrong) {
      std::printf("%10llu  %-48s     WRONG\n", n, entry.contender->name.c_str());
    } else {
      std::printf("%10llu  %-48s %9.3f  %6.3f\n", n, entry.contender->name.c_str(), own,
                  own / other);
    }
    bench.wrong |= entry.wrong;
    check(cudaGraphExecDestroy(entry.graph), "cudaGraphExecDestroy");
  }
  std::fflush(stdout);
}

void print_title(const char* title) {
  std::printf("\n%s\n%10s  %-48s %9s  %6s\n", title, "n", "variant", "us", "ratio");
}

void measure_large(const char* title, const std::vector<Contender>& contenders) {
  print_title(title);
  for (int power = 20; power <= 28; power += 2) measure(uint64{1} << power, contenders);
}

// A change to the baseline.
template <Load kLoad = Load::plain, int kSums = 1, int kMinBlocks = 0, int kUnroll = 4,
          class Index = uint32>
Contender variant(const char* name) {
  return contender(name, sum<float, Index, 512, kMinBlocks, kUnroll, kLoad, kSums, Final::polling>,
                   512, 512 * kUnroll * 4);
}

template <uint32 kStages, uint32 kStageBytes>
Contender bulk(const char* name) {
  return contender(name, sum_bulk<kStages, kStageBytes>, kBulkThreads, kStageBytes / 4,
                   kStages * kStageBytes);
}

template <uint32 kThreads, int kUnroll>
Contender in_waves(const char* name, uint32 waves) {
  return contender(name,
                   sum<float, uint32, kThreads, 0, kUnroll, Load::no_allocate, 1, Final::polling>,
                   kThreads, kThreads * kUnroll * 4, 0, waves);
}

template <uint32 kThreads, int kUnroll>
Contender drawn(const char* name) {
  return contender(name, sum_drawn<kThreads, kUnroll>, kThreads, kThreads * kUnroll * 4);
}

template <Final kFinal, int kUnroll>
Contender integers(const char* name, uint32 waves) {
  return contender(name, sum<int, uint32, 256, 0, kUnroll, Load::plain, 1, kFinal>, 256,
                   256 * kUnroll * 4, 0, waves);
}

template <uint32 kThreads>
void add_few_blocks(std::vector<Contender>& contenders, uint64 n) {
  for (const uint32 blocks : {8, 16}) {
    if (blocks * kThreads * 4 > n) continue;  // some threads would have nothing
    const auto twin = static_cast<uint32>(contenders.size());
    contenders.push_back(few_blocks<kThreads, false>(blocks, twin));
    const Contender cluster = few_blocks<kThreads, true>(blocks, twin);
    cudaLaunchAttribute attribute{};
    const cudaLaunchConfig_t config = cluster_config(blocks, kThreads, &attribute);
    int clusters = 0;
    check(cudaOccupancyMaxActiveClusters(&clusters, sum_few_blocks<kThreads, true>, &config),
          cluster.name.c_str());
    if (clusters > 0) {
      contenders.push_back(cluster);
    } else {
      std::printf("%10llu  %-48s does not fit the device\n", n, cluster.name.c_str());
    }
  }
}

int main(int argc, char** argv) {
  if (argc > 2 || (argc == 2 && std::strcmp(argv[1], "--quick") != 0)) {
    std::fprintf(stderr, "usage: %s [--quick]\n", argv[0]);
    return 2;
  }
  if (argc == 2) bench.rounds = 3;
  cudaDeviceProp device;
  int driver = 0;
  check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  std::printf("%s, %d multiprocessors, driver for CUDA %d.%d\n", device.name,
              device.multiProcessorCount, driver / 1000, driver % 1000 / 10);
  std::printf("microseconds per call in a graph, median of %d rounds; ratio: to the baseline\n",
              bench.rounds);
  bench.multiprocessors = device.multiProcessorCount;
  check(cudaStreamCreateWithFlags(&bench.stream, cudaStreamNonBlocking), "cudaStreamCreate");
  check(cudaEventCreate(&bench.begin), "cudaEventCreate");
  check(cudaEventCreate(&bench.end), "cudaEventCreate");
  allocate(bench.floats, kPoolElements * 4);
  allocate(bench.integers, kRotationBytes);
  allocate(bench.flushed, kRotationBytes);
  allocate(bench.outputs, kMaxCalls * 4);
  allocate(bench.slots, uint64{kPlaces} * kPlaceWords * 8);
  fill();

  const Contender baseline = variant<>("baseline");
  measure_large("Cache hints", {baseline, variant<Load::nc>("nc"),
                                variant<Load::no_allocate>("nc, L1::no_allocate"),
                                variant<Load::evict_first>("nc, L1::no_allocate, L2 evict first"),
                                variant<Load::prefetch_128>("nc, L1::no_allocate, L2::128B"),
                                variant<Load::prefetch_256>("nc, L1::no_allocate, L2::256B"),
                                variant<Load::streaming>("cs")});
  measure_large("Bulk copies into shared memory",
                {baseline, bulk<2, 4096>("2 stages of 4 KiB"), bulk<4, 4096>("4 stages of 4 KiB"),
                 bulk<8, 4096>("8 stages of 4 KiB"), bulk<2, 8192>("2 stages of 8 KiB"),
                 bulk<4, 8192>("4 stages of 8 KiB"), bulk<8, 8192>("8 stages of 8 KiB"),
                 bulk<2, 16384>("2 stages of 16 KiB"), bulk<4, 16384>("4 stages of 16 KiB"),
                 bulk<8, 16384>("8 stages of 16 KiB")});
  measure_large("Accumulators per thread", {baseline, variant<Load::plain, 4>("4 accumulators"),
                                            variant<Load::plain, 16>("16 accumulators")});
  measure_large(
      "Registers for so many blocks of a multiprocessor",
      {baseline, variant<Load::plain, 1, 2>("at least 2 blocks"),
       variant<Load::plain, 1, 3>("at least 3 blocks"),
       variant<Load::plain, 1, 4>("at least 4 blocks"), variant<Load::plain, 1, 0, 8>("unroll 8"),
       variant<Load::plain, 1, 2, 8>("unroll 8, at least 2 blocks"),
       variant<Load::plain, 1, 3, 8>("unroll 8, at least 3 blocks"),
       variant<Load::plain, 1, 4, 8>("unroll 8, at least 4 blocks")});
  measure_large("Index of 64 bits",
                {baseline, variant<Load::plain, 1, 0, 4, uint64>("64-bit index")});
  measure_large("Who takes which tile; ratio: to the first of them",
                {in_waves<512, 4>("512 threads, unroll 4, one wave", 1),
                 in_waves<512, 4>("512 threads, unroll 4, 2 waves", 2),
                 in_waves<512, 4>("512 threads, unroll 4, 4 waves", 4),
                 in_waves<512, 4>("512 threads, unroll 4, 16 waves", 16),
                 drawn<512, 4>("512 threads, unroll 4, drawn"),
                 in_waves<512, 8>("512 threads, unroll 8, one wave", 1),
                 drawn<512, 8>("512 threads, unroll 8, drawn"),
                 in_waves<1024, 4>("1024 threads, unroll 4, one wave", 1),
                 drawn<1024, 4>("1024 threads, unroll 4, drawn"),
                 in_waves<1024, 2>("1024 threads, unroll 2, one wave", 1),
                 drawn<1024, 2>("1024 threads, unroll 2, drawn")});

  print_title("One cluster; ratio: to polling with as many blocks");
  for (int power = 13; power <= 18; ++power) {
    const uint64 n = uint64{1} << power;
    std::vector<Contender> contenders{baseline};
    add_few_blocks<128>(contenders, n);
    add_few_blocks<256>(contenders, n);
    add_few_blocks<512>(contenders, n);
    add_few_blocks<1024>(contenders, n);
    measure(n, contenders);
  }

  print_title("i32: value and count in one word, 256 threads");
  std::vector<Contender> pairs{integers<Final::polling, 4>("polling, unroll 4, one wave", 1),
                               integers<Final::packed, 4>("packed, unroll 4, one wave", 1),
                               integers<Final::polling, 1>("polling, one row per thread", 0),
                               integers<Final::packed, 1>("packed, one row per thread", 0)};
  pairs[3].baseline = 2;
  for (int power = 14; power <= 22; power += 2) measure(uint64{1} << power, pairs);
  return bench.wrong ? 1 : 0;
}
