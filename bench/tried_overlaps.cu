// Times ways in which the calls of a chain overlap: when a grid lets the next one begin, how that
// one brings its inputs into the L2 until it may load them, and how many warps look for what the
// blocks have put. It stands alone: bench/README.md says how to build and run it.
//
// The kernel is the f32 sum of the templates: loads of 16 bytes, shuffles in the block, a last
// block that polls, and launches that overlap. Every call reads another input, from memory. In a
// graph and back to back in a stream, each way with the best of several shapes of blocks and grids;
// then how fast what was prefetched is read, and when the stages of a call begin and end.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using uint32 = std::uint32_t;
using uint64 = unsigned long long;

constexpr uint32 kAllLanes = 0xffffffff;
constexpr std::size_t kAllInputs = std::size_t{256} << 20;  // four times the L2
constexpr int kMostBlocks = 2048;
constexpr int kTracedCalls = 64;

// How a grid brings its inputs into the L2 before it may load them.
enum class Ahead {
  nothing,
  lines,  // the threads of a block a line each
  bulk,   // one thread a tile
  loads,  // relaxed loads of every sector, whose values are dropped
};

// When a grid lets the next one begin.
enum class Begin {
  at_once,
  awaited,  // when the grids before are complete
  loaded,   // when its inputs are loaded
};

constexpr const char* kAheadNames[] = {"nothing", "lines", "bulk", "loads"};
constexpr const char* kBeginNames[] = {"at once", "awaited", "loaded"};

void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "tried_overlaps: %s: %s\n", what, cudaGetErrorString(result));
  std::exit(2);
}

// When block 0 was in which stage of a call, in nanoseconds of the device's clock; `done` is the
// last block's.
struct Trace {
  uint64 begun, awaited, loaded, done;
};

__device__ Trace traces[kTracedCalls];

__device__ __forceinline__ uint64 now() {
  uint64 time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
  return time;
}

__device__ __forceinline__ uint4 load(const uint4* vector) {
  uint4 v;
  asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(__cvta_generic_to_global(vector)));
  return v;
}

__device__ __forceinline__ float add_vector(uint4 v) {
  return (__uint_as_float(v.x) + __uint_as_float(v.y)) +
         (__uint_as_float(v.z) + __uint_as_float(v.w));
}

__device__ __forceinline__ float add_warp(float value) {
#pragma unroll
  for (int delta = 16; delta > 0; delta /= 2) value += __shfl_xor_sync(kAllLanes, value, delta);
  return value;
}

__device__ __forceinline__ void prefetch_lines(const char* begin, uint32 bytes, uint32 threads) {
  for (uint32 at = threadIdx.x * 128; at < bytes; at += threads * 128) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(begin + at)));
  }
}

__device__ __forceinline__ void prefetch_bulk(const char* begin, uint32 bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(begin)),
               "r"(bytes));
}

__device__ __forceinline__ uint32 load_relaxed(const char* address) {
  uint32 word;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
               : "=r"(word)
               : "l"(__cvta_generic_to_global(address)));
  return word;
}

