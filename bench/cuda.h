/// Errors and versions of the CUDA runtime API.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace foldtune::bench {

/// Throws DeviceError unless `error` is success: "calling CUB: cudaError...: ...".
void check(cudaError_t error, const std::string& doing);

/// "13.0": the version of the CUDA runtime that is linked.
std::string cuda_runtime_version();

}  // namespace foldtune::bench
