/// cuBLAS, opened at run time.
#pragma once

#include <cstdint>
#include <functional>

#include "foldtune/stream.h"

namespace foldtune::bench {

/// Enqueues the dot product of `x[0, count)` and `y[0, count)` into `*result`, all on the device.
using Sdot = std::function<void(const float* x, const float* y, std::uint32_t count, float* result,
                                Stream stream)>;

/// cublasSdot on the current device, with a handle of its own. Throws Unavailable where there is no
/// cuBLAS, and DeviceError where it fails.
Sdot open_sdot();

}  // namespace foldtune::bench
