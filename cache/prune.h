/// Measurements that are no longer wanted.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cache/device_filter.h"

namespace foldtune {

/// Which measurements go: those that every condition in use holds for.
struct PruneRules {
  /// Stored at this time or before, UTC, ISO 8601: "2026-01-31T12:00:00Z". Empty: at any time.
  std::string before{};
  /// Of these devices. If it is any, the best measurement of a problem stays as long as its kernel
  /// sources are present ones.
  DeviceFilter device{};
  /// Only those of other kernel sources than the present ones. Kept kernels of these go, too.
  bool seeds = false;
  std::vector<std::string> present_fingerprints{};  ///< Of the kernel sources of all problems.
  /// Whose sources these are. Of other families, such as a user's own, nobody knows here whether
  /// the sources have changed: their measurements count as of present ones.
  std::vector<std::string> families{};
};

/// What goes of one device and compiler, of present kernel sources or of others.
struct PrunedGroup {
  std::string device_name;
  std::string driver;
  std::string compiler;
  bool is_seed = false;
  std::size_t measurements = 0;
  std::size_t problems = 0;  ///< That they are of.
};

struct PruneReport {
  std::vector<PrunedGroup> groups;  ///< In the order of the names.
  /// The rules hold for them, but they are the best of their problems, or pinned.
  std::size_t kept_best = 0;
};

/// What `prune_database` would remove of the database `path`, which is only read.
PruneReport preview_prune(const std::string& path, const PruneRules& rules);

/// Removes them in one transaction, with the runs, problems and configurations that
/// nothing refers to any more; a run of the last day stays, since its tuner may be going on. The
/// file must exist. Both throw `StoreError`.
PruneReport prune_database(const std::string& path, const PruneRules& rules);

}  // namespace foldtune
