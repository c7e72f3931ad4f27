/// Functions of other libraries that the ladder compares with. They are linked where the bench is
/// built; elsewhere there are none.
#pragma once

#include <span>
#include <string_view>

#include "tuner/measure/measure.h"

namespace foldtune {

struct LibraryKernel {
  std::string_view name;  ///< as LibraryFunction has it
  /// What computes the problem on the device, with its own temporary memory. Throws Unavailable
  /// where the library or the device is not there, DeviceError if it fails. The device must outlive
  /// what is returned.
  Enqueue (*prepare)(Device& device, const Workload& workload);
};

std::span<const LibraryKernel> library_kernels();

}  // namespace foldtune
