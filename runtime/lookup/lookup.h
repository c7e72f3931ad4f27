/// From a workload to the configuration to run it with. Reads the store, decides, and compiles and
/// launches nothing.
#pragma once

#include <optional>
#include <string>

#include "cache/config_store.h"
#include "foldtune/explanation.h"
#include "templates/family.h"

namespace foldtune {

/// What tuning results of `workload` are stored and found under. `compiler` is Compiler::version().
TuningKey make_tuning_key(const DeviceRecord& device, const std::string& compiler,
                          const Workload& workload);

/// The workload as the store knows it.
ProblemKey make_problem_key(const Workload& workload);

/// What the family says of how far a stored bucket is from the workload's own.
BucketDistance bucket_distance(const Workload& workload);

struct Choice {
  Config params;
  std::optional<Match> match;  ///< empty: the untuned default
  std::string reason;          ///< one sentence for people
  double expected_loss = 0;    ///< as Explanation has it
  bool is_learnt = false;      ///< without a match: what was tuned for a problem like it
  bool is_tuned_now = false;   ///< by a miss, so that there is no match
  /// The problem has pinned results, and is run with no others.
  bool has_pins = false;

  ConfigSource source() const;
};

/// The choice of `config`, a JSON object, that was found for the workload just now. Throws
/// InvalidArgument if it is no configuration of the workload.
Choice tuned_now(const Workload& workload, const std::string& config);

/// The tuned configuration for `workload` on `device`, else the untuned default. `store` may be
/// null.
Choice choose_config(const ConfigStore* store, const DeviceRecord& device,
                     const std::string& compiler, const Workload& workload);

}  // namespace foldtune
