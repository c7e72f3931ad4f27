/// Problems as the database names them, for people.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cache/config_store.h"

namespace foldtune {

/// "sum f32 2^20", and what differs from the usual: "max f32 without NaN 2^20, element". Names that
/// this version does not know are shown as they are.
std::string describe_problem(const ProblemKey& key, std::string_view shape);

/// The same without the shape: "sum f32", "max f32 without NaN, element".
std::string describe_operation(const ProblemKey& key);

/// Whether the problem has one of these values for a field. A user's operator, "name:hash", also
/// has the value `custom`, and of its types, "f32,u32", each.
bool has_value(const ProblemKey& key, std::string_view field, std::span<const std::string> values);

}  // namespace foldtune
