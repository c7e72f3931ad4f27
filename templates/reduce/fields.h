/// The problems of the family `reduce`: their fields, their texts and their faults.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "foldtune/reduction.h"

namespace foldtune {

namespace reduce_field {
/// The fields' places.
enum Place : std::size_t { op, type, accumulator, result, determinism, nan, ddof };
}  // namespace reduce_field

std::span<const Field> reduce_fields();

/// @{
/// What Family says of them. A custom operator is "name:hash", and has texts of all its types.
void complete_reduction(Problem& problem);
std::string reduction_text(const Problem& problem, const Field& field);
bool parse_reduction(Problem& problem, const Field& field, std::string_view text);
std::string describe_reduction(const Reduction& reduction);
std::string find_reduction_fault(const Reduction& reduction);
/// @}

}  // namespace foldtune
