/// What Foldtune needs of a machine, and what of it is there.
#pragma once

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
  std::string area;  ///< "driver", "nvrtc", "toolkit", "cuda:0", "cpu", "worker", "database",
                     ///< "kernels", ...
  Health health = Health::ok;
  std::string text;      ///< what there is, or what is wrong
  std::string remedy{};  ///< what to do; empty where nothing is to be done
};

/// Looks at the driver, NVRTC, the toolkit's headers, the devices, every row of the default
/// database and of the bundles of the environment, and the kernels in it. Changes nothing. Throws
/// nothing for what is missing.
std::vector<Finding> diagnose();

/// Looks at this database alone, which has to be there.
std::vector<Finding> diagnose(const std::string& database);

}  // namespace foldtune
