/// From a problem to the configuration to run it with. Reads the store, decides, and compiles and
/// launches nothing.
#pragma once

#include <optional>
#include <string>

#include "cache/config_store.h"
#include "foldtune/problem.h"
#include "foldtune/reducer.h"
#include "templates/space.h"

namespace foldtune {

/// What tuning results of `problem` are stored and found under. `compiler` is Compiler::version().
TuningKey make_tuning_key(const DeviceRecord& device, const std::string& compiler,
                          const Problem& problem);

/// The problem as the store knows it.
ProblemKey make_problem_key(const Problem& problem);

struct Choice {
  Config params;
  std::optional<Match> match;  ///< empty: the untuned default
  std::string reason;          ///< one sentence for people
  double expected_loss = 0;    ///< as Explanation has it
  bool is_tuned_now = false;   ///< by a miss, so that there is no match

  ConfigSource source() const;
};

/// The choice of `config`, a JSON object, that was found for the problem just now. Throws
/// InvalidArgument if it is no configuration of the problem.
Choice tuned_now(const Problem& problem, const std::string& config);

/// The tuned configuration for `problem` on `device`, else the untuned default. `store` may be
/// null.
Choice choose_config(const ConfigStore* store, const DeviceRecord& device,
                     const std::string& compiler, const Problem& problem);

}  // namespace foldtune
