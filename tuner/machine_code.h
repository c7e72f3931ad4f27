/// Which compiled kernels are the same machine code.
#pragma once

#include <optional>
#include <string>

#include "runtime/compiler.h"

namespace foldtune {

/// A hash over the instructions, the constants and the shared memory of the kernels in a cubin, in
/// their order, and what they refer to; their own names do not count, nor what else is in the
/// image. Two variants whose hashes and launches are equal cost the same. Empty if the image is no
/// cubin.
std::optional<std::string> hash_machine_code(const CompiledKernel& compiled);

}  // namespace foldtune
