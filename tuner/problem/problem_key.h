/// Workloads from the names that stores know them by: the inverse of `make_problem_key`.
#pragma once

#include <optional>
#include <string_view>

#include "cache/config_store.h"
#include "foldtune/workload.h"

namespace foldtune {

/// The workload of that shape, in the bucket of the key or not. Empty for names that this version
/// does not know. Of a custom operator only the name and the types: stores do not keep its
/// expressions.
std::optional<Workload> read_workload(const ProblemKey& key, std::string_view shape);

/// The same without the shape and the layout.
std::optional<Problem> read_problem(const ProblemKey& key);

}  // namespace foldtune
