/// Families that fold many parts of an array, each to a result of its own: what they have in common
/// besides the fields. `parts` says what is folded, for messages: "along an axis".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foldtune/reduction.h"
#include "templates/call.h"

namespace foldtune {

/// complete_fold, but that the result of an operator that finds an element is its number, of 64
/// bits unless 32 are asked for.
void complete_folds(Problem& problem);
/// Empty if each part can be folded.
std::string find_folds_fault(const Reduction& part, std::string_view parts);
/// Empty if the result's type holds the numbers of so many elements.
std::string find_number_fault(const Problem& problem, std::uint64_t elements);
std::string describe_folds(const Reduction& part, std::string_view parts);

/// A fold of one part, whose result has the operator's own type.
Reduction one_fold(const Reduction& part);

/// What one result takes, and the arguments: the output, then the inputs.
std::size_t output_bytes_of_one(const Reduction& part);
std::vector<Argument> folds_arguments(const Reduction& part);

/// The text of the results' type in a program, with the operator's.
std::string device_output(const Reduction& part, std::string_view op);

/// Bytes of an element of all inputs together, and of the widest.
std::size_t element_bytes(const Reduction& part);
std::size_t widest_element_bytes(const Reduction& part);

}  // namespace foldtune
