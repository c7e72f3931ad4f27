/// What the device code calls the rows of the catalogue.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "foldtune/problem.h"

namespace foldtune {

/// The type as the kernels' template arguments spell it: "float".
std::string_view device_name(ElementType type);

/// The functor of a problem of the family `reduce`, as the kernels' template argument:
/// "foldtune::Sum<float, float>". `wide` indices have 64 bits.
std::string device_operator(const Problem& problem, bool wide);

/// The embedded file with that functor: "templates/device/operators/sum.cuh". Not of a custom
/// operator, whose text is part of the program.
std::string operator_file(Operator op);

/// Bytes of one partial result. `wide` as above.
std::size_t accumulator_bytes(const Problem& problem, bool wide);

/// Whether a partial result is a result, of one word: blocks can then combine into the output.
bool can_combine_atomically(const Problem& problem);

/// Whether a warp folds the accumulator of all lanes at once (redux.cuh).
bool has_warp_fold(const Problem& problem);

}  // namespace foldtune
