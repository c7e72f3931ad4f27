/// The stream that work is enqueued on.
#pragma once

struct CUstream_st;

namespace foldtune {

/// The same pointer as the driver's `CUstream` and the CUDA runtime's `cudaStream_t`; null is the
/// legacy default stream, 2 (CU_STREAM_PER_THREAD) the calling thread's own. Borrowed, never
/// destroyed. On the CPU device it is a name alone: a call is done when it returns, those of one
/// stream one after another.
///
/// Scratch belongs to a stream by its handle, and a driver may give a destroyed stream's handle to
/// a new one. So wait for a stream before you destroy it, and in a thread that used its per-thread
/// stream before the thread ends. Never call with a stream that was destroyed: that may end the
/// process, for the driver takes the handle for an address.
using Stream = CUstream_st*;

}  // namespace foldtune
