// Times ways to launch one kernel for each call, and to wait for it: with and without overlap, and
// as a graph of one node whose arguments are replaced before each launch; until the stream is idle,
// and until the host sees what the kernel stored. Then what graphs take to be made and to be kept,
// and what several threads make of a launch. It stands alone: bench/README.md says how to build and
// run it.
//
// The kernel reads n floats, as a sum does, and counts its calls; its blocks do not meet. Inputs
// come from eight places in turns, which the L2 holds. Each way is checked by the count of calls.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPlaces = 8;
constexpr std::uint32_t kMostElements = 1 << 20;

void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* text = "unknown error";
  cuGetErrorString(result, &text);
  std::fprintf(stderr, "tried_launches: %s: %s\n", what, text);
  std::exit(2);
}

void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "tried_launches: %s: %s\n", what, cudaGetErrorString(result));
  std::exit(2);
}

__global__ void read_all(const float4* input, std::uint32_t vectors, std::uint32_t* calls,
                         std::uint32_t* output) {
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
  float sum = 0;
  const std::uint32_t stride = gridDim.x * blockDim.x;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += stride) {
    const float4 v = input[i];
    sum += v.x + v.y + v.z + v.w;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    ++*calls;
    *static_cast<volatile std::uint32_t*>(output) = *calls;
  }
  if (sum != 0) *output = 0;  // the inputs are zeros: never, but the loads stay
}

/// A call and its arguments, whose input is another one in each call.
struct Launch {
  CUfunction function = nullptr;
  CUstream stream = nullptr;
  std::uint32_t blocks = 1;
  std::uint32_t threads = 1;
  const char* place = nullptr;
  std::uint32_t vectors = 0;
  std::uint32_t* calls = nullptr;
  std::uint32_t* output = nullptr;  ///< in the host's memory
  const char* inputs = nullptr;
  int next = 0;
  std::array<void*, 4> arguments{};

  void advance() {
    place = inputs + static_cast<std::size_t>(next) * kMostElements * sizeof(float);
    next = (next + 1) % kPlaces;
  }
};

void launch_kernel(Launch& launch, bool overlaps) {
  launch.advance();
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attribute.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig config{};
  config.gridDimX = launch.blocks;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = launch.threads;
  config.blockDimY = config.blockDimZ = 1;
  config.hStream = launch.stream;
  config.attrs = &attribute;
  config.numAttrs = overlaps ? 1 : 0;
  check(cuLaunchKernelEx(&config, launch.function, launch.arguments.data(), nullptr), "launching");
}

/// Executable graphs of that kernel alone, used in turns.
class Graphs {
 public:
  Graphs(Launch& launch, int count) : launch_(launch), executables_(count) {
    launch.advance();
    node_params_.func = launch.function;
    node_params_.gridDimX = launch.blocks;
    node_params_.gridDimY = node_params_.gridDimZ = 1;
    node_params_.blockDimX = launch.threads;
    node_params_.blockDimY = node_params_.blockDimZ = 1;
    node_params_.kernelParams = launch.arguments.data();
    check(cuGraphCreate(&graph_, 0), "making a graph");
    check(cuGraphAddKernelNode(&node_, graph_, nullptr, 0, &node_params_), "adding a node");
    for (CUgraphExec& executable : executables_) {
      check(cuGraphInstantiate(&executable, graph_, 0), "instantiating a graph");
      check(cuGraphUpload(executable, launch.stream), "uploading a graph");
    }
  }
  Graphs(const Graphs&) = delete;
  Graphs& operator=(const Graphs&) = delete;
  ~Graphs() {
    for (const CUgraphExec executable : executables_) cuGraphExecDestroy(executable);
    cuGraphDestroy(graph_);
  }

  void launch(bool has_new_arguments) {
    const CUgraphExec executable = executables_[next_++ % executables_.size()];
    if (has_new_arguments) {
      launch_.advance();
      check(cuGraphExecKernelNodeSetParams(executable, node_, &node_params_),
            "replacing arguments");
    }
    check(cuGraphLaunch(executable, launch_.stream), "launching a graph");
  }

