#include "tuner/session/library_kernels.h"

#include <array>

#include "bench/cub.h"
#include "bench/cublas.h"
#include "bench/cuda.h"
#include "foldtune/error.h"

namespace foldtune {
namespace {

Enqueue prepare_cub(Device& device, const Workload& workload) {
  const Enqueues enqueues = bench::make_cub_enqueues(device, workload);
  if (enqueues.empty()) throw Unavailable("CUB is not compared for this problem");
  return enqueues.front();
}

Enqueue prepare_dot(Device& device, const Workload& workload) {
  bench::select(device);
  return bench::make_cublas_enqueue(workload);
}

constexpr std::array kRungs{LibraryKernel{"cub::DeviceReduce", prepare_cub},
                            LibraryKernel{"cub::DeviceHistogram", prepare_cub},
                            LibraryKernel{"cublasSdot", prepare_dot}};

}  // namespace

std::span<const LibraryKernel> library_kernels() { return kRungs; }

}  // namespace foldtune
