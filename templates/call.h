/// The pointers and numbers of one call.
#pragma once

#include <array>
#include <cstdint>

#include "foldtune/bin_bound.h"
#include "foldtune/problem.h"

namespace foldtune {

/// What one call works on, in device memory.
struct Call {
  /// As many as the problem has, of `count` elements each. A histogram with custom edges has them
  /// as its second: bins + 1 numbers of the element's type.
  std::array<const void*, kMaxInputs> inputs{};
  std::uint64_t count = 0;
  void* output = nullptr;  ///< one result, or the counts of all bins
  BinBound lower = 0;      ///< of a histogram's even bins
  BinBound upper = 1;
  bool inputs_ready = false;  ///< as Reducer::with_inputs_ready() promises
};

}  // namespace foldtune
