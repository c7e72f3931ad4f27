#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>

#include "foldtune/error.h"
#include "runtime/device/cuda/cuda_context.h"
#include "runtime/device/cuda/cuda_driver.h"
#include "runtime/device/cuda/cuda_stopwatch.h"
#include "runtime/device/cuda/driver_version.h"
#include "runtime/device/cuda/graph_memory.h"
#include "runtime/device/device.h"

namespace foldtune {
namespace {

constexpr std::string_view kWaiting = "waiting for a stream";
constexpr std::string_view kAskingForCapture = "asking for a stream's capture";

CUdeviceptr device_address(const void* memory) { return reinterpret_cast<CUdeviceptr>(memory); }

int attribute(CUdevice device, CUdevice_attribute what) {
  const CudaDriver& driver = CudaDriver::get();
  int value = 0;
  driver.check(driver.cuDeviceGetAttribute(&value, what, device), "reading a device attribute");
  return value;
}

std::string driver_version() {
  if (std::string version = kernel_module_version(); !version.empty()) return version;
  const CudaDriver& driver = CudaDriver::get();
  int version = 0;
  driver.check(driver.cuDriverGetVersion(&version), "asking for the driver's version");
  return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
}

/// All but the memory's clock.
DeviceInfo describe(CUdevice device, int ordinal) {
  const CudaDriver& driver = CudaDriver::get();
  DeviceInfo info;
  info.id = fmt::format("cuda:{}", ordinal);
  std::array<char, 256> name{};
  driver.check(driver.cuDeviceGetName(name.data(), name.size(), device), "reading a device's name");
  std::size_t memory = 0;
  driver.check(driver.cuDeviceTotalMem(&memory, device), "reading a device's memory size");
  info.memory_bytes = memory;
  info.record.memory_bytes = static_cast<std::int64_t>(memory);
  info.record.kind = "cuda";
  info.record.name = name.data();
  info.record.architecture =
      fmt::format("sm_{}{}", attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                  attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  info.record.multiprocessor_count = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info.record.memory_bus_bits = attribute(device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  info.record.l2_bytes = attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  info.record.driver = driver_version();
  return info;
}

/// The driver takes half a millisecond to tell it.
std::int64_t memory_clock_khz(CUdevice device) {
  return attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
}

/// What launches need to know of their device.
struct CudaLimits {
  int max_threads = 0;  ///< per multiprocessor
  bool has_clusters = false;
  bool overlaps_launches = false;  ///< a grid may begin before those before it are complete
  bool reaches_all_host_memory = false;
};

CudaLimits limits_of(CUdevice device) {
  const CudaDriver& driver = CudaDriver::get();
  int version = 0;
  driver.check(driver.cuDriverGetVersion(&version), "asking for the driver's version");
  // As sm90.cuh has it.
  const bool is_sm90 = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) >= 9;
  constexpr int kCapturesOverlaps = 12040;  // CUDA 12.4; earlier ones refuse them in a capture
  return {.max_threads = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
          .has_clusters = is_sm90,
          .overlaps_launches = is_sm90 && version >= kCapturesOverlaps,
          .reaches_all_host_memory =
              attribute(device, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS) != 0};
}

class CudaKernel final : public Kernel {
 public:
  CudaKernel(CUcontext context, const CudaLimits& limits, const CompiledKernel& compiled)
      : context_(context), limits_(limits) {
    const ContextScope scope(context_);
    const UncapturedScope uncaptured;
    driver_.check(driver_.cuModuleLoadData(&module_, compiled.image.data()),
                  fmt::format("loading the cubin of {}", compiled.lowered_names.front()));
    for (const std::string& name : compiled.lowered_names) {
      const CUresult result =
          driver_.cuModuleGetFunction(&functions_.emplace_back(), module_, name.c_str());
      if (result != CUDA_SUCCESS) driver_.cuModuleUnload(module_);
      driver_.check(result, fmt::format("finding the kernel {} in its cubin", name));
    }
  }

  ~CudaKernel() override {
    try {
      const ContextScope scope(context_);
      const UncapturedScope uncaptured;
      driver_.cuModuleUnload(module_);
    } catch (const Error&) {  // the context is gone, and the module with it
    }
  }

  void launch(const Launch& launch, Stream stream) const override {
    const ContextScope scope(context_, driver_);
    std::array<CUlaunchAttribute, 2> attributes{};
    unsigned count = 0;
    if (launch.overlaps_previous && limits_.overlaps_launches) {
      CUlaunchAttribute& overlap = attributes.at(count++);
      overlap.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
      overlap.value.programmaticStreamSerializationAllowed = 1;
    }
    if (launch.is_cluster && limits_.has_clusters) {
      CUlaunchAttribute& cluster = attributes.at(count++);
      cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      cluster.value.clusterDim = {.x = launch.grid.x, .y = launch.grid.y, .z = launch.grid.z};
    }
    const CUlaunchConfig config{.gridDimX = launch.grid.x,
                                .gridDimY = launch.grid.y,
                                .gridDimZ = launch.grid.z,
                                .blockDimX = launch.block.x,
                                .blockDimY = launch.block.y,
                                .blockDimZ = launch.block.z,
                                .sharedMemBytes = launch.shared_bytes,
                                .hStream = stream,
                                .attrs = attributes.data(),
                                .numAttrs = count};
    const CUresult result =
        driver_.cuLaunchKernelEx(&config, functions_[launch.kernel],
                                 const_cast<void**>(launch.arguments.data()), /*extra=*/nullptr);
    if (result != CUDA_SUCCESS) {
      driver_.check(result, fmt::format("launching {} blocks of {} threads", launch.grid.count(),
                                        launch.block.count()));
    }
  }

  KernelResources resources(std::size_t index, std::uint32_t block_size) const override {
    const ContextScope scope(context_);
    const CUfunction function = functions_[index];
    const auto read = [&](CUfunction_attribute what) {
      int value = 0;
      driver_.check(driver_.cuFuncGetAttribute(&value, what, function),
                    "reading a kernel's attribute");
      return value;
    };
    KernelResources resources;
    resources.registers = read(CU_FUNC_ATTRIBUTE_NUM_REGS);
    resources.shared_bytes = read(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    resources.local_bytes = read(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    driver_.check(driver_.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                      &resources.blocks_per_multiprocessor, function, static_cast<int>(block_size),
                      /*dynamicSMemSize=*/0),
                  "computing a kernel's occupancy");
    resources.occupancy =
        static_cast<double>(resources.blocks_per_multiprocessor) * block_size / limits_.max_threads;
    return resources;
  }

 private:
  const CudaDriver& driver_ = CudaDriver::get();
  CUcontext context_;
  CudaLimits limits_;
  CUmodule module_ = nullptr;
  std::vector<CUfunction> functions_;
};

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int ordinal) {
    int count = 0;
    driver_.check(driver_.cuDeviceGetCount(&count), "counting the CUDA devices");
    if (ordinal < 0 || ordinal >= count) {
      throw Unavailable(fmt::format(
          "opening cuda:{}: this machine has {} CUDA device{}; `foldtune devices` lists "
          "them",
          ordinal, count, count == 1 ? "" : "s"));
    }
    driver_.check(driver_.cuDeviceGet(&device_, ordinal), "opening a CUDA device");
    quick_info_ = describe(device_, ordinal);
    limits_ = limits_of(device_);
    driver_.check(driver_.cuDevicePrimaryCtxRetain(&context_, device_),
                  fmt::format("creating the CUDA context of cuda:{}", ordinal));
  }

  ~CudaDevice() override {
    timer_.reset();
    for (void* const memory : graph_memory_.all()) deallocate(memory);
    destroy_side_stream();
    // The result cannot be acted on: at exit the driver may already be shut down.
    driver_.cuDevicePrimaryCtxRelease(device_);
  }

  const DeviceInfo& info() const override {
    std::call_once(is_complete_, [&] {
      info_ = quick_info_;
      info_.record.memory_clock_khz = memory_clock_khz(device_);
    });
    return info_;
  }

  const DeviceInfo& quick_info() const override { return quick_info_; }

  const Compiler& compiler() override {
    const std::lock_guard lock(mutex_);
    if (compiler_ == nullptr) compiler_ = make_nvrtc_compiler(quick_info_.record.architecture);
    return *compiler_;
  }

  std::unique_ptr<Kernel> load(const CompiledKernel& compiled) override {
    return std::make_unique<CudaKernel>(context_, limits_, compiled);
  }

  void* allocate(std::size_t bytes) override {
    const ContextScope scope(context_);
    CUdeviceptr memory = 0;
    driver_.check(driver_.cuMemAlloc(&memory, bytes),
                  fmt::format("allocating {} bytes on {}", bytes, quick_info_.id));
    const CUresult filled = driver_.cuMemsetD8(memory, 0, bytes);
    // The fill may still be running, and work on other streams does not wait for it.
    const CUresult done =
        filled == CUDA_SUCCESS ? driver_.cuStreamSynchronize(CU_STREAM_LEGACY) : filled;
    if (done != CUDA_SUCCESS) driver_.cuMemFree(memory);
    driver_.check(done, fmt::format("clearing {} bytes on {}", bytes, quick_info_.id));
    return reinterpret_cast<void*>(memory);
  }

  void deallocate(void* memory) noexcept override {
    try {
      const ContextScope scope(context_);
      const UncapturedScope uncaptured;
      driver_.cuMemFree(device_address(memory));
    } catch (const Error&) {  // the context is gone, and the memory with it
    }
  }

  void* allocate_on(Stream stream, std::size_t bytes) override {
    const ContextScope scope(context_);
    const UncapturedScope uncaptured;
    CUdeviceptr memory = 0;
    driver_.check(driver_.cuMemAlloc(&memory, bytes),
                  fmt::format("allocating {} bytes on {}", bytes, quick_info_.id));
    const CUresult filled = driver_.cuMemsetD8Async(memory, 0, bytes, stream);
    if (filled != CUDA_SUCCESS) driver_.cuMemFree(memory);
    driver_.check(filled, fmt::format("clearing {} bytes on {}", bytes, quick_info_.id));
    return reinterpret_cast<void*>(memory);
  }

  void* allocate_host(std::size_t bytes) override {
    const ContextScope scope(context_);
    const UncapturedScope uncaptured;
    void* memory = nullptr;
    driver_.check(driver_.cuMemHostAlloc(&memory, bytes,
                                         CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
                  fmt::format("allocating {} bytes of pinned host memory", bytes));
    return memory;
  }

  void deallocate_host(void* memory) noexcept override {
    try {
      const ContextScope scope(context_);
      const UncapturedScope uncaptured;
      driver_.cuCtxSynchronize();
      driver_.cuMemFreeHost(memory);
    } catch (const Error&) {  // the context is gone, and the memory with it
    }
  }

  std::string find_pointer_fault(const void* memory) const override {
    const ContextScope scope(context_);
    CUmemorytype type{};
    const CUresult known = driver_.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                         device_address(memory));
    if (known == CUDA_ERROR_INVALID_VALUE) {  // the driver did not allocate it
      return limits_.reaches_all_host_memory ? "" : "is memory that no GPU can read";
    }
    driver_.check(known, "asking for a pointer's memory");
    int ordinal = 0;
    unsigned is_managed = 0;
    driver_.check(driver_.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                                device_address(memory)),
                  "asking for a pointer's device");
    driver_.check(driver_.cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                                device_address(memory)),
                  "asking whether a pointer is managed");
    if (type != CU_MEMORYTYPE_DEVICE || is_managed != 0 || ordinal == device_) return {};
    return fmt::format("is memory of cuda:{}, not of {}", ordinal, quick_info_.id);
  }

