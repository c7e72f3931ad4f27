/// Problems from the names that stores know them by: the inverse of `make_problem_key`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cache/config_store.h"
#include "foldtune/problem.h"

namespace foldtune {

/// The problem with `count` elements. Empty for names that this version does not know. Of a custom
/// operator only the name and the types: stores do not keep its expressions.
std::optional<Problem> read_problem(const ProblemKey& key, std::uint64_t count);

/// Whether the operator is a user's, "name:hash".
bool is_custom(const ProblemKey& key);

/// The items between the commas, which may be empty: the types of a custom operator.
std::vector<std::string_view> split_list(std::string_view text);

}  // namespace foldtune
