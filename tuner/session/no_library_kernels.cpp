#include "tuner/session/library_kernels.h"

namespace foldtune {

std::span<const LibraryKernel> library_kernels() { return {}; }

}  // namespace foldtune
