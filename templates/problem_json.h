/// Problems as JSON, for another process and for files.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "foldtune/problem.h"

namespace foldtune {

/// An object with every field of the problem, of its custom operator (null: none) and of its
/// histogram.
nlohmann::json problem_to_json(const Problem& problem);

/// The inverse: the same problem, to the last bit. Throws std::invalid_argument for anything else
/// than such an object; whether the problem can be solved is left to `find_fault`.
Problem problem_from_json(const nlohmann::json& json);

}  // namespace foldtune
