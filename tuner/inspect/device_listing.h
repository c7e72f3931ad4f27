/// The devices of this machine, with their compilers.
#pragma once

#include <string>
#include <vector>

#include "runtime/device/device.h"

namespace foldtune {

/// A device with its compiler, or why that is missing.
struct ListedDevice {
  DeviceInfo info;
  std::string compiler;  ///< Compiler::version()
  std::string fault;     ///< why there is no compiler; empty if there is one
};

struct DeviceListing {
  std::vector<ListedDevice> devices;
  std::string cuda_fault;  ///< why no CUDA device is listed
};

/// All CUDA devices, and the CPU device. Throws nothing for those that are missing.
DeviceListing list_devices();

}  // namespace foldtune