  void copy(void* to, const void* from, std::size_t bytes) override {
    const ContextScope scope(context_);
    driver_.check(driver_.cuMemcpy(device_address(to), device_address(from), bytes),
                  fmt::format("copying {} bytes", bytes));
  }

  void copy_to_host(Stream stream, void* to, const void* from, std::size_t bytes) override {
    const ContextScope scope(context_);
    driver_.check(driver_.cuMemcpyDtoHAsync(to, device_address(from), bytes, stream),
                  fmt::format("enqueuing a copy of {} bytes", bytes));
  }

  void synchronize(Stream stream) override {
    const ContextScope scope(context_);
    const UncapturedScope uncaptured;
    driver_.check(driver_.cuStreamSynchronize(stream), kWaiting);
  }

  void await(Stream stream, const std::function<bool()>& is_there) override {
    using Clock = std::chrono::steady_clock;
    // Longer waits are left to the driver, which may be set not to keep the processor busy.
    constexpr std::chrono::microseconds kAtMost{100};
    constexpr int kLooks = 64;  // some 0.5 us
    const ContextScope scope(context_);
    const Clock::time_point begin = Clock::now();
    do {
      for (int look = 0; look < kLooks; ++look) {
        if (is_there()) return;
      }
      const UncapturedScope uncaptured;
      const CUresult result = driver_.cuStreamQuery(stream);
      if (result == CUDA_SUCCESS) return;
      if (result != CUDA_ERROR_NOT_READY) driver_.check(result, kWaiting);
    } while (Clock::now() - begin < kAtMost);
    synchronize(stream);
  }

