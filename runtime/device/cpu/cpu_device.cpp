#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "foldtune/error.h"
#include "runtime/device/cpu/cpu_grid.h"
#include "runtime/device/device.h"
#include "runtime/support/sanitizer.h"
#include "runtime/support/shared_library.h"
#include "runtime/support/temporary_folder.h"

namespace foldtune {
namespace {

// What grids are sized by. The same on every machine, so that results are, too; few, so that a
// small input already fills more than one wave.
constexpr int kMultiprocessors = 4;
// As on NVIDIA's GPUs of compute capability 8.0 and 9.0.
constexpr int kMaxResidentThreads = 2048;
constexpr int kMaxResidentBlocks = 32;

// At least two, so that blocks that wait for each other really run at the same time. At most so
// many that the stacks of their fibers, two mappings each, stay below Linux' limit of 65530.
constexpr std::uint32_t kMinConcurrency = 2;
constexpr std::uint32_t kMaxConcurrency = 16;
// ThreadSanitizer knows 8128 threads, and takes every fiber for one.
constexpr std::uint32_t kWatchedConcurrency = 2;

constexpr std::size_t kAlignment = 256;

std::string cpu_name(const std::string& architecture) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return architecture + " CPU";  // not every architecture tells
}

DeviceInfo describe() {
  utsname system{};
  uname(&system);
  DeviceInfo info;
  info.id = "cpu";
  info.record.kind = "cpu";
  info.record.architecture = system.machine;
  info.record.name = cpu_name(info.record.architecture);
  info.record.multiprocessor_count = kMultiprocessors;
  info.record.driver = "foldtune fibers";
  info.memory_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return info;
}

std::uint32_t concurrency() {
  if (kThreadSanitizer) return kWatchedConcurrency;
  return std::clamp<std::uint32_t>(std::thread::hardware_concurrency(), kMinConcurrency,
                                   kMaxConcurrency);
}

/// What keeps the work of a stream in order: calls of several threads share its scratch. Streams
/// that share a lock wait for each other, no more.
class StreamLocks {
 public:
  std::mutex& of(Stream stream) {
    return locks_[std::hash<const void*>()(stream) / kHandleAlignment % locks_.size()];
  }

 private:
  static constexpr std::size_t kHandleAlignment = 16;
  std::array<std::mutex, 61> locks_;
};

/// An image of the host compiler, loaded into this process.
/// Entries are good as long as it lives.
class CpuImage {
 public:
  /// Throws DeviceError if the image cannot be loaded, Unavailable if it cannot be written.
  explicit CpuImage(const CompiledKernel& compiled);

  const std::string& name(std::size_t index) const { return names_.at(index); }
  host::Entry entry(std::size_t index) const { return entries_.at(index); }
  std::size_t size() const { return entries_.size(); }

 private:
  void open(const std::string& image);

  std::vector<std::string> names_;
  std::optional<TemporaryFolder> folder_;  ///< where sanitizers read the library when they report
  SharedLibrary library_;
  std::vector<host::Entry> entries_;
};

CpuImage::CpuImage(const CompiledKernel& compiled) : names_(compiled.lowered_names) {
  open(compiled.image);
  for (const std::string& name : names_) {
    const host::Entry found = library_.find_symbol<void(host::Thread*, void**)>(name.c_str());
    if (found == nullptr) {
      throw DeviceError(fmt::format(
          "Loading a kernel for the CPU device: the image has no {}. Compile it again.", name));
    }
    entries_.push_back(found);
  }
}

// The folder's name is new, since dlopen answers a path that it knows with the library that it
// knows.
void CpuImage::open(const std::string& image) {
  constexpr std::string_view kDoing = "Loading a kernel for the CPU device";
  constexpr std::string_view kPlace =
      "set TMPDIR to a folder that can be written, and that programs may be run from.";
  try {
    const std::filesystem::path path = folder_.emplace().path() / "kernel.so";
    write_file(path, image);
    library_ = SharedLibrary::open({path.string()});
  } catch (const std::system_error& error) {  // no fault of the kernel's
    throw Unavailable(
        fmt::format("{}: {}\nFree some space there, or {}", kDoing, error.what(), kPlace));
  } catch (const std::exception& error) {
    throw DeviceError(fmt::format("{}: {}\nFree some memory, or {}", kDoing, error.what(), kPlace));
  }
  if (!kAddressSanitizer && !kThreadSanitizer) folder_.reset();
}

class CpuKernel final : public Kernel {
 public:
  CpuKernel(CpuGrid& grid, StreamLocks& streams, const CompiledKernel& compiled)
      : grid_(grid), streams_(streams), image_(compiled) {}

