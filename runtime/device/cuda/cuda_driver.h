/// The CUDA driver API, opened at run time: nothing of CUDA is linked.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <string_view>

#include "runtime/support/shared_library.h"

namespace foldtune {

/// The functions of libcuda that Foldtune calls. Names and types are the header's, so the version
/// suffixes (`cuMemAlloc_v2`) follow it.
class CudaDriver {
 public:
  /// Opens and initialises the driver at the first call. Throws Unavailable if there is none.
  static const CudaDriver& get();

#define FOLDTUNE_CUDA_FUNCTIONS(apply)                                                             \
  apply(cuCtxGetCurrent) apply(cuCtxPopCurrent) apply(cuCtxPushCurrent) apply(cuCtxSynchronize)    \
      apply(cuDeviceGet) apply(cuDeviceGetAttribute) apply(cuDeviceGetCount) apply(                \
          cuDeviceGetName) apply(cuDeviceGetPCIBusId) apply(cuDevicePrimaryCtxRelease)             \
          apply(cuDevicePrimaryCtxRetain) apply(cuDeviceTotalMem) apply(cuDriverGetVersion) apply( \
              cuEventCreate) apply(cuEventDestroy) apply(cuEventElapsedTime) apply(cuEventRecord)  \
              apply(cuFuncGetAttribute) apply(cuGetErrorName) apply(cuGetErrorString) apply(       \
                  cuGraphDestroy) apply(cuGraphExecDestroy) apply(cuGraphInstantiateWithFlags)     \
                  apply(cuGraphLaunch) apply(cuGraphRetainUserObject) apply(cuInit) apply(         \
                      cuLaunchKernelEx) apply(cuMemAlloc) apply(cuMemFree) apply(cuMemFreeHost)    \
                      apply(cuMemGetInfo) apply(cuMemHostAlloc) apply(cuMemcpy)                    \
                          apply(cuMemcpyDtoHAsync) apply(cuMemsetD8) apply(cuMemsetD8Async) apply( \
                              cuModuleGetFunction) apply(cuModuleLoadData) apply(cuModuleUnload)   \
                              apply(cuOccupancyMaxActiveBlocksPerMultiprocessor)                   \
                                  apply(cuPointerGetAttribute) apply(cuStreamBeginCapture)         \
                                      apply(cuStreamCreate) apply(cuStreamDestroy)                 \
                                          apply(cuStreamEndCapture) apply(cuStreamIsCapturing)     \
                                              apply(cuStreamQuery) apply(cuStreamSynchronize)      \
                                                  apply(cuStreamWaitEvent)                         \
                                                      apply(cuThreadExchangeStreamCaptureMode)     \
                                                          apply(cuUserObjectCreate)

#define FOLDTUNE_DECLARE(function) decltype(&::function) function = nullptr;
  FOLDTUNE_CUDA_FUNCTIONS(FOLDTUNE_DECLARE)
#undef FOLDTUNE_DECLARE

  /// cuStreamGetCaptureInfo in its second version, which drivers have from CUDA 11.3 on. The name
  /// in the header is that of a newer one, which tells the edges' data, too.
  using StreamGetCaptureInfo = CUresult(CUstream, CUstreamCaptureStatus*, cuuint64_t* id, CUgraph*,
                                        const CUgraphNode** dependencies,
                                        std::size_t* dependency_count);
  StreamGetCaptureInfo* get_capture_info = nullptr;

  /// Throws DeviceError unless `result` is success: "allocating 64 bytes: CUDA_ERROR_...".
  void check(CUresult result, std::string_view doing) const {
    if (result != CUDA_SUCCESS) fail(result, doing);
  }

 private:
  CudaDriver();
  [[noreturn]] void fail(CUresult result, std::string_view doing) const;

  SharedLibrary library_;
};

}  // namespace foldtune
