/// What the tests go through: every problem, and its variants.
#pragma once

#include <string>
#include <vector>

#include "runtime/variant.h"

namespace foldtune::test {

/// Every operator over every element type in every accumulator that it can have, with everything
/// that `Determinism::any` allows.
std::vector<Problem> all_problems();

/// "sum f32 -> f64".
std::string describe(const Problem& problem);

/// Every configuration, for both alignment classes and both widths of indices.
std::vector<Variant> every_variant(const Problem& problem);

/// Every configuration of the covering sample at least once, with alignment classes and widths of
/// indices so that each of their four combinations is held with every value of every tunable.
std::vector<Variant> covering_variants(const Problem& problem);

/// The variants that bring a value of a tunable that none before them has.
std::vector<Variant> each_value_once(const std::vector<Variant>& variants);

}  // namespace foldtune::test
