/// Results that are stale: of the present device and kernels, but of another
/// driver or compiler, or imported. Programs use them; `foldtune revalidate` times them again.
#pragma once

#include <string>
#include <vector>

#include "cache/config_store.h"
#include "templates/family.h"
#include "templates/space.h"

namespace foldtune {

/// A device with the compiler that it is used with now.
struct PresentDevice {
  DeviceRecord record;
  std::string compiler;
};

/// A problem of which nothing was chosen yet with the present driver and compiler.
struct StaleProblem {
  Workload workload;                  ///< with the count of the newest stale result
  std::vector<StoredResult> stale{};  ///< the best with each driver and compiler, newest first
  std::vector<StoredResult>
      present{};  ///< the best with the present ones, of a tuning that was ended
};

struct StaleResults {
  std::vector<StaleProblem> problems;  ///< in the order of `best`
  std::vector<ProblemKey> unreadable;  ///< stale, but a custom operator, or of another version
  std::vector<std::string> unknown_families{};  ///< of which there are stale results, each once
};

/// `best` are the best results of a store.
StaleResults find_stale(const std::vector<StoredResult>& best, const PresentDevice& device);

/// What a revalidation tries beside the untuned default: what is stale, then what a tuning that
/// was ended tried.
std::vector<Config> candidates_of(const StaleProblem& stale);

}  // namespace foldtune
