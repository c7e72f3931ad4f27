/// The types of the catalogue for families: all names of a kind, and what the device code calls
/// them.
#pragma once

#include <span>
#include <string_view>

#include "foldtune/catalog.h"

namespace foldtune {

/// @{
/// The names of all enumerators, in their order. Static storage.
std::span<const std::string_view> element_type_names();
std::span<const std::string_view> determinism_names();
std::span<const std::string_view> alignment_names();
std::span<const std::string_view> nan_policy_names();
/// @}

/// The type as the kernels' template arguments spell it: "float".
std::string_view device_name(ElementType type);

}  // namespace foldtune
