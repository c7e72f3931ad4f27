/// cuBLAS, opened at run time.
#pragma once

#include <cstdint>
#include <functional>

#include "foldtune/problem.h"
#include "foldtune/stream.h"

namespace foldtune::bench {

/// Enqueues a function of cuBLAS on the inputs `x` and `y` (the second where it has one), into
/// `*result`, all on the device.
using CublasCall = std::function<void(const float* x, const float* y, std::uint32_t count,
                                      void* result, Stream stream)>;

/// cublasSdot, cublasSasum, cublasSnrm2 or, for argabsmax, cublasIsamax, whose result is the index
/// from 1 on in 32 bits; with a handle of its own on the current device. Empty for a problem that
/// none of them computes. Throws Unavailable where there is no cuBLAS, DeviceError where it fails.
CublasCall find_cublas_call(const Problem& problem);

}  // namespace foldtune::bench
