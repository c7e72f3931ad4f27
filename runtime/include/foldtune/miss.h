/// What becomes of a call whose problem was not tuned.
#pragma once

#include <functional>
#include <string>

#include "foldtune/problem.h"

namespace foldtune {

/// What a miss leads to.
enum class OnMiss {
  use_default,  ///< it runs with the untuned default of its size
  tune,         ///< `MissPolicy::tune` is asked, and the default taken if it knows nothing
  fail,         ///< NotTuned is thrown
};

/// A miss is a size class for which the tuning database has nothing, nor for one nearby: what
/// `explain` calls the default. The policy is asked once per reducer, size class and alignment, in
/// the first call or `prepare`, and never while the call's stream is being captured.
struct MissPolicy {
  OnMiss action = OnMiss::use_default;  ///< what is done

  /// With OnMiss::tune: returns the configuration for the problem as a JSON object, as `foldtune
  /// show --json` and `Explanation::config` have it; empty for none. The call waits for it, and so
  /// do other first calls of the reducer, whose locks are held. What it throws, the call throws,
  /// and the next call asks again. `tune_on_miss` (tuner/session/tune_on_miss.h) makes one that
  /// tunes.
  std::function<std::string(const Problem& problem)> tune{};
};

}  // namespace foldtune
