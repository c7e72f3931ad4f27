/// cuBLAS, opened at run time.
#pragma once

#include "tuner/measure/measure.h"

namespace foldtune::bench {

/// cublasSdot, cublasSasum, cublasSnrm2 or, for argabsmax, cublasIsamax, whose result is the index
/// from 1 on in 32 bits; with a handle of its own on the current device. Empty for a workload that
/// none of them computes. Throws Unavailable where there is no cuBLAS, DeviceError where it fails.
Enqueue make_cublas_enqueue(const Workload& workload);

}  // namespace foldtune::bench
