/// Clocks, and what keeps them down, from NVML, the driver's management library, opened at run
/// time. Without it, or with one that refuses, they are unknown: nothing here throws.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "runtime/device/throttle.h"

struct nvmlDevice_st;

namespace foldtune {

/// Watches the GPU at a PCI address such as "0000:17:00.0". Not thread-safe.
class GpuMonitor {
 public:
  explicit GpuMonitor(std::string pci_bus_id) : pci_bus_id_(std::move(pci_bus_id)) {}

  /// The state now, or a few milliseconds ago: asking the driver takes longer than many a sample.
  DeviceState state();

 private:
  std::string pci_bus_id_;
  nvmlDevice_st* device_ = nullptr;
  DeviceState state_;
  std::optional<std::chrono::steady_clock::time_point> read_at_;
};

}  // namespace foldtune
