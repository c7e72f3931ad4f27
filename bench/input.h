/// What is reduced, and what must come out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/slice_plan.h"
#include "foldtune/problem.h"

namespace foldtune::bench {

/// `bytes` (rounded up to whole elements) of pseudo-random elements: floating-point values uniform
/// in [-1, 1) with full mantissas, integers in [-2^20, 2^20). Uses all cores.
class HostPool {
 public:
  HostPool(ElementType type, std::uint64_t bytes);

  const std::byte* data() const { return data_.get(); }
  std::uint64_t size() const { return bytes_; }

 private:
  std::uint64_t bytes_;
  std::unique_ptr<std::byte[]> data_;
};

/// The right result of each slice of `pool`, computed in long double (exact for integers, before
/// they wrap). Uses all cores.
std::vector<long double> compute_references(const Problem& problem, const SlicePlan& plan,
                                            const HostPool& pool);

/// Compares `results`, one value of the problem's accumulator per call of the plan, with the
/// references. Empty if all are right, else what is wrong with the first that is not. Integers,
/// minima and maxima must be exact; see `allowed_error` for sums.
std::string find_wrong_result(const Problem& problem, const SlicePlan& plan,
                              std::span<const std::byte> results,
                              std::span<const long double> references);

/// How far a floating-point sum of `count` such elements may be from its reference: ten standard
/// deviations of the rounding errors. For a million elements of f32 that is less than 1/100 of one
/// of them: an element lost or counted twice is found.
long double allowed_error(ElementType type, std::uint64_t count);

}  // namespace foldtune::bench
