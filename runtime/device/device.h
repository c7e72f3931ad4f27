/// The device seam: identity, memory, load, launch, time.
///
/// Three implementations: CUDA (cuda_device.cpp), the CPU (cpu_device.cpp), and a scripted fake for
/// tests (tests/fakes/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cache/config_store.h"
#include "foldtune/error.h"
#include "foldtune/stream.h"
#include "runtime/device/compiler.h"
#include "templates/launch.h"

namespace foldtune {

struct DeviceInfo {
  std::string id;                  ///< as the user names it: "cuda:0", "cpu"
  DeviceRecord record;             ///< identity: what tuning results depend on
  std::uint64_t memory_bytes = 0;  ///< in all
};

struct KernelResources {
  int registers = 0;                  ///< per thread
  int shared_bytes = 0;               ///< static, per block
  int local_bytes = 0;                ///< per thread: spills and stack
  int blocks_per_multiprocessor = 1;  ///< resident at a time
  double occupancy = 0;               ///< resident warps over the most, 0 to 1
};

/// A loaded image. Its kernels are named by their index in the program. It must not outlive its
/// device, nor be destroyed while a launch of it is running.
class Kernel {
 public:
  Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  virtual ~Kernel() = default;

  /// Enqueues a launch and returns; its arguments are read before that. May be called from several
  /// threads.
  virtual void launch(const Launch& launch, Stream stream) const = 0;

  virtual KernelResources resources(std::size_t index, std::uint32_t block_size) const = 0;
};

/// How the calls of a sample reach the device.
enum class Launching {
  graph,    ///< captured once and replayed: what the device needs, without the host's part
  stream,   ///< enqueued back to back: launches set the pace where calls are short
  latency,  ///< one at a time, each of which waits for its result
};

/// What is timed: `calls` calls one after another.
struct TimingRequest {
  /// Enqueues call number `call` (from 0) on `stream`. For Launching::graph it is called while the
  /// timing is prepared, else for every sample, so that what it refers to must outlive that. For
  /// Launching::latency it waits for the result.
  std::function<void(int call, Stream stream)> enqueue;
  int calls = 1;
  Launching launching = Launching::graph;
  /// Enqueues what comes before each sample and is not timed, such as a flush of the L2; may be
  /// empty. Used for every sample.
  std::function<void(Stream stream)> before_sample = nullptr;
};

struct Clocks {
  int sm_mhz = 0;      ///< 0: unknown
  int memory_mhz = 0;  ///< 0: unknown
};

struct Samples {
  std::vector<double> us;  ///< microseconds per call, in the order they were taken
  Clocks clocks;           ///< while the device was at work on them
  int discarded = 0;       ///< taken again, since the device was throttled meanwhile
};

/// A timing that is prepared, to be taken as often as is wanted. It must not outlive its device.
class Stopwatch {
 public:
  Stopwatch() = default;
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  virtual ~Stopwatch() = default;

  /// Takes `samples` samples after an untimed one; throttle.h says which are taken again. Wants the
  /// device for itself. Throws DeviceError.
  virtual Samples take(int samples) = 0;
};

/// Member functions may be called from several threads, except those that time, which want the
/// device for themselves. Failures throw DeviceError.
class Device {
 public:
  virtual ~Device() = default;

  /// With CUDA, the first call takes half a millisecond: so long the driver takes to tell the
  /// memory's clock.
  virtual const DeviceInfo& info() const = 0;

  /// The same for what cannot wait so long; memory_clock_khz may be 0.
  virtual const DeviceInfo& quick_info() const { return info(); }

  /// The compiler whose images `load` takes; made at the first call. Throws Unavailable.
  virtual const Compiler& compiler() = 0;

  virtual std::unique_ptr<Kernel> load(const CompiledKernel& compiled) = 0;

  /// Device memory of at least one byte, aligned to 256, filled with zeros. Throws OutOfMemory.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void deallocate(void* memory) noexcept = 0;

  /// The same for what only work of `stream` uses, of which nothing waits: it is filled with zeros
  /// before anything runs that is enqueued there later.
  virtual void* allocate_on(Stream stream, std::size_t bytes) {
    (void)stream;
    return allocate(bytes);
  }