  bool is_capturing(Stream stream) const override {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    // The default streams are those of the context that is current. Any other one knows its own.
    constexpr std::uintptr_t kLastDefault = 2;
    const bool is_told = reinterpret_cast<std::uintptr_t>(stream) > kLastDefault &&
                         driver_.cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS;
    if (!is_told) {
      const ContextScope scope(context_, driver_);
      driver_.check(driver_.cuStreamIsCapturing(stream, &status), kAskingForCapture);
    }
    return status != CU_STREAM_CAPTURE_STATUS_NONE;
  }

  void* allocate_in_capture(Stream stream, std::size_t bytes) override {
    const ContextScope scope(context_);
    CUgraph const graph = captured_graph(stream);
    const UncapturedScope uncaptured;
    const GraphMemory::Lease lease = graph_memory_.take(bytes, [&](std::size_t size) {
      CUdeviceptr memory = 0;
      driver_.check(driver_.cuMemAlloc(&memory, size),
                    fmt::format("allocating {} bytes for a graph on {}", size, quick_info_.id));
      return reinterpret_cast<void*>(memory);
    });
    clear_aside(lease.get(), bytes);
    keep(graph, lease);
    return lease.get();
  }

  std::unique_ptr<Stopwatch> prepare_timing(TimingRequest request) override {
    return timer().prepare(std::move(request));
  }

