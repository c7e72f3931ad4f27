/// What `foldtune tune --dry-run` says instead of tuning.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tuner/session/tuner.h"

namespace foldtune {

/// Says how many configurations a tuning of `options.workloads` on a device of this machine
/// ("cuda:0") would try, how long that would take, and what it may gain, as far as the database
/// knows. Into `json`, an array, if it is not null. Throws Unavailable where the device or its
/// compiler is missing, and StoreError.
void say_what_tuning_takes(const std::string& device, const std::string& database,
                           const TuneOptions& options, nlohmann::ordered_json* json);

}  // namespace foldtune
