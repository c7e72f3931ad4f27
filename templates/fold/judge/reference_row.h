/// What the references know of the operators, beyond the catalogue.
#pragma once

#include "templates/fold/judge/error_bound.h"

namespace foldtune {

/// One address per input.
using InputArrays = std::span<const void* const>;

struct ReferenceRow {
  Operator op;
  Reference (*fold)(const Reduction& reduction, InputArrays inputs);
  ErrorBound bound;  ///< null if the result is exact
};

/// Not for custom operators.
const ReferenceRow& reference_row(Operator op);

/// Whether a right result is equal to the reference, zeros with their sign: the operator selects,
/// or folds integers.
bool is_exact(const Reduction& reduction);

}  // namespace foldtune
