/// What a right result of one problem is, of whatever family.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tuner/measure/input_pool.h"
#include "tuner/verify/histogram_input.h"
#include "tuner/verify/reference.h"

namespace foldtune {

class ExpectedResult {
 public:
  ExpectedResult() = default;

  /// Computes it on the host; `inputs` are as compute_reference and compute_histogram take them,
  /// `bounds` those of even bins. Not for custom operators.
  ExpectedResult(const Problem& problem, std::span<const void* const> inputs,
                 const BinBounds& bounds);

  /// Of a custom operator, which has no reference on the host: the result of its plainest variant.
  ExpectedResult(const Problem& problem, std::vector<std::byte> plainest);

  /// Empty if `result` is right for a configuration with this grid, else what is wrong.
  std::string find_difference(const std::byte* result, const Config& params,
                              std::uint32_t grid_size) const;

 private:
  Problem problem_;
  Reference reference_;
  std::vector<std::uint64_t> counts_;  ///< of a histogram
  std::vector<std::byte> plainest_;    ///< of a custom operator
};

/// The edges of a histogram's custom bins, as its second input; empty for other problems.
std::vector<std::byte> edges_of(const Problem& problem);

/// What the problem's first inputs in the pool give. Not for custom operators.
ExpectedResult expect_result(const Problem& problem, const InputPool& pool);

}  // namespace foldtune
