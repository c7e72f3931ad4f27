#include "tuner/measure/expected_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tuner/verify/histogram_reference.h"

namespace foldtune {
namespace {

/// Results of a custom operator must agree with each other.
std::string find_custom_difference(const CustomOperator& op, const std::byte* result,
                                   const std::byte* expected) {
  if (std::memcmp(result, expected, size_of(op.result)) == 0) return {};
  const Number value = read_number(op.result, result);
  const Number plain = read_number(op.result, expected);
  if (!value.is_integer) {
    if (std::isnan(value.floating) && std::isnan(plain.floating)) return {};
    const long double largest = std::max(std::fabs(value.floating), std::fabs(plain.floating));
    if (std::fabs(value.floating - plain.floating) <= op.tolerance * largest) return {};
  }
  return fmt::format("the plainest variant gives {}, this one {}",
                     format_number_of(op.result, expected), format_number_of(op.result, result));
}

}  // namespace

ExpectedResult::ExpectedResult(const Problem& problem, std::span<const void* const> inputs,
                               const BinBounds& bounds)
    : problem_(problem) {
  if (problem.op == Operator::histogram) {
    counts_ = compute_histogram(problem, inputs, bounds);
  } else {
    reference_ = compute_reference(problem, inputs);
  }
}

ExpectedResult::ExpectedResult(const Problem& problem, std::vector<std::byte> plainest)
    : problem_(problem), plainest_(std::move(plainest)) {}

std::string ExpectedResult::find_difference(const std::byte* result, const Config& params,
                                            std::uint32_t grid_size) const {
  if (problem_.op == Operator::custom) {
    return find_custom_difference(*problem_.custom, result, plainest_.data());
  }
  if (problem_.op == Operator::histogram) {
    return find_histogram_difference(problem_, result, counts_);
  }
  const long double bound = error_bound(problem_, params, grid_size, reference_);
  return foldtune::find_difference(problem_, result, reference_, bound);
}

std::vector<std::byte> edges_of(const Problem& problem) {
  const bool has_edges =
      problem.op == Operator::histogram && problem.histogram.binning == Binning::custom;
  return has_edges ? tuning_edges(problem) : std::vector<std::byte>();
}

ExpectedResult expect_result(const Problem& problem, const InputPool& pool) {
  const InputPool::Pointers slice = pool.host_slice(problem);
  std::vector<const void*> inputs(slice.begin(), slice.begin() + problem.input_types().size());
  const std::vector<std::byte> edges = edges_of(problem);
  if (!edges.empty()) inputs.push_back(edges.data());
  return {problem, inputs, tuning_bounds(problem.type)};
}

}  // namespace foldtune