  // Runs the grid to its end: an error is thrown here.
  void launch(const Launch& launch, Stream stream) const override {
    check(launch.kernel);
    const std::string& name = image_.name(launch.kernel);
    const std::uint64_t blocks = launch.grid.count();
    const std::uint64_t threads = launch.block.count();
    if (blocks == 0 || blocks > UINT32_MAX || threads == 0 || threads > kMaxBlockSize) {
      throw DeviceError(fmt::format(
          "Launching {} on the CPU device with {} blocks of {} threads: launch at least one block, "
          "of 1 to {} threads.",
          name, blocks, threads, kMaxBlockSize));
    }
    CpuLaunch cpu_launch{.name = name,
                         .entry = image_.entry(launch.kernel),
                         .arguments = const_cast<void**>(launch.arguments.data()),
                         .grid = launch.grid,
                         .block = launch.block,
                         .shared_bytes = launch.shared_bytes};
    try {
      const std::lock_guard lock(streams_.of(stream));
      grid_.run(cpu_launch);
    } catch (const Error&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw OutOfMemory(fmt::format(
          "Running {} on the CPU device with {} blocks of {} threads: out of memory. Free some, or "
          "raise its limit (ulimit -v).",
          name, blocks, threads));
    } catch (const std::exception& error) {
      throw DeviceError(fmt::format("Running {} on the CPU device with {} blocks of {} threads: {}",
                                    name, blocks, threads, error.what()));
    } catch (...) {
      throw DeviceError(
          fmt::format("Running {} on the CPU device with {} blocks of {} threads: it threw an "
                      "exception. Kernels, and operators of your own, throw none.",
                      name, blocks, threads));
    }
  }

  // A CPU has no registers to count; occupancy is that of the GPU that the grid imitates.
  KernelResources resources(std::size_t index, std::uint32_t block_size) const override {
    check(index);
    const int size = static_cast<int>(std::clamp<std::uint32_t>(block_size, 1, kMaxBlockSize));
    KernelResources result;
    result.blocks_per_multiprocessor = std::min(kMaxResidentThreads / size, kMaxResidentBlocks);
    result.occupancy =
        static_cast<double>(result.blocks_per_multiprocessor * size) / kMaxResidentThreads;
    return result;
  }

 private:
  void check(std::size_t index) const {
    if (index < image_.size()) return;
    throw DeviceError(fmt::format(
        "Looking up kernel {} of a program for the CPU device: it has {}. Count from 0.", index,
        image_.size()));
  }

  CpuGrid& grid_;
  StreamLocks& streams_;
  CpuImage image_;
};

/// A call has ended when it returns, so that there is one way of launching only. Caches are left as
/// they are: these times are compared with nothing.
class CpuStopwatch final : public Stopwatch {
 public:
  explicit CpuStopwatch(TimingRequest request) : request_(std::move(request)) {}

  Samples take(int samples) override {
    using Clock = std::chrono::steady_clock;
    if (!std::exchange(is_warm_, true)) request_.enqueue(0, nullptr);
    Samples result;
    for (int sample = 0; sample < samples; ++sample) {
      if (request_.before_sample) request_.before_sample(nullptr);
      const Clock::time_point start = Clock::now();
      for (int call = 0; call < request_.calls; ++call) request_.enqueue(call, nullptr);
      const std::chrono::duration<double, std::micro> elapsed = Clock::now() - start;
      result.us.push_back(elapsed.count() / request_.calls);
    }
    return result;
  }

 private:
  TimingRequest request_;
  bool is_warm_ = false;
};

class CpuDevice final : public Device {
 public:
  const DeviceInfo& info() const override { return info_; }

  const Compiler& compiler() override {
    const std::lock_guard lock(compiler_mutex_);
    if (compiler_ == nullptr) compiler_ = make_host_compiler();
    return *compiler_;
  }

  std::unique_ptr<Kernel> load(const CompiledKernel& compiled) override {
    return std::make_unique<CpuKernel>(grid_, streams_, compiled);
  }

  // Not a byte more than asked for, so that AddressSanitizer sees the first one beyond.
  void* allocate(std::size_t bytes) override {
    bytes = std::max<std::size_t>(bytes, 1);
    void* memory = nullptr;
    if (posix_memalign(&memory, kAlignment, bytes) != 0) {
      throw OutOfMemory(fmt::format(
          "Allocating {} bytes on the CPU device: out of memory. Choose a smaller input.", bytes));
    }
    std::memset(memory, 0, bytes);
    return memory;
  }
  void deallocate(void* memory) noexcept override { std::free(memory); }

  void copy(void* to, const void* from, std::size_t bytes) override {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }

  // A launch has ended when it returns.
  void synchronize(Stream) override {}

  bool is_capturing(Stream) const override { return false; }

  std::unique_ptr<Stopwatch> prepare_timing(TimingRequest request) override {
    return std::make_unique<CpuStopwatch>(std::move(request));
  }

 private:
  const DeviceInfo info_ = describe();
  CpuGrid grid_{concurrency()};
  StreamLocks streams_;
  std::mutex compiler_mutex_;
  std::unique_ptr<Compiler> compiler_;
};

}  // namespace

std::unique_ptr<Device> open_cpu_device() { return std::make_unique<CpuDevice>(); }

}  // namespace foldtune
