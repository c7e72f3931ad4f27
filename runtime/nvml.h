/// Clocks and the driver's version from NVML, the driver's management library, opened at run time.
/// Without it, or with one that refuses, they are unknown: nothing here throws.
#pragma once

#include <string>

#include "runtime/device.h"

namespace foldtune {

/// "580.159.04"; empty if unknown.
std::string nvml_driver_version();

/// The present clocks of the GPU at a PCI address such as "0000:17:00.0".
Clocks nvml_clocks(const std::string& pci_bus_id);

}  // namespace foldtune
