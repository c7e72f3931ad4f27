/// The stream that work is enqueued on.
#pragma once

struct CUstream_st;

namespace foldtune {

/// The same pointer as the driver's `CUstream` and the CUDA runtime's `cudaStream_t`; null is the
/// default stream. Borrowed, never destroyed. The CPU device ignores it.
using Stream = CUstream_st*;

}  // namespace foldtune
