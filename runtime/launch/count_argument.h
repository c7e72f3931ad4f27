/// The count as the kernels of both families take it.
#pragma once

#include <cstdint>

namespace foldtune {

/// The argument of type Index of a launch, which must not outlive it.
struct CountArgument {
  CountArgument(std::uint64_t count, bool in_64_bits)
      : wide(count), narrow(static_cast<std::uint32_t>(count)), is_wide(in_64_bits) {}
  void* address() { return is_wide ? static_cast<void*>(&wide) : static_cast<void*>(&narrow); }

  std::uint64_t wide;
  std::uint32_t narrow;
  bool is_wide;
};

}  // namespace foldtune
