/// What is folded, as fields of a problem: those that all families of folds have, with their texts
/// and faults.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "foldtune/reduction.h"

namespace foldtune {

namespace fold_field {
/// The fields' places.
enum Place : std::size_t { op, type, accumulator, result, determinism, nan, ddof };
}  // namespace fold_field

std::span<const Field> fold_fields();

/// @{
/// The fields of a problem whose family has these, as a reduction, and back. The problem has to be
/// complete; its count and alignment are those of a default reduction.
Reduction fold_of(const Problem& problem);
void set_fold(Problem& problem, const Reduction& reduction);
/// @}

/// @{
/// What Family says of them. A custom operator is "name:hash", and has texts of all its types.
void complete_fold(Problem& problem);
std::string fold_text(const Problem& problem, const Field& field);
bool parse_fold(Problem& problem, const Field& field, std::string_view text);
std::string describe_fold(const Reduction& reduction);
std::string find_fold_fault(const Reduction& reduction);
/// @}

}  // namespace foldtune
