/// Whether a database is what Foldtune would have made.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cache/config_store.h"

namespace foldtune {

/// What is known of problems and kernels: what is wrong with a row whose numbers and times are
/// possible, in words that end a sentence; empty if nothing.
struct CheckRules {
  std::function<std::string(const StoredResult&)> fault_of_run;
  std::function<std::string(const StoredResult&)> fault_of_measurement;
};

struct CheckFinding {
  std::string text;    ///< where, and what; a line
  std::string remedy;  ///< what to do
};

struct CheckReport {
  std::size_t measurements = 0;  ///< Those that were looked at.
  std::size_t kernels = 0;       ///< The same of compiled kernels.
  std::vector<CheckFinding> findings;
};

/// Looks at the whole database `path` and changes nothing: SQLite's own integrity, references,
/// tables, indexes and views as the schema has them, and every row's values. Tables and
/// views that users added to the schema are not looked at. Throws `StoreError` if it cannot be read
/// at all, is not a Foldtune database, or is of another version.
CheckReport check_database(const std::string& path, const CheckRules& rules);

}  // namespace foldtune
