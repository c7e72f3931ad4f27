/// Divisions by a count.
#pragma once

#include "templates/device/types.cuh"

namespace foldtune {

/// The same count, but 1 for 0.
template <class Count>
FOLDTUNE_DEVICE Count at_least_one(Count count) {
  return count + static_cast<Count>(count == 0 ? 1 : 0);
}

/// a / count, to the last bit or nearly so, of any number and a count. Written out, since `/` calls
/// a subroutine of the compiler's for operands that are 0 or nearly so, infinite or NaN, and
/// ptxas 13.0 has been seen to change the caller's registers in there (docs/kernels.md). Here and
/// wherever accumulators are merged, the operands of every `/` are normal numbers.
template <class Number>
FOLDTUNE_DEVICE Number over_count(Number a, Number count) {
  const Number reciprocal =
      count == 0 ? Limits<Number>::highest() : Number{1} / at_least_one(count);
  const Number quotient = a * reciprocal;
  const bool is_finite = quotient - quotient == 0;
  if (!is_finite) return quotient;
  const Number rest = platform::multiply_add(-quotient, count, a);
  return platform::multiply_add(rest, reciprocal, quotient);
}

}  // namespace foldtune
