/// A launch that is kept ready as a CUDA graph of one node.
#pragma once

#include <memory>

#include "runtime/cuda_driver.h"
#include "runtime/device.h"

namespace foldtune {

/// Launches `function` of a module of `context`; a cluster only where the device has them. The
/// first arguments are not used by any launch. Throws DeviceError, OutOfMemory.
std::unique_ptr<ReadyLaunch> make_cuda_ready_launch(CUcontext context, CUfunction function,
                                                    LaunchShape shape, void** first_arguments);

}  // namespace foldtune
