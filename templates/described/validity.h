/// What a description's expressions must give for a shape and a configuration.
#pragma once

#include <cstdint>
#include <string>

#include "templates/described/family.h"

namespace foldtune {

/// The most bytes of all arrays of a call together, and of its scratch: far more than any memory,
/// and so few that sums of them fit 64 bits.
inline constexpr std::uint64_t kMaxCallBytes = std::uint64_t{1} << 50;

/// Empty if a parameter of that type can be `value`. Floating-point numbers are rounded, as in C.
std::string find_number_fault(ElementType type, std::int64_t value);

/// Empty if the arrays of a call of the problem have a size for this shape, else what is wrong.
std::string find_array_fault(const DescribedFamily& family, const Problem& problem,
                             const Shape& shape);

/// Empty if the configuration may be launched for the shape, else why not.
std::string find_config_fault(const DescribedFamily& family, const Config& config,
                              const Shape& shape);

}  // namespace foldtune
