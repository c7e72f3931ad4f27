/// What `foldtune run` says of a histogram's counts.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tuner/commands/run_report.h"

namespace foldtune {

/// {"bins", "counted", "counts"}, and "range" or "edges".
nlohmann::ordered_json histogram_json(const RunReport& report);

/// How many elements were counted, and a line for each of the fullest bins.
std::string histogram_text(const RunReport& report);

}  // namespace foldtune