  /// Twice as many blocks as the launch before, or half as many.
  void launch_another_grid() {
    node_params_.gridDimX =
        node_params_.gridDimX == launch_.blocks ? 2 * launch_.blocks : launch_.blocks;
    launch(/*has_new_arguments=*/true);
  }

 private:
  Launch& launch_;
  CUDA_KERNEL_NODE_PARAMS node_params_{};
  CUgraph graph_ = nullptr;
  CUgraphNode node_ = nullptr;
  std::vector<CUgraphExec> executables_;
  std::size_t next_ = 0;
};

double median(std::vector<double> samples) {
  std::ranges::sort(samples);
  return samples[samples.size() / 2];
}

/// Nanoseconds of the host for each of `calls` calls on an idle stream; with `waits`, until all of
/// them have ended.
double time_calls(const Launch& launch, const std::function<void()>& call, int samples, int calls,
                  bool waits) {
  std::vector<double> nanoseconds;
  for (int i = 0; i < samples; ++i) {
    check(cuStreamSynchronize(launch.stream), "waiting");
    const Clock::time_point begin = Clock::now();
    for (int k = 0; k < calls; ++k) call();
    if (waits) check(cuStreamSynchronize(launch.stream), "waiting");
    const std::chrono::duration<double, std::nano> taken = Clock::now() - begin;
    nanoseconds.push_back(taken.count() / calls);
  }
  return median(std::move(nanoseconds));
}

/// Nanoseconds until the host sees the count that a call stored.
double time_until_seen(const Launch& launch, const std::function<void()>& call, int samples) {
  std::vector<double> nanoseconds;
  for (int i = 0; i < samples; ++i) {
    check(cuStreamSynchronize(launch.stream), "waiting");
    const std::uint32_t before = *launch.output;
    const Clock::time_point begin = Clock::now();
    call();
    while (*static_cast<const volatile std::uint32_t*>(launch.output) == before) {
    }
    const std::chrono::duration<double, std::nano> taken = Clock::now() - begin;
    nanoseconds.push_back(taken.count());
  }
  return median(std::move(nanoseconds));
}

/// Whether the kernel ran once for each call.
bool report(Launch& launch, const char* name, const std::function<void()>& call) {
  int made = 0;
  const std::function<void()> counted = [&] {
    call();
    ++made;
  };
  check(cuMemsetD32(reinterpret_cast<CUdeviceptr>(launch.calls), 0, 1), "clearing the count");
  const double host = time_calls(launch, counted, 41, 200, /*waits=*/false);
  const double stream = time_calls(launch, counted, 9, 3000, /*waits=*/true);
  const double latency = time_calls(launch, counted, 501, 1, /*waits=*/true);
  const double seen = time_until_seen(launch, counted, 501);
  std::uint32_t ran = 0;
  check(cuStreamSynchronize(launch.stream), "waiting");
  check(cudaMemcpy(&ran, launch.calls, sizeof(ran), cudaMemcpyDefault), "reading the count");
  const bool is_right = ran == static_cast<std::uint32_t>(made);
  std::printf("%8u  %-36s %7.2f %7.2f %8.2f %7.2f%s\n", launch.vectors * 4, name, host / 1e3,
              stream / 1e3, latency / 1e3, seen / 1e3, is_right ? "" : "  WRONG");
  return is_right;
}

std::size_t free_memory() {
  check(cuCtxSynchronize(), "waiting");
  std::size_t free = 0;
  std::size_t total = 0;
  check(cuMemGetInfo(&free, &total), "asking for free memory");
  return free;
}

/// What it takes to make graphs and to keep them.
void report_graphs(Launch& launch) {
  constexpr int kGraphs = 1000;
  const std::size_t before = free_memory();
  const Clock::time_point begin = Clock::now();
  const Graphs graphs(launch, kGraphs);
  const std::chrono::duration<double, std::micro> taken = Clock::now() - begin;
  std::printf("%d graphs of one node: %.1f us to make one, %zu bytes of the device each\n", kGraphs,
              taken.count() / kGraphs, (before - free_memory()) / kGraphs);
}