template <int kThreads, int kUnroll, Ahead kAhead, Begin kBegin, int kPollingWarps>
__global__ void __launch_bounds__(kThreads)
    sum(const uint4* input, uint32 vectors, float* output, uint64* slots, int traced) {
  constexpr uint32 kTile = kThreads * kUnroll;
  constexpr int kSectors = kUnroll / 2 > 0 ? kUnroll / 2 : 1;  // of a tile, for each thread
  const uint64 begun = now();
  if (kBegin == Begin::at_once) asm volatile("griddepcontrol.launch_dependents;");
  const uint32 tiles = vectors / kTile;
  uint32 dropped[kSectors] = {};
  for (uint32 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const auto* const begin = reinterpret_cast<const char*>(input + tile * kTile);
    if (kAhead == Ahead::lines) prefetch_lines(begin, kTile * sizeof(uint4), kThreads);
    if (kAhead == Ahead::bulk && threadIdx.x == 0) prefetch_bulk(begin, kTile * sizeof(uint4));
    if (kAhead == Ahead::loads) {
#pragma unroll
      for (int i = 0; i < kSectors; ++i) {
        dropped[i] = load_relaxed(begin + (i * kThreads + threadIdx.x) * 32);
      }
    }
  }
  asm volatile("griddepcontrol.wait;" ::: "memory");
  const uint64 awaited = now();
  if (kBegin == Begin::awaited) asm volatile("griddepcontrol.launch_dependents;");

  float total = 0;
  for (uint32 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    uint4 rows[kUnroll];
#pragma unroll
    for (int i = 0; i < kUnroll; ++i)
      rows[i] = load(input + tile * kTile + i * kThreads + threadIdx.x);
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) total += add_vector(rows[i]);
  }
  if (kAhead == Ahead::loads) {  // the compiler may not drop them
#pragma unroll
    for (int i = 0; i < kSectors; ++i) total += dropped[i] == 0x7fc12345 ? 1 : 0;
  }
  if (kBegin == Begin::loaded) asm volatile("griddepcontrol.launch_dependents;");

  __shared__ float values[32];
  __shared__ volatile int is_won;
  const uint32 lane = threadIdx.x % 32;
  const uint32 warp = threadIdx.x / 32;
  if (threadIdx.x == 0) is_won = 0;
  total = add_warp(total);
  if (lane == 0) values[warp] = total;
  __syncthreads();
  const uint64 loaded = now();
  if (threadIdx.x < kPollingWarps * 32) total = add_warp(lane < kThreads / 32 ? values[lane] : 0);
  if (traced >= 0 && blockIdx.x == 0 && threadIdx.x == 0) {
    traces[traced].begun = begun;
    traces[traced].awaited = awaited;
    traces[traced].loaded = loaded;
  }

  const uint32 last = gridDim.x - 1;
  if (blockIdx.x != last) {
    if (threadIdx.x != 0) return;
    const uint64 slot = uint64{__float_as_uint(total)} << 32 | 1;
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(slots + blockIdx.x), "l"(slot) : "memory");
    return;
  }
  if (warp >= kPollingWarps) return;
  float sum_of_slots = lane == 0 ? total : 0;
  for (uint32 first = lane; first < last; first += 32) {
    uint64 slot;
    do {
      asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(slot) : "l"(slots + first) : "memory");
    } while ((slot & 1) == 0 && is_won == 0);
    sum_of_slots += __uint_as_float(static_cast<uint32>(slot >> 32));
  }
  __syncwarp();
  int wins = lane == 0 ? atomicExch(const_cast<int*>(&is_won), 1) == 0 : 0;
  wins = __shfl_sync(kAllLanes, wins, 0);
  if (wins == 0) return;
  sum_of_slots = add_warp(sum_of_slots);
  if (lane == 0) {
    *output = sum_of_slots;
    if (traced >= 0) traces[traced].done = now();
  }
  for (uint32 i = lane; i < last; i += 32) {
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(slots + i), "l"(uint64{0}) : "memory");
  }
}

using Kernel = void (*)(const uint4*, uint32, float*, uint64*, int);

struct Way {
  Ahead ahead;
  Begin begin;
  int polling_warps;
  int threads;
  int unroll;
  Kernel kernel;
};

std::vector<Way> ways;

template <int kThreads, int kUnroll, Ahead kAhead, Begin kBegin>
void add_way() {
  ways.push_back({kAhead, kBegin, 1, kThreads, kUnroll, sum<kThreads, kUnroll, kAhead, kBegin, 1>});
  ways.push_back({kAhead, kBegin, 4, kThreads, kUnroll, sum<kThreads, kUnroll, kAhead, kBegin, 4>});
}

template <int kThreads, int kUnroll>
void add_shape() {
  add_way<kThreads, kUnroll, Ahead::nothing, Begin::at_once>();
  add_way<kThreads, kUnroll, Ahead::lines, Begin::at_once>();
  add_way<kThreads, kUnroll, Ahead::lines, Begin::awaited>();
  add_way<kThreads, kUnroll, Ahead::lines, Begin::loaded>();
  add_way<kThreads, kUnroll, Ahead::bulk, Begin::at_once>();
  add_way<kThreads, kUnroll, Ahead::bulk, Begin::awaited>();
  add_way<kThreads, kUnroll, Ahead::bulk, Begin::loaded>();
  add_way<kThreads, kUnroll, Ahead::loads, Begin::at_once>();
  add_way<kThreads, kUnroll, Ahead::loads, Begin::awaited>();
  add_way<kThreads, kUnroll, Ahead::loads, Begin::loaded>();
}

struct Memory {
  char* inputs = nullptr;
  float* output = nullptr;
  uint64* slots = nullptr;
  cudaStream_t stream = nullptr;
};

