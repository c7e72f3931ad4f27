/// One database's measurements for another one.
#pragma once

#include <string>
#include <vector>

#include "cache/intake.h"

namespace foldtune {

struct MergeReport {
  IntakeReport taken;
  std::vector<std::string> refused;  ///< A line for each: which measurement, and why.
};

/// Copies every measurement of the database `from` that `into` lacks, with its run, by way of an
/// Intake: in parts, so that others wait for no long transaction; one that was stopped is completed
/// by the same call. Compiled kernels are a cache of each database's own, and are not copied.
///
/// `into` is created as `open_sqlite_store` does it; `from` is only read. Throws `StoreError` if
/// both are the same file, or one of them cannot be used.
MergeReport merge_database(const std::string& into, const std::string& from);

}  // namespace foldtune
