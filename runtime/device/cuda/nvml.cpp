#include "runtime/device/cuda/nvml.h"

#include <optional>

#include "foldtune/error.h"
#include "runtime/support/shared_library.h"

namespace foldtune {
namespace {

// The few declarations that are needed of nvml.h, which the toolkit's runtime packages lack.
using NvmlDevice = struct nvmlDevice_st*;
constexpr int kNvmlSuccess = 0;
constexpr int kNvmlClockSm = 1;
constexpr int kNvmlClockMemory = 2;

/// A reading is used for this long. Clocks and throttles change in tens of milliseconds, and what a
/// reading costs, up to a millisecond, remains a small part of the time.
constexpr std::chrono::milliseconds kReadingLife{10};

using ClockReasons = int(NvmlDevice, unsigned long long*);

/// Null if the library has it under neither its new nor its old name.
ClockReasons* find_clock_reasons(const SharedLibrary& library) {
  ClockReasons* const found =
      library.find_symbol<ClockReasons>("nvmlDeviceGetCurrentClocksEventReasons");
  if (found != nullptr) return found;
  return library.find_symbol<ClockReasons>("nvmlDeviceGetCurrentClocksThrottleReasons");
}

struct Nvml {
  SharedLibrary library = SharedLibrary::open({"libnvidia-ml.so.1"});
  int (*init)() = library.symbol<int()>("nvmlInit_v2");
  int (*device)(const char*, NvmlDevice*) =
      library.symbol<int(const char*, NvmlDevice*)>("nvmlDeviceGetHandleByPciBusId_v2");
  int (*clock)(NvmlDevice, int, unsigned*) =
      library.symbol<int(NvmlDevice, int, unsigned*)>("nvmlDeviceGetClockInfo");
  ClockReasons* clock_reasons = find_clock_reasons(library);
};

/// Null where NVML cannot be used. It stays open for the life of the process.
const Nvml* nvml() {
  static const std::optional<Nvml> loaded = []() -> std::optional<Nvml> {
    try {
      Nvml library;
      if (library.init() != kNvmlSuccess) return std::nullopt;
      return library;
    } catch (const Error&) {
      return std::nullopt;
    }
  }();
  return loaded ? &*loaded : nullptr;
}

}  // namespace

DeviceState GpuMonitor::state() {
  const auto now = std::chrono::steady_clock::now();
  if (nvml() == nullptr || (read_at_ && now - *read_at_ < kReadingLife)) return state_;
  read_at_ = now;
  state_ = {};
  if (device_ == nullptr && nvml()->device(pci_bus_id_.c_str(), &device_) != kNvmlSuccess) {
    device_ = nullptr;
    return state_;
  }
  const auto clock = [this](int domain) {
    unsigned mhz = 0;
    return nvml()->clock(device_, domain, &mhz) == kNvmlSuccess ? static_cast<int>(mhz) : 0;
  };
  state_.clocks = {.sm_mhz = clock(kNvmlClockSm), .memory_mhz = clock(kNvmlClockMemory)};
  unsigned long long reasons = 0;
  ClockReasons* const ask = nvml()->clock_reasons;
  if (ask != nullptr && ask(device_, &reasons) == kNvmlSuccess) state_.clock_reasons = reasons;
  return state_;
}

}  // namespace foldtune
