/// What judges of families with many results have in common (many_folds.h).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "templates/fold/judge/reference.h"
#include "templates/fold/many_folds.h"
#include "tuner/verify/judge.h"

namespace foldtune {

/// Empty if one result is right, else what is wrong. Of operators that find an element it is the
/// element's number.
std::string find_one_difference(const Reduction& part, const void* result,
                                const Reference& reference, long double bound);

/// Of a custom operator, which has no reference on the host: results must agree with these.
std::unique_ptr<Expectation> expect_same_results(std::shared_ptr<const CustomOperator> op,
                                                 std::vector<std::byte> results);

/// The first few as text.
std::string format_results(const Reduction& part, std::span<const std::byte> results);

}  // namespace foldtune
