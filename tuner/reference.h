/// What a reduction's result must be: inputs, references in wide precision, and how far a right
/// result may be from them. Used by the tuner before it times a variant, and by the tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "foldtune/problem.h"
#include "templates/reduce/params.cuh"

namespace foldtune {

/// The value of a result, wide enough for every accumulator.
struct ReferenceValue {
  bool is_integer = false;
  std::int64_t integer = 0;  ///< wrapped to the accumulator's width
  long double floating = 0;
  long double sum_of_magnitudes = 0;  ///< sum of |x|, for the error bound of a floating-point sum
};

/// Pseudo-random elements of `type`, the same for the same seed on every machine: floating-point
/// values are uniform in [-1, 1), integers in [-2^20, 2^20). Uses all cores.
std::vector<std::byte> make_input(ElementType type, std::uint64_t count, std::uint64_t seed);

/// The exact or compensated fold of `input[0, problem.count)` on the host. Uses all cores.
ReferenceValue compute_reference(const Problem& problem, const void* input);

/// The most by which a right floating-point sum may differ from the reference:
/// gamma(d) * sum|x|, where d is the length of the longest chain of additions that an element
/// passes through under `params` with `grid_size` blocks, and gamma(d) = d*u / (1 - d*u), u being
/// the accumulator's unit roundoff; for atomic sums in f32 also the denormals that are flushed. 0
/// for everything that must be exact.
long double error_bound(const Problem& problem, const ReduceParams& params, std::uint32_t grid_size,
                        const ReferenceValue& reference);

/// Compares `result`, one value of the accumulator's type, with the reference. Empty if it is
/// right, else what is wrong: "expected 1.5 within 1e-6, got 2". NaN equals NaN, and -0 is not +0
/// for min and max.
std::string find_difference(const Problem& problem, const void* result,
                            const ReferenceValue& reference, long double bound);

/// "12345" or "0.123456789": a value of `type` as text.
std::string format_value(ElementType type, const void* value);

}  // namespace foldtune
