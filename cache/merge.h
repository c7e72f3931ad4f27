/// One database's measurements for another one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace foldtune {

/// What became of the measurements of a source: each is in one of the first three.
struct MergeReport {
  std::size_t added = 0;
  std::size_t known = 0;             ///< The target had them, or the source has them twice.
  std::vector<std::string> refused;  ///< A line for each: which measurement, and why.
  std::size_t new_problems = 0;      ///< Problems of a device that had no best result before.
  std::size_t changed_problems = 0;  ///< Those of which another result is the best now.
};

/// Copies every measurement of the database `from` that `into` lacks, with its run, in one
/// transaction: `into` has all of them, or is as it was. Two measurements are the same if
/// everything about them and their runs is equal, the times included. What is added counts as newer
/// than what was there, and the best of a problem is what `is_better` says. Compiled kernels are a
/// cache of each database's own, and are not copied.
///
/// `into` is created as `open_sqlite_store` does it; `from` is only read. Throws `StoreError` if
/// both are the same file, or one of them cannot be used.
MergeReport merge_database(const std::string& into, const std::string& from);

}  // namespace foldtune
