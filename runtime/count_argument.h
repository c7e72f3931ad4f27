/// The count as the kernels of both families take it.
#pragma once

#include <cstdint>

#include "runtime/variant.h"

namespace foldtune {

/// The argument of type Index of a launch, which must not outlive it.
struct CountArgument {
  CountArgument(const Variant& variant, std::uint64_t count)
      : wide(count),
        narrow(static_cast<std::uint32_t>(count)),
        is_wide(counts_in_64_bits(variant)) {}
  void* address() { return is_wide ? static_cast<void*>(&wide) : static_cast<void*>(&narrow); }

  std::uint64_t wide;
  std::uint32_t narrow;
  bool is_wide;
};

}  // namespace foldtune