Memory memory;

// Calls that read one input after the other.
void enqueue(const Way& way, int blocks, std::size_t bytes, int calls, bool is_traced) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = way.threads;
  config.stream = memory.stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  const std::size_t places = kAllInputs / bytes;
  for (int i = 0; i < calls; ++i) {
    const auto* const input = reinterpret_cast<const uint4*>(memory.inputs + i % places * bytes);
    check(cudaLaunchKernelEx(&config, way.kernel, input, static_cast<uint32>(bytes / sizeof(uint4)),
                             memory.output, memory.slots, is_traced ? i % kTracedCalls : -1),
          "launching");
  }
}

double median(std::vector<double> samples) {
  std::ranges::sort(samples);
  return samples[samples.size() / 2];
}

class Graph {
 public:
  Graph(const Way& way, int blocks, std::size_t bytes, int calls, bool is_traced = false) {
    check(cudaStreamBeginCapture(memory.stream, cudaStreamCaptureModeThreadLocal), "capturing");
    enqueue(way, blocks, bytes, calls, is_traced);
    check(cudaStreamEndCapture(memory.stream, &graph_), "capturing");
    check(cudaGraphInstantiate(&executable_, graph_, 0), "instantiating a graph");
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    cudaGraphExecDestroy(executable_);
    cudaGraphDestroy(graph_);
  }
  void launch() { check(cudaGraphLaunch(executable_, memory.stream), "launching a graph"); }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

// Microseconds for each of `calls` calls, which `enqueue_all` enqueues.
template <class Enqueue>
double time_calls(int calls, Enqueue enqueue_all) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "making an event");
  check(cudaEventCreate(&end), "making an event");
  std::vector<double> samples;
  for (int i = 0; i < 6; ++i) {
    enqueue_all();
    check(cudaEventRecord(begin, memory.stream), "timing");
    enqueue_all();
    check(cudaEventRecord(end, memory.stream), "timing");
    check(cudaEventSynchronize(end), "waiting");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end), "timing");
    samples.push_back(ms * 1e3 / calls);
  }
  check(cudaEventDestroy(begin), "destroying an event");
  check(cudaEventDestroy(end), "destroying an event");
  return median(samples);
}

double time_graph(const Way& way, int blocks, std::size_t bytes) {
  const int calls = static_cast<int>(std::clamp<std::size_t>(kAllInputs / bytes, 32, 256));
  Graph graph(way, blocks, bytes, calls);
  return time_calls(calls, [&] { graph.launch(); });
}

double time_stream(const Way& way, int blocks, std::size_t bytes) {
  constexpr int kCalls = 200;
  return time_calls(kCalls, [&] { enqueue(way, blocks, bytes, kCalls, false); });
}

// Grids of one tile for each block, and of fewer blocks than that, all of which are resident.
std::vector<int> grids_of(const Way& way, std::size_t bytes, int multiprocessors) {
  int resident = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, way.kernel, way.threads, 0),
        "asking for the occupancy");
  resident *= multiprocessors;
  const int tiles = static_cast<int>(bytes / sizeof(uint4)) / (way.threads * way.unroll);
  std::vector<int> grids;
  for (const int blocks : {128, multiprocessors, 256}) {
    if (blocks < tiles && blocks <= resident) grids.push_back(blocks);
  }
  if (tiles >= 16 && tiles <= std::min(resident, kMostBlocks)) grids.push_back(tiles);
  return grids;
}

struct Best {
  double us = 1e30;
  int threads = 0;
  int unroll = 0;
  int blocks = 0;
  void take(double time, const Way& way, int grid) {
    if (time < us) *this = {time, way.threads, way.unroll, grid};
  }
  void print() const { std::printf("  %6.2f (%4d x %-4d u%d)", us, blocks, threads, unroll); }
};

