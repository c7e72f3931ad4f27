/// The problem of another family whose results a family from a file has to give.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "templates/described/family.h"

namespace foldtune {

/// The reference of the problem, with the values of its fields in the places of "{field}"; empty
/// where the description has none. Throws std::invalid_argument for what no family knows.
std::optional<Problem> reference_of(const DescribedFamily& family, const Problem& problem);

/// The place among the reference's arguments of the problem's input at `argument`.
std::size_t reference_place(const Problem& problem, const Problem& reference, std::size_t argument);

/// The shape of the reference that a shape of the family is: with the same text, if the reference
/// has such a shape, else with the same extents.
Shape reference_shape(const Family& family, const Problem& reference, const Shape& shape);

/// Empty if the problem has no reference, or one that takes the same inputs and whose result has
/// the same type; else what is different.
std::string find_reference_fault(const DescribedFamily& family, const Problem& problem);

/// The same of the sizes, of a problem without such a fault.
std::string find_reference_fault(const DescribedFamily& family, const Problem& problem,
                                 const Shape& shape);

/// find_reference_fault of all problems of the family. Throws std::invalid_argument for the first
/// that has one.
void require_reference(const DescribedFamily& family);

}  // namespace foldtune
