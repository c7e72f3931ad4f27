// graph_capture [DEVICE]: captures a copy and its sum in a CUDA graph, and replays it over inputs
// that the host changes. Needs a GPU.
#include <cuda_runtime.h>

#include <foldtune/foldtune.hpp>
#include <vector>

#include "../common/run_example.h"

namespace {

constexpr std::size_t kCount = 1 << 20;
constexpr int kReplays = 1000;

void check(cudaError_t status) {
  if (status != cudaSuccess) throw foldtune::DeviceError(cudaGetErrorString(status));
}

int run(const std::string& device) {
  if (!device.starts_with("cuda:")) throw foldtune::Unavailable("graphs need a device cuda:N");
  foldtune::Context context({.device = device, .database = {}});
  const foldtune::Reducer sum = context.reducer({.op = foldtune::Operator::sum});
  check(cudaSetDevice(std::stoi(device.substr(5))));

  float* host = nullptr;  // pinned, so that the graph reads it anew in every replay
  float* input = nullptr;
  float* output = nullptr;
  cudaStream_t stream = nullptr;
  check(cudaMallocHost(&host, kCount * sizeof(float)));
  check(cudaMalloc(&input, kCount * sizeof(float)));
  check(cudaMalloc(&output, sizeof(float)));
  check(cudaStreamCreate(&stream));
  for (std::size_t i = 0; i < kCount; ++i) host[i] = 0;

  // Compiles, which a capture does not allow. The captured call has scratch of its own.
  sum.prepare(input, kCount, stream);

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  check(cudaMemcpyAsync(input, host, kCount * sizeof(float), cudaMemcpyHostToDevice, stream));
  sum(input, kCount, output, stream);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&replay, graph, 0));

  int wrong = 0;
  for (int i = 1; i <= kReplays; ++i) {
    host[i] = 1;  // one more than before: the sum is i
    check(cudaGraphLaunch(replay, stream));
    float result = 0;
    check(cudaMemcpyAsync(&result, output, sizeof result, cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
    if (result != static_cast<float>(i)) ++wrong;
  }
  std::printf("%d replays, %d wrong, on %s\n", kReplays, wrong, context.device_name().c_str());

  check(cudaGraphExecDestroy(replay));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
  check(cudaFree(output));
  check(cudaFree(input));
  check(cudaFreeHost(host));
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_example(argc, argv, run); }
