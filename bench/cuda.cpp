#include "bench/cuda.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "foldtune/error.h"

namespace foldtune::bench {

void check(cudaError_t error, const std::string& doing) {
  if (error == cudaSuccess) return;
  throw DeviceError(
      fmt::format("{}: {}: {}", doing, cudaGetErrorName(error), cudaGetErrorString(error)));
}

void select(const Device& device) {
  constexpr std::string_view kPrefix = "cuda:";
  const std::string& id = device.info().id;
  if (!id.starts_with(kPrefix)) throw Unavailable("it runs on GPUs alone");
  int ordinal = 0;
  std::from_chars(id.data() + kPrefix.size(), id.data() + id.size(), ordinal);
  check(cudaSetDevice(ordinal), "selecting " + id);
}

std::string cuda_runtime_version() {
  int version = 0;
  check(cudaRuntimeGetVersion(&version), "asking for the CUDA runtime's version");
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace foldtune::bench
