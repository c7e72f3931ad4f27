/// Problems as the database names them, for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "foldtune/catalog.h"

namespace foldtune {

/// "sum f32 2^20", and what differs from the defaults: "max f32 without NaN 2^20, element". Names
/// that this version does not know are shown as they are.
std::string describe_problem(const ProblemKey& key, std::uint64_t count);

/// The same without the count: "sum f32", "max f32 without NaN, element".
std::string describe_operation(const ProblemKey& key);

/// Whether the operator is one of these; those of users, "name:hash", are `custom`.
bool has_operator_of(const ProblemKey& key, const std::vector<Operator>& ops);

/// Whether an input has one of these types.
bool has_type_of(const ProblemKey& key, const std::vector<ElementType>& types);

}  // namespace foldtune
