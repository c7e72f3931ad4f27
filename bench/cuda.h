/// Errors, versions and the current device of the CUDA runtime API.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "runtime/device/device.h"

namespace foldtune::bench {

/// Throws DeviceError unless `error` is success: "calling CUB: cudaError...: ...".
void check(cudaError_t error, const std::string& doing);

/// Makes the device the current one, whose context is Foldtune's too. Throws Unavailable for what
/// is no GPU.
void select(const Device& device);

/// "13.0": the version of the CUDA runtime that is linked.
std::string cuda_runtime_version();

}  // namespace foldtune::bench
