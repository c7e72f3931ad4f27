#include "runtime/device/cuda/cuda_driver.h"

#include <fmt/format.h>

#include "foldtune/error.h"
#include "runtime/device/device.h"

namespace foldtune {
namespace {

/// What the user can do about an error.
std::string_view advice(CUresult result) {
  switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return "; free device memory or reduce fewer elements";
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_IMAGE:
      return "; the driver may be older than NVRTC: update the driver or use its NVRTC";
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      return "; the input or output pointer may not be device memory of this size, and the CUDA "
             "context is lost: restart the process";
    case CUDA_ERROR_INVALID_HANDLE:
      return "; a stream, event or graph may be destroyed already, or be another context's";
    case CUDA_ERROR_INVALID_VALUE:
      return "; check the pointers, the count and the stream of the call";
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_DEINITIALIZED:
      return "; the device's primary context was reset, or the process is ending: make a new "
             "foldtune::Context, and destroy it before the driver shuts down";
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_ASSERT:
      return "; a kernel failed, perhaps one launched earlier, and the CUDA context is lost: "
             "restart the process, and run it under compute-sanitizer";
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
      return "; a stream is being captured: call prepare() before the capture";
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
      return "; the default stream would wait for a stream that is being captured: call on another "
             "one, or capture one that was created with CU_STREAM_NON_BLOCKING";
    case CUDA_ERROR_NOT_INITIALIZED:
      return "; a process that was forked cannot use CUDA once its parent did: make a new "
             "foldtune::Context in a process that was started, not forked";
    default:
      return "; `foldtune doctor` looks at the driver and the devices";
  }
}

SharedLibrary open_driver() {
  try {
    return SharedLibrary::open({"libcuda.so.1", "libcuda.so"});
  } catch (const Unavailable& error) {
    throw Unavailable(fmt::format(
        "opening the CUDA driver: there is none on this machine; install the NVIDIA driver, or use "
        "the device cpu\n({})",
        error.what()));
  }
}

}  // namespace

const CudaDriver& CudaDriver::get() {
  // Never closed: devices may be destroyed after every other static object.
  static const CudaDriver* const driver = new CudaDriver;
  return *driver;
}

CudaDriver::CudaDriver() : library_(open_driver()) {
// Two steps, so that a macro of the header (cuMemAlloc -> cuMemAlloc_v2) is expanded first.
#define FOLDTUNE_NAME(function) #function
#define FOLDTUNE_LOAD(function) \
  function = library_.symbol<std::remove_pointer_t<decltype(function)>>(FOLDTUNE_NAME(function));
  FOLDTUNE_CUDA_FUNCTIONS(FOLDTUNE_LOAD)
#undef FOLDTUNE_LOAD
#undef FOLDTUNE_NAME
  get_capture_info = library_.symbol<StreamGetCaptureInfo>("cuStreamGetCaptureInfo_v2");
  const CUresult result = cuInit(0);
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  cuGetErrorString(result, &text);
  throw Unavailable(
      fmt::format("initialising the CUDA driver: {} (error {}); check that a GPU is there and that "
                  "nvidia-smi works, or use the device cpu",
                  text == nullptr ? "unknown error" : text, static_cast<int>(result)));
}

void CudaDriver::fail(CUresult result, std::string_view doing) const {
  const char* name = nullptr;
  const char* text = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &text);
  const std::string message =
      fmt::format("{}: {} ({}){}", doing, text == nullptr ? "unknown error" : text,
                  name == nullptr ? "unknown" : name, advice(result));
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw OutOfMemory(message);
  throw DeviceError(message);
}

}  // namespace foldtune