void print_best(std::size_t bytes, int multiprocessors) {
  std::printf("\n%zu KiB: the best of all shapes (blocks x threads, unroll), us\n", bytes >> 10);
  std::printf("%-8s %-8s  %-23s  %-23s  %-23s  %s\n", "ahead", "begin", "graph, 1 warp polls",
              "graph, 4 warps poll", "stream, 1 warp polls", "stream, 4 warps poll");
  for (std::size_t first = 0; first < 20; first += 2) {
    Best best[4];
    for (std::size_t i = first; i < ways.size(); i += 20) {
      for (int polling = 0; polling < 2; ++polling) {
        const Way& way = ways[i + polling];
        for (const int blocks : grids_of(way, bytes, multiprocessors)) {
          best[polling].take(time_graph(way, blocks, bytes), way, blocks);
          best[2 + polling].take(time_stream(way, blocks, bytes), way, blocks);
        }
      }
    }
    std::printf("%-8s %-8s", kAheadNames[static_cast<int>(ways[first].ahead)],
                kBeginNames[static_cast<int>(ways[first].begin)]);
    for (const Best& one : best) one.print();
    std::printf("\n");
    std::fflush(stdout);
  }
}

// When the stages of a call begin and end, after the end of the call before: means of a chain.
void print_stages(const Way& way, std::size_t bytes, bool in_graph) {
  const int blocks = static_cast<int>(bytes / sizeof(uint4)) / (way.threads * way.unroll);
  if (in_graph) {
    Graph graph(way, blocks, bytes, kTracedCalls, true);
    for (int i = 0; i < 4; ++i) graph.launch();
    check(cudaStreamSynchronize(memory.stream), "waiting");
  } else {
    enqueue(way, blocks, bytes, 4 * kTracedCalls, true);
    check(cudaStreamSynchronize(memory.stream), "waiting");
  }
  Trace seen[kTracedCalls];
  check(cudaMemcpyFromSymbol(seen, traces, sizeof(seen)), "copying");
  double begun = 0, awaited = 0, loaded = 0, done = 0;
  int calls = 0;
  for (int i = kTracedCalls / 2; i < kTracedCalls - 1; ++i, ++calls) {
    const double end = static_cast<double>(seen[i - 1].done);
    begun += static_cast<double>(seen[i].begun) - end;
    awaited += static_cast<double>(seen[i].awaited) - end;
    loaded += static_cast<double>(seen[i].loaded) - end;
    done += static_cast<double>(seen[i].done) - end;
  }
  std::printf("%6zu KiB  %-6s  %-7s %-8s %9.0f %9.0f %9.0f %9.0f\n", bytes >> 10,
              in_graph ? "graph" : "stream", kAheadNames[static_cast<int>(way.ahead)],
              kBeginNames[static_cast<int>(way.begin)], begun / calls, awaited / calls,
              loaded / calls, done / calls);
}

// How fast inputs are read that were brought into the L2 before.

__global__ void __launch_bounds__(1024) bring(const uint4* input, uint32 vectors, int how) {
  const uint32 share = vectors / gridDim.x;
  const auto* const begin = reinterpret_cast<const char*>(input + blockIdx.x * share);
  const uint32 bytes = share * sizeof(uint4);
  if (how == 1) prefetch_lines(begin, bytes, 1024);
  if (how == 2 && threadIdx.x == 0) prefetch_bulk(begin, bytes);
  uint32 dropped = 0;
  if (how == 3) {
    for (uint32 at = threadIdx.x * 32; at < bytes; at += 1024 * 32)
      dropped ^= load_relaxed(begin + at);
  }
  if (dropped == 0x12345) __trap();
}

__global__ void __launch_bounds__(1024)
    read_all(const uint4* input, uint32 vectors, uint64* begins, uint64* ends) {
  const uint64 begin = now();
  const uint32 share = vectors / gridDim.x;
  float total = 0;
#pragma unroll 4
  for (uint32 i = threadIdx.x; i < share; i += 1024) {
    total += add_vector(load(input + blockIdx.x * share + i));
  }
  if (total == 12345.678f) __trap();
  __syncthreads();
  if (threadIdx.x != 0) return;
  begins[blockIdx.x] = begin;
  ends[blockIdx.x] = now();
}

__global__ void spin(uint64 nanoseconds) {
  const uint64 begin = now();
  while (now() - begin < nanoseconds) {
  }
}

