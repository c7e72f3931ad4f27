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
  const foldtune::Reducer fastest = context.reducer({.op = foldtune::Operator::argmax});
  check(cudaSetDevice(std::stoi(device.substr(5))));

  std::vector<float> speeds(kParticles, 1.0f);
  speeds[314159] = 2.0f;
  float* speed = nullptr;
  foldtune::IndexedValue<float>* result = nullptr;
  cudaStream_t stream = nullptr;
  check(cudaMalloc(&speed, kParticles * sizeof(float)));
  check(cudaMalloc(&result, sizeof *result));
  check(cudaMemcpy(speed, speeds.data(), kParticles * sizeof(float), cudaMemcpyHostToDevice));
  check(cudaStreamCreate(&stream));

  bool right = true;
  for (int i = 1; i <= kSteps; ++i) {
    step<<<(kParticles + 255) / 256, 256, 0, stream>>>(speed, kParticles);
    check(cudaGetLastError());
    if (i % 100 != 0) continue;
    fastest(speed, kParticles, result, stream);
    foldtune::IndexedValue<float> found{};
    check(cudaMemcpyAsync(&found, result, sizeof found, cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
    std::printf("step %4d: particle %llu at %g\n", i, static_cast<unsigned long long>(found.index),
                static_cast<double>(found.value));
    right = right && found.index == 314159 &&
            std::abs(found.value - 2 * std::pow(kDrag, static_cast<float>(i))) < 1e-3f;
  }

  check(cudaStreamDestroy(stream));
  check(cudaFree(result));
  check(cudaFree(speed));
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_example(argc, argv, run); }