/// Microseconds of each call where so many threads call, each on a stream of its own.
double time_threads(const Launch& launch, int threads, bool as_graph) {
  constexpr int kCalls = 20'000;
  std::vector<double> each(threads);
  std::barrier ready(threads);
  std::vector<std::jthread> running;
  for (int thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      check(cudaSetDevice(0), "using the device");
      Launch own = launch;
      check(cuStreamCreate(&own.stream, CU_STREAM_NON_BLOCKING), "making a stream");
      check(cudaMalloc(&own.calls, sizeof(*own.calls)), "allocating");
      own.arguments = {&own.place, &own.vectors, &own.calls, &own.output};
      Graphs graph(own, 1);
      ready.arrive_and_wait();
      const Clock::time_point begin = Clock::now();
      for (int i = 0; i < kCalls; ++i) {
        if (as_graph) {
          graph.launch(true);
        } else {
          launch_kernel(own, true);
        }
      }
      const std::chrono::duration<double, std::micro> taken = Clock::now() - begin;
      each[thread] = taken.count() / kCalls;
      check(cuStreamSynchronize(own.stream), "waiting");
    });
  }
  running.clear();
  return median(std::move(each));
}

}  // namespace

int main() {
  check(cudaFree(nullptr), "making a context");
  Launch launch;
  check(cudaGetFuncBySymbol(&launch.function, reinterpret_cast<const void*>(read_all)),
        "finding the kernel");
  check(cuStreamCreate(&launch.stream, CU_STREAM_NON_BLOCKING), "making a stream");
  const std::size_t bytes = std::size_t{kPlaces} * kMostElements * sizeof(float);
  void* inputs = nullptr;
  check(cudaMalloc(&inputs, bytes), "allocating");
  check(cudaMemset(inputs, 0, bytes), "clearing the inputs");
  check(cudaMalloc(&launch.calls, sizeof(*launch.calls)), "allocating");
  check(cudaMallocHost(&launch.output, sizeof(*launch.output)), "allocating");
  launch.inputs = static_cast<const char*>(inputs);
  launch.arguments = {&launch.place, &launch.vectors, &launch.calls, &launch.output};

  std::printf(
      "microseconds per call: of the host, back to back, with a wait for each, and until "
      "its result is seen\n");
  std::printf("%8s  %-36s %7s %7s %8s %7s\n", "n", "launch", "host", "stream", "latency", "seen");
  bool is_right = true;
  struct Shape {
    std::uint32_t elements, blocks, threads;
  };
  for (const auto& [elements, blocks, threads] :
       {Shape{1 << 10, 1, 256}, Shape{1 << 12, 1, 512}, Shape{1 << 16, 64, 128},
        Shape{1 << 18, 128, 128}, Shape{kMostElements, 256, 256}}) {
    launch.vectors = elements / 4;
    launch.blocks = blocks;
    launch.threads = threads;
    Graphs one(launch, 1);
    Graphs several(launch, 16);
    is_right &= report(launch, "overlapping", [&] { launch_kernel(launch, true); });
    is_right &= report(launch, "plain", [&] { launch_kernel(launch, false); });
    is_right &= report(launch, "graph, the same arguments", [&] { one.launch(false); });
    is_right &= report(launch, "graph, new arguments", [&] { one.launch(true); });
    is_right &= report(launch, "16 graphs in turns, new arguments", [&] { several.launch(true); });
    Graphs two_grids(launch, 1);
    is_right &=
        report(launch, "graph, two grids in turns", [&] { two_grids.launch_another_grid(); });
    int turn = 0;
    is_right &= report(launch, "graph and overlapping in turns", [&] {
      if (turn++ % 2 == 0) return one.launch(true);
      launch_kernel(launch, true);
    });
  }
  launch.vectors = 256;
  launch.blocks = 1;
  launch.threads = 256;
  report_graphs(launch);
  std::printf("microseconds per call of 1024 floats, in each of several threads\n");
  for (const int threads : {1, 4, 16}) {
    std::printf("%2d threads: overlapping %6.2f, graph, new arguments %6.2f\n", threads,
                time_threads(launch, threads, false), time_threads(launch, threads, true));
  }
  return is_right ? 0 : 1;
}
