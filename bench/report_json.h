/// Reports as JSON: what bench/README.md describes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/report.h"

namespace foldtune::bench {

/// Raised when a reader of the JSON has to change.
inline constexpr int kSchemaVersion = 4;

std::string to_json(const Report& report);

/// `name` is the file's, for errors. Throws FileError for anything else than a report.
Report parse_report(std::string_view text, const std::string& name);

/// Throws FileError.
Report read_report(const std::string& path);

/// All that the reports have, as one. Throws InvalidArgument where they are of different devices,
/// or two have a figure of the same contender in the same cell.
Report join(std::vector<Report> reports);

}  // namespace foldtune::bench
