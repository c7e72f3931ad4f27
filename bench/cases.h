/// What is compared: the matrix of operators and types.
#pragma once

#include <string>
#include <vector>

#include "foldtune/workload.h"

namespace foldtune::bench {

struct Case {
  std::string name;   ///< "sum i8 -> i32"
  Workload workload;  ///< without a shape
};

std::vector<Case> all_cases();

/// For each text the case of this name, else all whose name contains it; all cases for no text. In
/// their usual order. Throws InvalidArgument for a text that none has.
std::vector<Case> find_cases(const std::vector<std::string>& texts);

}  // namespace foldtune::bench
