/// A database at a glance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cache/kernel_store.h"
#include "cache/write_obstacle.h"

namespace foldtune {

struct DatabaseSummary {
  std::uint64_t bytes = 0;    ///< With its log.
  WriteObstacle obstacle{};   ///< What keeps this user from writing to it.
  std::string file_system{};  ///< "NFS"; empty for a local one.
  std::size_t bests = 0;      ///< Those of the kernel sources that are asked for.
  KernelUsage kernels{};
  std::vector<std::string> notes{};  ///< What is odd about its path.
};

/// Looks at the database `path`, and changes nothing. Throws `StoreError` if it is not there, is no
/// database of Foldtune, is of another version, or damaged where it counts. Of the kernel sources
/// with these fingerprints it counts the best results.
DatabaseSummary summarize_database(const std::string& path,
                                   const std::vector<std::string>& fingerprints);

}  // namespace foldtune
