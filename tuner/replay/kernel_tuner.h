/// Landscapes as cache files of Kernel Tuner, whose simulation mode then tries its strategies on
/// them.
#pragma once

#include <string>

#include "tuner/replay/landscape.h"

namespace foldtune {

/// The text of a cache file of schema 1.1.0. Times are in milliseconds, as Kernel Tuner has them;
/// those that no landscape holds are 0. `timestamp` (ISO 8601) stands for when each configuration
/// was measured. A configuration that failed has the name of Kernel Tuner's error in the place of
/// its time.
std::string to_kernel_tuner_cache(const Landscape& landscape, const std::string& timestamp);

}  // namespace foldtune
