/// A custom operator as source text.
#pragma once

#include <string>

#include "foldtune/custom.h"

namespace foldtune {

/// The functor `foldtune::CustomOperator`, which is to a program what the file of another operator
/// is (templates/device/operator.cuh says what it has). Errors in its expressions are reported at
/// lines of their own: `map(1)` or `map:1:5`.
std::string custom_source(const CustomOperator& op);

}  // namespace foldtune