void print_read(std::size_t bytes) {
  constexpr int kBlocks = 128;
  constexpr const char* kHow[] = {"nothing", "lines", "bulk", "loads"};
  uint64* times = nullptr;
  check(cudaMalloc(&times, 2 * kBlocks * sizeof(uint64)), "allocating");
  std::printf("%6zu KiB", bytes >> 10);
  for (int how = 0; how < 4; ++how) {
    std::vector<double> spans;
    for (int round = 0; round < 21; ++round) {
      const std::size_t half = kAllInputs / 2;
      const auto* const input =
          reinterpret_cast<const uint4*>(memory.inputs + round % (half / bytes) * bytes);
      const auto* const other = reinterpret_cast<const uint4*>(memory.inputs + half);
      const auto vectors = static_cast<uint32>(bytes / sizeof(uint4));
      // What was in the L2 goes.
      read_all<<<kBlocks, 1024, 0, memory.stream>>>(
          other, static_cast<uint32>(half / sizeof(uint4)), times, times + kBlocks);
      if (how > 0) bring<<<kBlocks, 1024, 0, memory.stream>>>(input, vectors, how);
      spin<<<1, 1, 0, memory.stream>>>(10000);
      read_all<<<kBlocks, 1024, 0, memory.stream>>>(input, vectors, times, times + kBlocks);
      std::vector<uint64> seen(2 * kBlocks);
      check(cudaMemcpyAsync(seen.data(), times, seen.size() * sizeof(uint64), cudaMemcpyDefault,
                            memory.stream),
            "copying");
      check(cudaStreamSynchronize(memory.stream), "waiting");
      spans.push_back(static_cast<double>(*std::max_element(seen.begin() + kBlocks, seen.end()) -
                                          *std::min_element(seen.begin(), seen.begin() + kBlocks)));
    }
    std::printf("  %s %5.0f", kHow[how], median(spans));
  }
  std::printf("\n");
  check(cudaFree(times), "freeing");
}

}  // namespace

int main() {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "asking for the device");
  std::printf("%s, %d multiprocessors\n", properties.name, properties.multiProcessorCount);
  check(cudaStreamCreate(&memory.stream), "making a stream");
  check(cudaMalloc(&memory.inputs, kAllInputs), "allocating");
  check(cudaMalloc(&memory.output, sizeof(float)), "allocating");
  check(cudaMalloc(&memory.slots, kMostBlocks * sizeof(uint64)), "allocating");
  check(cudaMemset(memory.slots, 0, kMostBlocks * sizeof(uint64)), "clearing");
  // Whole numbers, whose sums are exact; the sum of each 16 bytes is 6.
  const std::vector<float> pattern = {-3, 5, 0, 4};
  std::vector<float> values(kAllInputs / sizeof(float));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = pattern[i % 4];
  check(cudaMemcpy(memory.inputs, values.data(), kAllInputs, cudaMemcpyDefault), "copying");

  add_shape<1024, 1>();
  add_shape<1024, 2>();
  add_shape<1024, 4>();
  add_shape<1024, 8>();
  add_shape<512, 2>();
  add_shape<512, 4>();
  add_shape<256, 4>();
  int wrong = 0;
  for (const Way& way : ways) {
    const std::size_t bytes = std::size_t{4} << 20;
    for (const int blocks : grids_of(way, bytes, properties.multiProcessorCount)) {
      enqueue(way, blocks, bytes, 20, false);
      float result = 0;
      check(cudaMemcpy(&result, memory.output, sizeof(result), cudaMemcpyDefault), "copying");
      if (result == static_cast<float>(bytes / sizeof(uint4) * 6)) continue;
      std::printf("WRONG: %g, %s, %s, %d x %d\n", result, kAheadNames[static_cast<int>(way.ahead)],
                  kBeginNames[static_cast<int>(way.begin)], blocks, way.threads);
      ++wrong;
    }
  }

  std::printf("\nNanoseconds to read inputs that were brought into the L2 by what is named\n");
  for (const std::size_t mib : {4, 8, 16}) print_read(mib << 20);

  std::printf(
      "\nWhen the stages of a call begin, ns after the end of the call before, 1024 threads\n");
  std::printf("%10s  %-6s  %-7s %-8s %9s %9s %9s %9s\n", "", "", "ahead", "begin", "begun",
              "awaited", "loaded", "done");
  for (const std::size_t mib : {4, 8}) {
    for (const bool in_graph : {true, false}) {
      for (const Way& way : ways) {
        if (way.threads != 1024 || way.unroll != (mib == 4 ? 2 : 4) || way.polling_warps != 4)
          continue;
        print_stages(way, mib << 20, in_graph);
      }
    }
  }
  for (const std::size_t mib : {1, 2, 4, 8, 16, 32}) {
    print_best(mib << 20, properties.multiProcessorCount);
  }
  return wrong > 0 ? 1 : 0;
}
