/// Timing on a CUDA device.
#pragma once

#include <memory>

#include "runtime/cuda_driver.h"
#include "runtime/device.h"
#include "runtime/nvml.h"
#include "runtime/throttle.h"

namespace foldtune {

/// The context, the monitor and the guard must outlive the stopwatch. Throws DeviceError, and what
/// `request.enqueue` throws.
std::unique_ptr<Stopwatch> make_cuda_stopwatch(CUcontext context, TimingRequest request,
                                               GpuMonitor& monitor, ThrottleGuard& guard);

}  // namespace foldtune