  /// Host memory that kernels can write to, of at least one byte. Throws OutOfMemory.
  virtual void* allocate_host(std::size_t bytes) { return allocate(bytes); }
  /// Waits for all work of the device, which may be writing to it.
  virtual void deallocate_host(void* memory) noexcept { deallocate(memory); }

  /// Why kernels cannot use the memory, "is memory of another device"; empty if they can. Costs a
  /// fraction of a microsecond.
  virtual std::string find_pointer_fault(const void* memory) const {
    (void)memory;
    return {};
  }

  /// Copies between any two of host and device memory; complete when it returns, and ordered after
  /// all earlier work of the device's default stream.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;

  /// Copies device memory to memory of `allocate_host` after the stream's earlier work; complete
  /// when the stream's work is. Each aligned word is stored once.
  virtual void copy_to_host(Stream stream, void* to, const void* from, std::size_t bytes) {
    synchronize(stream);
    copy(to, from, bytes);
  }

  /// Waits for all work of the stream; errors of earlier launches are thrown here.
  virtual void synchronize(Stream stream) = 0;

  /// The same, or until `is_there` sees in host memory what the stream's last work writes to it,
  /// whichever is earlier: the end of a kernel is known two microseconds after what it wrote.
  virtual void await(Stream stream, const std::function<bool()>& is_there) {
    (void)is_there;
    synchronize(stream);
  }

  /// Whether the stream is being captured into a graph. Every call asks that uses the library's
  /// scratch, so it must not take long: some ten nanoseconds.
  virtual bool is_capturing(Stream stream) const = 0;

  /// Device memory of at least one byte, aligned to 256, for a call that is being captured on
  /// `stream`: filled with zeros when this returns, for the graph may run on any stream. It belongs
  /// to the graph and to all that is made of it. When they are gone, and have run, another graph
  /// may get it; it is freed with the device. No capture is disturbed. Throws OutOfMemory.
  virtual void* allocate_in_capture(Stream stream, std::size_t bytes) {
    (void)stream;
    (void)bytes;
    throw DeviceError("allocating for a graph: the device has none");
  }

  /// Makes the timing ready: captures its graph, for Launching::graph.
  virtual std::unique_ptr<Stopwatch> prepare_timing(TimingRequest request) = 0;

  /// Microseconds per call, one figure per sample.
  std::vector<double> time(TimingRequest request, int samples) {
    return prepare_timing(std::move(request))->take(samples).us;
  }
};

/// Owns device memory; none, and a null address, if it has 0 bytes. Move-only.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(Device& device, std::size_t bytes)
      : device_(&device), memory_(bytes == 0 ? nullptr : device.allocate(bytes)), bytes_(bytes) {}
  /// Of Device::allocate_on.
  DeviceBuffer(Device& device, std::size_t bytes, Stream stream)
      : device_(&device),
        memory_(bytes == 0 ? nullptr : device.allocate_on(stream, bytes)),
        bytes_(bytes) {}
  DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    DeviceBuffer(std::move(other)).swap(*this);
    return *this;
  }
  ~DeviceBuffer() {
    if (memory_ != nullptr) device_->deallocate(memory_);
  }

  void* data() const { return memory_; }
  std::size_t size() const { return bytes_; }

 private:
  void swap(DeviceBuffer& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
  }

  Device* device_ = nullptr;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Opens the CUDA device `ordinal` and retains its primary context, so that pointers and streams of
/// the CUDA runtime API work. Throws Unavailable without a driver or a GPU.
std::unique_ptr<Device> open_cuda_device(int ordinal);

/// Identities of all CUDA devices; throws Unavailable without a driver or a GPU.
std::vector<DeviceInfo> list_cuda_devices();

/// The device that runs kernels on the CPU. Its times say nothing about a GPU.
std::unique_ptr<Device> open_cpu_device();

/// "cuda:N" or "cpu". Throws InvalidArgument for any other name.
std::unique_ptr<Device> open_device(const std::string& id);

}  // namespace foldtune
