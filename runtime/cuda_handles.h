/// Handles of the CUDA driver that destroy what they name.
#pragma once

#include <memory>
#include <type_traits>

#include "runtime/cuda_driver.h"

namespace foldtune {

/// Calls the driver's function that destroys a handle. The context must be current then; where it
/// is gone, so is what the handle named.
template <class Handle, auto kDestroy>
struct DestroyHandle {
  void operator()(Handle handle) const { (CudaDriver::get().*kDestroy)(handle); }
};
template <class Handle, auto kDestroy>
using OwnedHandle = std::unique_ptr<std::remove_pointer_t<Handle>, DestroyHandle<Handle, kDestroy>>;

using OwnedEvent = OwnedHandle<CUevent, &CudaDriver::cuEventDestroy>;
using OwnedGraph = OwnedHandle<CUgraph, &CudaDriver::cuGraphDestroy>;
using OwnedGraphExec = OwnedHandle<CUgraphExec, &CudaDriver::cuGraphExecDestroy>;

}  // namespace foldtune
