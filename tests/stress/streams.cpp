#include "tests/stress/streams.h"

#include <string>

#include "runtime/device/cuda/cuda_driver.h"

namespace foldtune::stress {

bool is_cuda(const Device& device) { return device.info().record.kind == "cuda"; }

void use_in_this_thread(const Device& device) {
  if (!is_cuda(device)) return;
  const CudaDriver& driver = CudaDriver::get();
  CUdevice cuda = 0;
  driver.check(driver.cuDeviceGet(&cuda, std::stoi(device.info().id.substr(5))), "finding a GPU");
  CUcontext context = nullptr;
  // Held until the process ends.
  driver.check(driver.cuDevicePrimaryCtxRetain(&context, cuda), "retaining the CUDA context");
  driver.check(driver.cuCtxPushCurrent(context), "making the CUDA context current");
}

std::optional<std::uint64_t> free_memory(const Device& device) {
  if (!is_cuda(device)) return std::nullopt;
  const CudaDriver& driver = CudaDriver::get();
  std::size_t free = 0;
  std::size_t all = 0;
  driver.check(driver.cuMemGetInfo(&free, &all), "asking for the free memory");
  return free;
}

Streams::Streams(const Device& device, int count) : is_cuda_(is_cuda(device)) {
  constexpr std::uintptr_t kApart = 256;
  for (int i = 0; i < count; ++i) {
    CUstream stream = reinterpret_cast<CUstream>((static_cast<std::uintptr_t>(i) + 1) * kApart);
    if (is_cuda_) {
      const CudaDriver& driver = CudaDriver::get();
      driver.check(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "creating a stream");
    }
    streams_.push_back(stream);
  }
}

Streams::~Streams() {
  if (!is_cuda_) return;
  for (const Stream stream : streams_) CudaDriver::get().cuStreamDestroy(stream);
}

}  // namespace foldtune::stress
