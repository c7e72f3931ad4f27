/// Timing on a CUDA device.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/device/cuda/cuda_driver.h"
#include "runtime/device/cuda/nvml.h"
#include "runtime/device/device.h"
#include "runtime/device/throttle.h"

namespace foldtune {

/// What the timings of one device share. Not thread-safe.
class CudaTimer {
 public:
  /// The context must outlive the timer. `pci_bus_id` is of its device: "0000:17:00.0".
  CudaTimer(CUcontext context, std::string pci_bus_id);
  CudaTimer(const CudaTimer&) = delete;
  CudaTimer& operator=(const CudaTimer&) = delete;
  ~CudaTimer();

  /// The stopwatch must not outlive the timer. Throws DeviceError, and what `request.enqueue`
  /// throws.
  std::unique_ptr<Stopwatch> prepare(TimingRequest request);

  /// Samples that were not taken while the device was throttled, of `take_once`.
  Samples take(const std::function<ThrottleGuard::Reading()>& take_once) {
    return guard_.take(take_once);
  }
  DeviceState state() { return monitor_.state(); }
  CUcontext context() const { return context_; }
  /// Into which calls are captured, and nothing else; the context must be current. Throws
  /// DeviceError.
  CUstream capture_stream();

 private:
  CUcontext context_;
  GpuMonitor monitor_;
  ThrottleGuard guard_;
  CUstream capture_stream_ = nullptr;  ///< null until it is first needed
};

}  // namespace foldtune
