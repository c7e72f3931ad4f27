// Times forms of one launch, back to back in one stream: how the arguments are handed over, which
// attributes the launch has, which stream it goes to, and the same as a graph of one node. It
// stands alone: bench/README.md says how to build and run it. With an argument, its thread stays on
// one core.
//
// The kernels load one float for each thread and store one, in a warp of which nothing is awaited.
#include <cuda.h>
#include <cuda_runtime.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 60;
constexpr int kCalls = 400;  ///< in a round, fewer than a stream holds
constexpr unsigned kThreads = 32;
constexpr std::uint32_t kElements = 1024;

void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* text = "unknown error";
  cuGetErrorString(result, &text);
  std::fprintf(stderr, "tried_launch_forms: %s: %s\n", what, text);
  std::exit(2);
}

void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "tried_launch_forms: %s: %s\n", what, cudaGetErrorString(result));
  std::exit(2);
}

struct Arguments {
  const float* input;
  std::uint32_t count;
  float* output;
  void* scratch;
  bool inputs_ready;
};

__device__ void begin_with_the_previous() {
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

__device__ void load_and_store(const float* input, std::uint32_t count, float* output) {
  const float value = input[threadIdx.x % count];
  if (value != 0 || threadIdx.x == 0) *output = value;
}

__global__ void __launch_bounds__(kThreads)
    five_arguments(const float* input, std::uint32_t count, float* output, void*, bool) {
  begin_with_the_previous();
  load_and_store(input, count, output);
}

__global__ void __launch_bounds__(kThreads) one_argument(Arguments arguments) {
  begin_with_the_previous();
  load_and_store(arguments.input, arguments.count, arguments.output);
}

__global__ void __launch_bounds__(kThreads) no_arguments() { begin_with_the_previous(); }

__global__ void __launch_bounds__(kThreads)
    with_shared_memory(const float* input, std::uint32_t, float* output, void*, bool) {
  __shared__ volatile float values[kThreads];
  values[threadIdx.x] = input[threadIdx.x];
  __syncthreads();
  begin_with_the_previous();
  if (values[kThreads - 1 - threadIdx.x] != 0 || threadIdx.x == 0) *output = values[3];
}

CUfunction find(const void* kernel) {
  CUfunction function = nullptr;
  check(cudaGetFuncBySymbol(&function, kernel), "finding a kernel");
  return function;
}

struct Form {
  const char* name;
  CUstream stream;
  std::function<void()> launch;
  std::vector<double> host_us{};
  std::vector<double> stream_us{};
};

/// One form of the launch; what `arguments` and `extra` point to outlives it.
Form make_form(const char* name, CUfunction function, void** arguments, void** extra,
               CUstream stream, std::vector<CUlaunchAttribute> attributes, unsigned blocks = 1) {
  return {.name = name, .stream = stream, .launch = [=]() mutable {
            CUlaunchConfig config{};
            config.gridDimX = blocks;
            config.gridDimY = config.gridDimZ = 1;
            config.blockDimX = kThreads;
            config.blockDimY = config.blockDimZ = 1;
            config.hStream = stream;
            config.attrs = attributes.data();
            config.numAttrs = static_cast<unsigned>(attributes.size());
            check(cuLaunchKernelEx(&config, function, arguments, extra), "launching");
          }};
}

CUlaunchAttribute make_attribute(CUlaunchAttributeID id, const CUlaunchAttributeValue& value) {
  CUlaunchAttribute attribute{};
  attribute.id = id;
  attribute.value = value;
  return attribute;
}

struct GraphOptions {
  bool has_new_arguments = true;  ///< they are replaced before each launch
  std::vector<CUlaunchAttribute> attributes{};
  CUgraphInstantiate_flags flags{};
};

/// The launch as a graph of one node, which is there until the program ends.
Form make_graph_form(const char* name, CUfunction function, void** arguments, void** extra,
                     CUstream stream, const GraphOptions& options = {}) {
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = function;
  params.gridDimX = params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = kThreads;
  params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = arguments;
  params.extra = extra;
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  check(cuGraphCreate(&graph, 0), "making a graph");
  check(cuGraphAddKernelNode(&node, graph, nullptr, 0, &params), "adding a node");
  for (const CUlaunchAttribute& attribute : options.attributes) {
    check(cuGraphKernelNodeSetAttribute(node, attribute.id, &attribute.value),
          "giving a node an attribute");
  }
  CUgraphExec executable = nullptr;
  check(cuGraphInstantiate(&executable, graph, options.flags), "instantiating a graph");
  check(cuGraphUpload(executable, stream), "uploading a graph");
  return {.name = name, .stream = stream, .launch = [=, replaces = options.has_new_arguments] {
            if (replaces) {
              check(cuGraphExecKernelNodeSetParams(executable, node, &params),
                    "replacing arguments");
            }
            check(cuGraphLaunch(executable, stream), "launching a graph");
          }};
}

void time(Form& form, CUevent begin, CUevent end) {
  for (int i = 0; i < 20; ++i) form.launch();
  check(cuStreamSynchronize(form.stream), "waiting");
  check(cuEventRecord(begin, form.stream), "recording an event");
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < kCalls; ++i) form.launch();
  const std::chrono::duration<double, std::micro> taken = Clock::now() - start;
  check(cuEventRecord(end, form.stream), "recording an event");
  check(cuStreamSynchronize(form.stream), "waiting");
  float milliseconds = 0;
  check(cuEventElapsedTime(&milliseconds, begin, end), "reading events");
  form.host_us.push_back(taken.count() / kCalls);
  form.stream_us.push_back(milliseconds * 1e3 / kCalls);
}

