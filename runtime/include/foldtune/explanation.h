/// Which configuration a call uses.
#pragma once

#include <string>

#include "foldtune/export.h"
#include "foldtune/workload.h"

namespace foldtune {

/// Where a configuration comes from.
enum class ConfigSource {
  exact,      ///< tuned for this size class
  near_size,  ///< tuned for a size class nearby, or for better addresses or the usual conditions
  untuned_default,  ///< nothing of the problem fits; it may run as one that is alike was tuned
};

/// Which configuration a call uses, and why.
struct Explanation {
  ConfigSource source = ConfigSource::untuned_default;  ///< how well it fits the call
  std::string config;                                   ///< the tunables as a JSON object
  std::string reason;                                   ///< one sentence
  /// What it was tuned for: the extents in the family's order, so that of a reduction
  /// `tuned_shape[0]` is the number of elements, and of a histogram `tuned_shape[1]` that of a row.
  /// All 0 if it was not tuned, or by this process just now.
  Shape tuned_shape{};
  /// Its median time there, in microseconds; 0 if it was not tuned, or by this process just now.
  double tuned_us = 0;
  /// How much longer than with the best configuration the call is expected to take: 0.06 is 6%. The
  /// median of what GPUs measured for sizes as far away, or for the default; 0 for `exact`, and on
  /// the CPU device, of which nothing is known.
  double expected_loss = 0;
  /// The problem has pinned results and is run with no others, so that to tune it changes nothing
  /// until `foldtune unpin`.
  bool has_pins = false;
};

/// "exact", "near size", "default".
FOLDTUNE_API const char* to_string(ConfigSource source);

}  // namespace foldtune
