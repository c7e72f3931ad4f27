// A CUDA driver that does nothing: what is left of a call's time is the library's own, to a
// nanosecond, on a machine without a GPU too. Its device has an H200's facts and the host's memory;
// kernels are compiled for it, and never run.
//
//     LD_LIBRARY_PATH=BUILD/bench/null_driver BUILD/bench/foldtune_host_cost --threads 1
//
// BUILD is an optimized build with -DFOLDTUNE_BENCH=OFF: CUB asks its driver for more.
#include <cuda.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

/// What handles point to.
char anything;

template <class Handle>
CUresult give(Handle* handle) {
  *handle = reinterpret_cast<Handle>(&anything);
  return CUDA_SUCCESS;
}

template <class Value>
CUresult set(Value* place, Value value) {
  *place = value;
  return CUDA_SUCCESS;
}

CUresult copy(std::string_view text, char* place, int size) {
  place[text.copy(place, static_cast<std::size_t>(size) - 1)] = '\0';
  return CUDA_SUCCESS;
}

void* allocate(std::size_t bytes) {
  constexpr std::size_t kAlignment = 256;  // as cuMemAlloc's
  const std::size_t size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* const memory = std::aligned_alloc(kAlignment, size);
  if (memory != nullptr) std::memset(memory, 0, size);
  return memory;
}

int attribute_of_h200(CUdevice_attribute attribute) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return 9;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return 132;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      return 6016;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      return 60 << 20;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      return 3'201'000;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      return 2048;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
      return 32;
    default:
      return 0;
  }
}

}  // namespace

#define FOLDTUNE_NOTHING(function, ...) \
  CUresult function(__VA_ARGS__) { return CUDA_SUCCESS; }

extern "C" {

FOLDTUNE_NOTHING(cuInit, unsigned)
FOLDTUNE_NOTHING(cuCtxPopCurrent, CUcontext*)
FOLDTUNE_NOTHING(cuCtxPushCurrent, CUcontext)
FOLDTUNE_NOTHING(cuCtxSynchronize, void)
FOLDTUNE_NOTHING(cuDevicePrimaryCtxRelease, CUdevice)
FOLDTUNE_NOTHING(cuEventDestroy, CUevent)
FOLDTUNE_NOTHING(cuEventElapsedTime, float*, CUevent, CUevent)
FOLDTUNE_NOTHING(cuEventRecord, CUevent, CUstream)
FOLDTUNE_NOTHING(cuGraphDestroy, CUgraph)
FOLDTUNE_NOTHING(cuGraphExecDestroy, CUgraphExec)
FOLDTUNE_NOTHING(cuGraphInstantiateWithFlags, CUgraphExec*, CUgraph, unsigned long long)
FOLDTUNE_NOTHING(cuGraphLaunch, CUgraphExec, CUstream)
FOLDTUNE_NOTHING(cuGraphRetainUserObject, CUgraph, CUuserObject, unsigned, unsigned)
FOLDTUNE_NOTHING(cuLaunchKernelEx, const CUlaunchConfig*, CUfunction, void**, void**)
FOLDTUNE_NOTHING(cuMemcpy, CUdeviceptr, CUdeviceptr, std::size_t)
FOLDTUNE_NOTHING(cuMemcpyDtoHAsync, void*, CUdeviceptr, std::size_t, CUstream)
FOLDTUNE_NOTHING(cuMemsetD8, CUdeviceptr, unsigned char, std::size_t)
FOLDTUNE_NOTHING(cuMemsetD8Async, CUdeviceptr, unsigned char, std::size_t, CUstream)
FOLDTUNE_NOTHING(cuModuleUnload, CUmodule)
FOLDTUNE_NOTHING(cuStreamBeginCapture, CUstream, CUstreamCaptureMode)
FOLDTUNE_NOTHING(cuStreamDestroy, CUstream)
FOLDTUNE_NOTHING(cuStreamEndCapture, CUstream, CUgraph*)
FOLDTUNE_NOTHING(cuStreamQuery, CUstream)
FOLDTUNE_NOTHING(cuStreamSynchronize, CUstream)
FOLDTUNE_NOTHING(cuStreamWaitEvent, CUstream, CUevent, unsigned)
FOLDTUNE_NOTHING(cuThreadExchangeStreamCaptureMode, CUstreamCaptureMode*)
FOLDTUNE_NOTHING(cuUserObjectCreate, CUuserObject*, void*, CUhostFn, unsigned, unsigned)

CUresult cuCtxGetCurrent(CUcontext* context) { return give(context); }
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) { return give(context); }
CUresult cuEventCreate(CUevent* event, unsigned) { return give(event); }
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char*) { return give(function); }
CUresult cuModuleLoadData(CUmodule* module, const void*) { return give(module); }
CUresult cuStreamCreate(CUstream* stream, unsigned) { return give(stream); }

CUresult cuDeviceGet(CUdevice* device, int) { return set(device, 0); }
CUresult cuDeviceGetCount(int* count) { return set(count, 1); }
CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice) { return set(bytes, std::size_t{1} << 37); }
CUresult cuDriverGetVersion(int* version) { return set(version, CUDA_VERSION); }
CUresult cuGetErrorName(CUresult, const char** text) { return set(text, "an error"); }
CUresult cuGetErrorString(CUresult, const char** text) { return set(text, "an error"); }
CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus* status) {
  return set(status, CU_STREAM_CAPTURE_STATUS_NONE);
}
CUresult cuStreamGetCaptureInfo_v2(CUstream, CUstreamCaptureStatus* status, cuuint64_t*, CUgraph*,
                                   const CUgraphNode**, std::size_t*) {
  return set(status, CU_STREAM_CAPTURE_STATUS_NONE);
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int, std::size_t) {
  return set(blocks, 2);
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute, CUfunction) { return set(value, 0); }
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute, CUdeviceptr) {
  return set(static_cast<int*>(value), 0);
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  return set(value, attribute_of_h200(attribute));
}
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  return copy("no GPU: the driver does nothing", name, size);
}
CUresult cuDeviceGetPCIBusId(char* id, int size, CUdevice) {
  return copy("0000:00:00.0", id, size);
}
/// NVRTC asks it for what is not documented.
CUresult cuGetExportTable(const void** table, const CUuuid*) {
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}

CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  set(free, std::size_t{1} << 37);
  return set(total, std::size_t{1} << 37);
}
CUresult cuMemAlloc(CUdeviceptr* memory, std::size_t bytes) {
  return set(memory, reinterpret_cast<CUdeviceptr>(allocate(bytes)));
}
CUresult cuMemFree(CUdeviceptr memory) {
  std::free(reinterpret_cast<void*>(memory));
  return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  return set(memory, allocate(bytes));
}
CUresult cuMemFreeHost(void* memory) {
  std::free(memory);
  return CUDA_SUCCESS;
}

}  // extern "C"
