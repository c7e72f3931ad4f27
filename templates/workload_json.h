/// Workloads as JSON, for another process and for files.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "foldtune/workload.h"

namespace foldtune {

/// {"family", "problem", "custom", "shape", "layout", "conditions"}: texts, but for the operator of
/// the user's own, an object of all its fields (null: none).
nlohmann::json workload_to_json(const Workload& workload);

/// The inverse: the same workload, to the last bit. Throws std::invalid_argument for anything else
/// than such an object; whether it can be computed is left to `find_fault`.
Workload workload_from_json(const nlohmann::json& json);

}  // namespace foldtune
