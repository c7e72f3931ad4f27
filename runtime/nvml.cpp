#include "runtime/nvml.h"

#include <array>
#include <optional>

#include "foldtune/error.h"
#include "runtime/shared_library.h"

namespace foldtune {
namespace {

// The few declarations that are needed of nvml.h, which the toolkit's runtime packages lack.
using NvmlDevice = struct nvmlDevice_st*;
constexpr int kNvmlSuccess = 0;
constexpr int kNvmlClockSm = 1;
constexpr int kNvmlClockMemory = 2;

struct Nvml {
  SharedLibrary library = SharedLibrary::open({"libnvidia-ml.so.1"});
  int (*init)() = library.symbol<int()>("nvmlInit_v2");
  int (*driver_version)(char*, unsigned) =
      library.symbol<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
  int (*device)(const char*, NvmlDevice*) =
      library.symbol<int(const char*, NvmlDevice*)>("nvmlDeviceGetHandleByPciBusId_v2");
  int (*clock)(NvmlDevice, int, unsigned*) =
      library.symbol<int(NvmlDevice, int, unsigned*)>("nvmlDeviceGetClockInfo");
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

std::string nvml_driver_version() {
  std::array<char, 96> text{};
  if (nvml() == nullptr || nvml()->driver_version(text.data(), text.size()) != kNvmlSuccess) {
    return {};
  }
  return text.data();
}

Clocks nvml_clocks(const std::string& pci_bus_id) {
  NvmlDevice device = nullptr;
  if (nvml() == nullptr || nvml()->device(pci_bus_id.c_str(), &device) != kNvmlSuccess) return {};
  const auto clock = [device](int domain) {
    unsigned mhz = 0;
    return nvml()->clock(device, domain, &mhz) == kNvmlSuccess ? static_cast<int>(mhz) : 0;
  };
  return {.sm_mhz = clock(kNvmlClockSm), .memory_mhz = clock(kNvmlClockMemory)};
}

}  // namespace foldtune
