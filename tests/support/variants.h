/// What the tests go through: every reduction, and its variants.
#pragma once

#include <string>
#include <vector>

#include "foldtune/reduction.h"
#include "templates/family.h"

namespace foldtune::test {

/// Every operator over every element type in every accumulator that it can have, with every NaN
/// policy and ddof, and with everything that `Determinism::any` allows.
std::vector<Reduction> all_reductions();

/// "sum f32 -> f64", "max f32 -> f32, no NaN".
std::string describe(const Reduction& reduction);

/// Every configuration that can be compiled, also those that no search tries.
std::vector<Config> all_params(const Workload& workload);

/// Every configuration, for both layouts and both widths of indices.
std::vector<Variant> every_variant(const Workload& workload);

/// Every configuration of the covering sample at least once, with layouts and widths of indices
/// so that each of their four combinations is held with every value of every tunable.
std::vector<Variant> covering_variants(const Workload& workload);

/// `count` of the variants, evenly spread; other ones for another `turn`.
std::vector<Variant> some_of(const std::vector<Variant>& variants, std::size_t count,
                             std::size_t turn);

/// The variants that bring a value of a tunable that none before them has.
std::vector<Variant> each_value_once(const std::vector<Variant>& variants);

}  // namespace foldtune::test
