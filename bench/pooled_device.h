/// A device that compiles every program once, whoever asks for it.
#pragma once

#include <memory>

#include "runtime/device/device.h"
#include "tuner/measure/compile_pool.h"

namespace foldtune::bench {

/// All but the compiler is the device's own. What was requested of the pool beforehand is there
/// when a context wants it: with NVRTC, one program after another takes four times as long. The
/// pool compiles for the device, and must outlive this one.
std::shared_ptr<Device> make_pooled(std::shared_ptr<Device> device, CompilePool& compilations);

}  // namespace foldtune::bench
