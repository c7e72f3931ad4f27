/// What becomes of a call whose problem was not tuned.
#pragma once

#include <functional>
#include <string>

#include "foldtune/workload.h"

namespace foldtune {

/// What a miss leads to.
enum class OnMiss {
  use_default,  ///< it runs with the untuned default of its size
  tune,         ///< it is tuned, and the default taken if nothing could be timed
  fail,         ///< NotTuned is thrown
};

/// A miss is a size class for which the tuning database has nothing, nor for one nearby: what
/// `explain` calls the default. The policy is asked once per reducer, size class and alignment, in
/// the first call or `prepare`, and never while the call's stream is being captured.
struct MissPolicy {
  OnMiss action = OnMiss::use_default;  ///< what is done

  /// With OnMiss::tune: returns the configuration for the workload as a JSON object, as `foldtune
  /// show --json` and `Explanation::config` have it; empty for none. Nothing is never tuned: for a
  /// call of no elements it is asked for the least shape that has the same plan. The call waits for
  /// it, and so do other first calls of the reducer, whose locks are held: it calls
  /// nothing of that reducer. What it throws, the call
  /// throws, and the next call asks again.
  ///
  /// Without a function Foldtune tunes, as `foldtune tune --effort quick` does: in processes of its
  /// own (foldtune-worker, which is installed with the library; `$FOLDTUNE_WORKER` names another
  /// one), one problem of the context at a time, with what is measured put into the context's
  /// database, where the next process finds it. Of a problem with pinned results nothing is tuned.
  /// Best before the program's own work, which disturbs the timing: the device is shared, with
  /// memory for inputs of several times its L2 at least. It throws Unavailable without
  /// foldtune-worker or where other processes may not use the device, DatabaseError where the
  /// database cannot be written, and what else keeps it from tuning.
  std::function<std::string(const Workload& workload)> tune{};

  /// Of wall time, in seconds, for each problem that Foldtune tunes: what is found by then is used.
  /// More than 0 and at most a week, else the Context throws InvalidArgument.
  double budget_s = 10;
};

}  // namespace foldtune
