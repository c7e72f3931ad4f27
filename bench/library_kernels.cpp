#include "tuner/session/library_kernels.h"

#include <array>
#include <memory>
#include <string>

#include "bench/cub_calls.h"
#include "bench/cublas.h"
#include "bench/cuda.h"
#include "foldtune/error.h"

namespace foldtune {
namespace {

Enqueue prepare_cub(Device& device, const Problem& problem) {
  bench::select(device);
  const bench::CubCall function = bench::find_cub_call(problem);
  if (function == nullptr) throw Unavailable("CUB is not compared for this problem");
  const auto call_function = [function](void* storage, std::size_t& bytes, const Call& call,
                                        Stream stream) {
    const int error = function(storage, bytes,
                               {.inputs = {call.inputs[0], call.inputs[1]},
                                .count = static_cast<std::uint32_t>(call.count),
                                .output = call.output},
                               stream);
    bench::check(static_cast<cudaError_t>(error), "calling CUB");
  };
  std::size_t bytes = 0;
  call_function(nullptr, bytes, {.count = problem.count}, nullptr);
  const auto storage = std::make_shared<DeviceBuffer>(device, bytes);
  return [=](const Call& call, Stream stream) {
    std::size_t size = storage->size();
    call_function(storage->data(), size, call, stream);
  };
}

Enqueue prepare_dot(Device& device, const Problem& problem) {
  bench::select(device);
  return [dot = bench::find_cublas_call(problem)](const Call& call, Stream stream) {
    dot(static_cast<const float*>(call.inputs[0]), static_cast<const float*>(call.inputs[1]),
        static_cast<std::uint32_t>(call.count), call.output, stream);
  };
}

constexpr std::array kRungs{LibraryKernel{"cub::DeviceReduce", prepare_cub},
                            LibraryKernel{"cub::DeviceHistogram", prepare_cub},
                            LibraryKernel{"cublasSdot", prepare_dot}};

}  // namespace

std::span<const LibraryKernel> library_kernels() { return kRungs; }

}  // namespace foldtune
