/// What a reduction's result must be: inputs, references in wide precision, and how far a right
/// result may be from them. Used by the tuner before it times a variant, and by the tests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "foldtune/reduction.h"
#include "templates/space.h"
#include "tuner/verify/number.h"

namespace foldtune {

/// The result of a reduction, and what its error bound is derived from.
struct Reference {
  std::array<Number, 2> numbers{};    ///< the value; of minmax the minimum and the maximum
  std::uint64_t index = 0;            ///< of an indexed value
  std::uint64_t count = 0;            ///< elements
  long double sum_of_magnitudes = 0;  ///< sum of |map(x)|, for floating-point accumulators
  std::uint64_t factors = 0;          ///< of a product: elements other than 1 and -1
  long double largest_magnitude = 0;  ///< the largest |x|
  long double largest_deviation = 0;  ///< the largest |x - mean|
  long double second_moment = 0;      ///< sum of (x - mean)^2
};

/// What the inputs of a reduction are made of, beside their types. Reductions of equal rules and
/// types have the same elements.
struct ElementRule {
  enum class Kind {
    uniform,
    factors,            ///< of a product
    one_zero,           ///< about one zero in all
    one_nonzero,        ///< about one element in all that is not zero
    half_zero,          ///< every second element or so is zero
    some_nan,           ///< every eighth element or so is NaN
    sparse_clear_bits,  ///< almost all bits are set
    sparse_set_bits,
  };
  Kind kind = Kind::uniform;
  bool in_floating_point = false;  ///< how factors are multiplied
  bool operator==(const ElementRule&) const = default;
};

ElementRule element_rule(const Reduction& reduction);

/// Pseudo-random elements for input number `input`, the same for the same seed on
/// every machine: floating-point values are uniform in [-1, 1), integers in [-2^20, 2^20) as far as
/// their type holds that; for products they are near 1, so that no order of multiplications leaves
/// the range. Uses all cores.
std::vector<std::byte> make_input(const Reduction& reduction, std::size_t input,
                                  std::uint64_t count, std::uint64_t seed);

/// The same in place: as many elements as `elements` has room for.
void fill_input(const Reduction& reduction, std::size_t input, std::span<std::byte> elements,
                std::uint64_t seed);

/// The exact or compensated fold of the first `reduction.count` elements on the host. Not for
/// custom operators. Uses all cores.
Reference compute_reference(const Reduction& reduction, std::span<const void* const> inputs);

/// Compares `result`, one result, with the reference. Empty if it is right, else
/// what is wrong: "expected 1.5 within 1e-6, got 2". NaN equals NaN; -0 is not +0 where the result
/// is exact; where it is not, infinity is what lies beyond the result's type.
std::string find_difference(const Reduction& reduction, const void* result,
                            const Reference& reference, long double bound);

/// "12345", "0.123456789", "value 3 at index 17", "min -1, max 5": a result as text.
std::string format_result(const Reduction& reduction, const void* result);
}  // namespace foldtune
