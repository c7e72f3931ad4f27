/// Whether a database is what Foldtune would have made.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cache/config_store.h"

namespace foldtune {

/// What the check needs to know of the kernels.
struct CheckRules {
  /// The kernel sources whose tunables are known. Params of others only have to be JSON objects.
  std::string template_fingerprint;
  /// What is wrong with the params of a measurement with these sources; empty if nothing.
  std::function<std::string(const MeasurementRecord&)> fault_of_params;
};

struct CheckReport {
  std::size_t measurements = 0;       ///< Those that were looked at.
  std::size_t kernels = 0;            ///< The same of compiled kernels.
  std::vector<std::string> findings;  ///< A line for each: where, what, and what to do.
};

/// Looks at the whole database `path` and changes nothing: SQLite's own integrity, references,
/// tables, indexes and views as the schema has them, and every row's values. What users added to
/// the schema is not looked at. Throws `StoreError` if it cannot be read at all, is not a Foldtune
/// database, or is of another version.
CheckReport check_database(const std::string& path, const CheckRules& rules);

}  // namespace foldtune
