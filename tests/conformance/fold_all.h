/// The loop of every conformance test: compile, load, call, compare.
#pragma once

#include <functional>
#include <vector>

#include "tests/conformance/checker.h"

namespace foldtune::test {

/// What a test does with one reduction.
struct FoldJob {
  Reduction reduction;
  std::vector<Variant> variants;
  /// The inputs, made when the first variant is there and dropped after the last.
  std::function<std::vector<Input>()> make_inputs;
  std::function<std::vector<Case>(const Plan& plan, const std::vector<Input>& inputs)> make_cases;
};

/// Runs every variant of every job over its cases, and fails the current test where a result is
/// wrong, or nothing was compared. Programs of later jobs are compiled meanwhile.
void fold_all(const std::vector<FoldJob>& jobs);

}  // namespace foldtune::test
