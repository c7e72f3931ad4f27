/// The loop of every conformance test: compile, load, call, compare.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/conformance/checker.h"

namespace foldtune::test {

/// Runs every variant of `problem` over the cases that `make_cases` gives for its plan, and fails
/// the current test where a result is wrong, or nothing was compared.
void fold_all(const Problem& problem, const std::vector<Variant>& variants,
              const std::function<std::vector<Case>(const Plan& plan)>& make_cases);

}  // namespace foldtune::test
