/// Landscapes as cache files of Kernel Tuner, whose simulation mode then tries its strategies on
/// them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tuner/exchange/landscape.h"

namespace foldtune {

/// The text of a cache file of schema 1.1.0. Times are in milliseconds, as Kernel Tuner has them;
/// those that no landscape holds are 0. `timestamp` (ISO 8601) stands for when each configuration
/// was measured. A configuration that failed has the name of Kernel Tuner's error in the place of
/// its time. The field "foldtune", which Kernel Tuner does not read, has the rest: device,
/// compiler, kernels and problem.
std::string to_kernel_tuner_cache(const Landscape& landscape, const std::string& timestamp);

/// The inverse, but for failures: compile_error, or launch_error for all others. `file` is the name
/// for errors: FileError, with the configuration. Refuses caches without the field "foldtune".
Landscape parse_kernel_tuner_cache(std::string_view text, const std::string& file);

/// Reads a file. Throws FileError.
Landscape read_kernel_tuner_cache(const std::filesystem::path& path);

}  // namespace foldtune
