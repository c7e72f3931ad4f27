/// A record of what a program calls, from which it is tuned afterwards.
#pragma once

#include <functional>
#include <string>

#include "foldtune/workload.h"

namespace foldtune {

/// The options of `foldtune tune` for the workload, without the device: " --op sum ... --n 4096".
/// Its shape has elements. Empty for an operator of one's own, whose expressions are not known
/// here.
std::string tune_options(const Workload& workload);

/// What adds a line of these options to the file that $FOLDTUNE_RECORD names, for each workload
/// that it had not been called with; null where the variable is not set or empty. May be called
/// from several threads; processes may have one file. That the file cannot be written is told by
/// `notify`, and lost is the line alone.
std::function<void(const Workload& workload)> record_of_environment(
    std::function<void(const std::string&)> notify);

}  // namespace foldtune
