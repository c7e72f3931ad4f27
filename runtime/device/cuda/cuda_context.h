/// The context of a CUDA device, current for a while.
#pragma once

#include "runtime/device/cuda/cuda_driver.h"

namespace foldtune {

/// Makes a context current for a scope, and leaves the caller's as it was. The usual case, a
/// program of the CUDA runtime API on one device, already has it current. Throws DeviceError.
class ContextScope {
 public:
  explicit ContextScope(CUcontext context, const CudaDriver& driver = CudaDriver::get())
      : driver_(driver) {
    CUcontext current = nullptr;
    driver_.check(driver_.cuCtxGetCurrent(&current), "asking for the current CUDA context");
    if (current == context) return;
    driver_.check(driver_.cuCtxPushCurrent(context), "making the CUDA context current");
    pushed_ = true;
  }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
  ~ContextScope() {
    CUcontext popped = nullptr;
    if (pushed_) driver_.cuCtxPopCurrent(&popped);
  }

 private:
  const CudaDriver& driver_;
  bool pushed_ = false;
};

/// Lets this thread allocate, load and wait while some other stream is being captured, which the
/// driver else refuses, and which would end that capture. It is right where nothing of the captured
/// stream depends on what is done.
class UncapturedScope {
 public:
  UncapturedScope() : driver_(CudaDriver::get()) {
    driver_.cuThreadExchangeStreamCaptureMode(&mode_);
  }
  UncapturedScope(const UncapturedScope&) = delete;
  UncapturedScope& operator=(const UncapturedScope&) = delete;
  ~UncapturedScope() { driver_.cuThreadExchangeStreamCaptureMode(&mode_); }

 private:
  const CudaDriver& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace foldtune
