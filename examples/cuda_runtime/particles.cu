// particles [DEVICE]: a simulation with a kernel, memory and a stream of its own, that asks after
// every hundredth step for the fastest particle. The reduction is enqueued between its kernels.
// Needs a GPU.
#include <cmath>
#include <foldtune/foldtune.hpp>
#include <vector>

#include "../common/run_example.h"

namespace {

constexpr int kParticles = 1 << 20;
constexpr int kSteps = 1000;
constexpr float kDrag = 0.999f;

__global__ void step(float* speed, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) speed[i] *= kDrag;
}

void check(cudaError_t status) {
  if (status != cudaSuccess) throw foldtune::DeviceError(cudaGetErrorString(status));
}

int run(const std::string& device) {
  if (!device.starts_with("cuda:")) throw foldtune::Unavailable("this needs a device cuda:N");
  foldtune::Context context({.device = device, .database = {}});
  // Compiled and loaded now, so that a call among the kernels is a launch and nothing else.
  const foldtune::ReducePlan fastest =
      context.reducer({.op = foldtune::Operator::argmax}).plan(kParticles);
  check(cudaSetDevice(std::stoi(device.substr(5))));

  std::vector<float> speeds(kParticles, 1.0f);
  speeds[314159] = 2.0f;
  float* speed = nullptr;
  foldtune::IndexedValue<float>* result = nullptr;  // pinned: the host reads it there
  cudaStream_t stream = nullptr;
  check(cudaMalloc(&speed, kParticles * sizeof(float)));
  check(cudaMallocHost(&result, sizeof *result));
  check(cudaMemcpy(speed, speeds.data(), kParticles * sizeof(float), cudaMemcpyHostToDevice));
  check(cudaStreamCreate(&stream));

  bool right = true;
  for (int i = 1; i <= kSteps; ++i) {
    step<<<(kParticles + 255) / 256, 256, 0, stream>>>(speed, kParticles);
    check(cudaGetLastError());
    if (i % 100 != 0) continue;
    fastest(speed, kParticles, result, stream);
    check(cudaStreamSynchronize(stream));
    std::printf("step %4d: particle %llu at %g\n", i,
                static_cast<unsigned long long>(result->index), static_cast<double>(result->value));
    right = right && result->index == 314159 &&
            std::abs(result->value - 2 * std::pow(kDrag, static_cast<float>(i))) < 1e-3f;
  }

  check(cudaStreamDestroy(stream));
  check(cudaFreeHost(result));
  check(cudaFree(speed));
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_example(argc, argv, run); }
