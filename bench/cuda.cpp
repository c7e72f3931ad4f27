#include "bench/cuda.h"

#include <fmt/format.h>

#include "foldtune/error.h"

namespace foldtune::bench {

void check(cudaError_t error, const std::string& doing) {
  if (error == cudaSuccess) return;
  throw DeviceError(
      fmt::format("{}: {}: {}", doing, cudaGetErrorName(error), cudaGetErrorString(error)));
}

std::string cuda_runtime_version() {
  int version = 0;
  check(cudaRuntimeGetVersion(&version), "asking for the CUDA runtime's version");
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace foldtune::bench