 private:
  /// The graph that the stream is being captured into.
  CUgraph captured_graph(Stream stream) const {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUgraph graph = nullptr;
    driver_.check(driver_.get_capture_info(stream, &status, /*id=*/nullptr, &graph,
                                           /*dependencies=*/nullptr,
                                           /*dependency_count=*/nullptr),
                  kAskingForCapture);
    const bool is_active = status == CU_STREAM_CAPTURE_STATUS_ACTIVE && graph != nullptr;
    driver_.check(is_active ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                  "capturing a call");
    return graph;
  }

  /// Fills memory with zeros, and waits for that, in a stream that nothing waits for: the caller's
  /// is being captured, and the default one may not be used while that is a blocking one.
  void clear_aside(void* memory, std::size_t bytes) {
    CUstream const stream = side_stream();
    driver_.check(driver_.cuMemsetD8Async(device_address(memory), 0, bytes, stream),
                  fmt::format("clearing {} bytes on {}", bytes, quick_info_.id));
    driver_.check(driver_.cuStreamSynchronize(stream), "clearing memory for a graph");
  }

  /// Gives the graph a copy of the lease, which goes when the graph, those that were cloned or
  /// instantiated of it and all of their launches are gone. The driver calls its destructor, which
  /// may not call the driver.
  void keep(CUgraph graph, const GraphMemory::Lease& lease) {
    auto copy = std::make_unique<GraphMemory::Lease>(lease);
    CUuserObject object = nullptr;
    driver_.check(driver_.cuUserObjectCreate(
                      &object, copy.get(),
                      [](void* owned) { delete static_cast<GraphMemory::Lease*>(owned); },
                      /*initialRefcount=*/1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
                  "giving memory to a graph");
    (void)copy.release();  // The object's.
    // A graph that takes no objects uses the memory all the same, so that it is lent for good then.
    driver_.cuGraphRetainUserObject(graph, object, /*count=*/1, CU_GRAPH_USER_OBJECT_MOVE);
  }

  CUstream side_stream() {
    const std::lock_guard lock(mutex_);
    if (side_stream_ == nullptr) {
      driver_.check(driver_.cuStreamCreate(&side_stream_, CU_STREAM_NON_BLOCKING),
                    "creating a stream");
    }
    return side_stream_;
  }

  void destroy_side_stream() noexcept {
    if (side_stream_ == nullptr) return;
    try {
      const ContextScope scope(context_);
      driver_.cuStreamDestroy(side_stream_);
    } catch (const Error&) {  // the context is gone, and the stream with it
    }
  }

  /// Made at the first timing: most processes time nothing.
  CudaTimer& timer() {
    const std::lock_guard lock(mutex_);
    if (timer_) return *timer_;
    std::array<char, 32> pci{};
    driver_.check(driver_.cuDeviceGetPCIBusId(pci.data(), pci.size(), device_),
                  "reading a device's PCI address");
    return timer_.emplace(context_, pci.data());
  }

  const CudaDriver& driver_ = CudaDriver::get();
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CudaLimits limits_;
  DeviceInfo quick_info_;
  mutable std::once_flag is_complete_;
  mutable DeviceInfo info_;
  GraphMemory graph_memory_;
  std::mutex mutex_;                // guards what follows
  CUstream side_stream_ = nullptr;  ///< null until it is first needed
  std::optional<CudaTimer> timer_;
  std::unique_ptr<Compiler> compiler_;
};

}  // namespace

std::unique_ptr<Device> open_cuda_device(int ordinal) {
  return std::make_unique<CudaDevice>(ordinal);
}

std::vector<DeviceInfo> list_cuda_devices() {
  const CudaDriver& driver = CudaDriver::get();
  int count = 0;
  driver.check(driver.cuDeviceGetCount(&count), "counting the CUDA devices");
  std::vector<DeviceInfo> infos;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    CUdevice device = 0;
    driver.check(driver.cuDeviceGet(&device, ordinal), "opening a CUDA device");
    infos.push_back(describe(device, ordinal));
    infos.back().record.memory_clock_khz = memory_clock_khz(device);
  }
  return infos;
}

}  // namespace foldtune
