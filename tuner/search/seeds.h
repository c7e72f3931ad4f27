/// What was the best for other problems, as the first guesses for this one.
#pragma once

#include <cstddef>
#include <vector>

#include "templates/family.h"
#include "templates/space.h"

namespace foldtune {

/// The best configuration of a problem.
struct Known {
  Workload workload;
  Config params;
};

/// The configurations of the problems that are most like `problem`, first that of the most alike:
/// at most `most`, valid, each once. Alike are first those of the same operator and type and of a
/// near size, then other operators and types. Where elements are of another size, vectors keep
/// their bytes.
std::vector<Config> seeds_from(const std::vector<Known>& known, const Workload& workload,
                               std::size_t most);

}  // namespace foldtune