void report(Form& form) {
  std::ranges::sort(form.host_us);
  std::ranges::sort(form.stream_us);
  std::printf("%-32s host %.2f (least %.2f)  stream %.2f (least %.2f)\n", form.name,
              form.host_us[kRounds / 2], form.host_us[0], form.stream_us[kRounds / 2],
              form.stream_us[0]);
}

void stay_on_this_core() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(sched_getcpu(), &set);
  if (sched_setaffinity(0, sizeof(set), &set) == 0) std::puts("pinned");
}

}  // namespace

int main(int argc, char**) {
  if (argc > 1) stay_on_this_core();
  check(cudaFree(nullptr), "making a context");
  float* memory = nullptr;
  check(cudaMalloc(&memory, 3 * kElements * sizeof(float)), "allocating");
  check(cudaMemset(memory, 0, 3 * kElements * sizeof(float)), "clearing the input");
  Arguments all{.input = memory,
                .count = kElements,
                .output = memory + kElements,
                .scratch = memory + std::size_t{2} * kElements,
                .inputs_ready = false};
  std::array<void*, 5> five{&all.input, &all.count, &all.output, &all.scratch, &all.inputs_ready};
  std::array<void*, 1> one{&all};
  // A kernel's arguments lie in its buffer as members do in a structure.
  std::size_t bytes = offsetof(Arguments, inputs_ready) + sizeof(all.inputs_ready);
  std::array<void*, 5> buffer{CU_LAUNCH_PARAM_BUFFER_POINTER, &all, CU_LAUNCH_PARAM_BUFFER_SIZE,
                              &bytes, CU_LAUNCH_PARAM_END};

  CUstream stream = nullptr;
  CUstream blocking = nullptr;
  CUstream urgent = nullptr;
  int least = 0;
  int greatest = 0;
  check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "making a stream");
  check(cuStreamCreate(&blocking, CU_STREAM_DEFAULT), "making a stream");
  check(cuCtxGetStreamPriorityRange(&least, &greatest), "asking for priorities");
  check(cuStreamCreateWithPriority(&urgent, CU_STREAM_NON_BLOCKING, greatest), "making a stream");
  const CUlaunchAttribute overlap =
      make_attribute(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                     {.programmaticStreamSerializationAllowed = 1});
  const CUlaunchAttribute remote = make_attribute(
      CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, {.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE});
  const CUlaunchAttribute priority = make_attribute(CU_LAUNCH_ATTRIBUTE_PRIORITY, {.priority = 0});
  const CUlaunchAttribute carveout = make_attribute(
      CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, {.sharedMemCarveout = 0});
  const CUlaunchAttribute cluster =
      make_attribute(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, {.clusterDim = {1, 1, 1}});

  const CUfunction function = find(reinterpret_cast<const void*>(five_arguments));
  cudaKernel_t kernel = nullptr;
  check(cudaGetKernel(&kernel, reinterpret_cast<const void*>(five_arguments)), "finding a kernel");
  const auto with = [&](const char* name, std::vector<CUlaunchAttribute> attributes) {
    return make_form(name, function, five.data(), nullptr, stream, std::move(attributes));
  };
  const auto in = [&](const char* name, CUstream other) {
    return make_form(name, function, five.data(), nullptr, other, {overlap});
  };
  const auto as_graph = [&](const char* name, const GraphOptions& options) {
    return make_graph_form(name, function, five.data(), nullptr, stream, options);
  };
  const auto graph_in = [&](const char* name, CUstream other) {
    return make_graph_form(name, function, five.data(), nullptr, other);
  };
  std::vector<Form> forms{
      with("5 params, overlap (now)", {overlap}),
      with("5 params, plain Ex", {}),
      {.name = "5 params, cuLaunchKernel",
       .stream = stream,
       .launch =
           [&] {
             check(
                 cuLaunchKernel(function, 1, 1, 1, kThreads, 1, 1, 0, stream, five.data(), nullptr),
                 "launching");
           }},
      make_form("1 param, overlap", find(reinterpret_cast<const void*>(one_argument)), one.data(),
                nullptr, stream, {overlap}),
      make_form("buffer, overlap", function, nullptr, buffer.data(), stream, {overlap}),
      make_form("0 params, overlap", find(reinterpret_cast<const void*>(no_arguments)), nullptr,
                nullptr, stream, {overlap}),
      make_form("CUkernel, overlap", reinterpret_cast<CUfunction>(kernel), five.data(), nullptr,
                stream, {overlap}),
      with("overlap, remote domain", {overlap, remote}),
      with("overlap, priority", {overlap, priority}),
      with("overlap, carveout", {overlap, carveout}),
      with("overlap, cluster 1", {overlap, cluster}),
      make_form("overlap, shared", find(reinterpret_cast<const void*>(with_shared_memory)),
                five.data(), nullptr, stream, {overlap}),
      in("overlap, blocking stream", blocking),
      in("overlap, legacy stream", CU_STREAM_LEGACY),
      in("overlap, per thread stream", CU_STREAM_PER_THREAD),
      in("overlap, high priority stream", urgent),
      make_form("overlap, 128 blocks", function, five.data(), nullptr, stream, {overlap}, 128),
      as_graph("graph, 5 params (now)", {}),
      as_graph("graph, the same arguments", {.has_new_arguments = false}),
      make_graph_form("graph, buffer", function, nullptr, buffer.data(), stream),
      make_graph_form("graph, 0 params, no loads",
                      find(reinterpret_cast<const void*>(no_arguments)), nullptr, nullptr, stream),
      as_graph("graph, remote domain", {.attributes = {remote}}),
      as_graph("graph, priority", {.attributes = {priority}}),
      as_graph("graph, carveout", {.attributes = {carveout}}),
      as_graph("graph, cluster 1", {.attributes = {cluster}}),
      as_graph("graph, node priorities", {.flags = CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY}),
      as_graph("graph, for the device, too", {.flags = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH}),
      graph_in("graph, blocking stream", blocking),
      graph_in("graph, legacy stream", CU_STREAM_LEGACY),
      graph_in("graph, per thread stream", CU_STREAM_PER_THREAD),
      graph_in("graph, high priority stream", urgent),
  };

  CUevent begin = nullptr;
  CUevent end = nullptr;
  check(cuEventCreate(&begin, CU_EVENT_DEFAULT), "making an event");
  check(cuEventCreate(&end, CU_EVENT_DEFAULT), "making an event");
  for (int round = 0; round < kRounds; ++round) {
    for (Form& form : forms) time(form, begin, end);
  }
  for (Form& form : forms) report(form);
  return 0;
}
