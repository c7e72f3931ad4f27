/// What Foldtune needs of a machine, and what of it is there.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace foldtune {

enum class Health {
  ok,
  note,     ///< not as one may want it, but nothing is broken
  problem,  ///< something is broken, or will be missed
};

/// "ok", "note", "problem".
const char* to_string(Health health);

struct Finding {
  std::string area;  ///< "driver", "nvrtc", "toolkit", "cuda:0", "cpu", "database", "kernels", ...
  Health health = Health::ok;
  std::string text;      ///< what there is, or what is wrong
  std::string remedy{};  ///< what to do; empty where nothing is to be done
};

/// Looks at the driver, NVRTC, the toolkit's headers, the devices, the database (empty: the default
/// one), the kernels in it and the bundles of the environment. Changes nothing. Throws nothing for
/// what is missing.
std::vector<Finding> diagnose(const std::optional<std::string>& database);

}  // namespace foldtune
