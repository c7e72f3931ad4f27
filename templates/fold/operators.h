/// The operators of the catalogue as kernels know them: their functors, and what these need.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "foldtune/reduction.h"

namespace foldtune {

/// The names of all enumerators, in their order. Static storage.
std::span<const std::string_view> operator_names();

/// The functor of a reduction, as the kernels' template argument:
/// "foldtune::Sum<float, float>". `wide` indices have 64 bits.
std::string device_operator(const Reduction& reduction, bool wide);

/// The embedded file with that functor: "templates/device/operators/sum.cuh". Not of a custom
/// operator, whose text is part of the program.
std::string operator_file(Operator op);

/// Bytes of one partial result. `wide` as above.
std::size_t accumulator_bytes(const Reduction& reduction, bool wide);

/// Whether a partial result is a result, of one word: blocks can then combine into the output.
bool can_combine_atomically(const Reduction& reduction);

/// Whether a warp folds the accumulator of all lanes at once (redux.cuh).
bool has_warp_fold(const Reduction& reduction);

}  // namespace foldtune
