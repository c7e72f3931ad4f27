/// A kernel that does nothing: what is left of a call when it has no work.
#pragma once

#include "foldtune/stream.h"

namespace foldtune::bench {

/// Enqueues it, and returns its cudaError_t.
int launch_empty_kernel(Stream stream);

}  // namespace foldtune::bench
