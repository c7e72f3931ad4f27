#include "tuner/verify/histogram_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/verify/elements.h"

namespace foldtune {
namespace {

constexpr double kIntegerRange = 1 << 20;

/// The element next to `value`.
template <class T>
T element_near(double value) {
  if constexpr (kIsFloating<Held<T>>) {
    return store_number<T>(value);
  } else {
    constexpr auto kHighest = static_cast<double>(std::numeric_limits<T>::max());
    return static_cast<T>(std::min(std::floor(value), kHighest));
  }
}

}  // namespace

BinBounds tuning_bounds(ElementType type) {
  if (is_floating(type)) return {.lower = 0, .upper = 1};
  if (size_of(type) > 2) return {.lower = 0, .upper = kIntegerRange};
  const double values = std::exp2(8 * size_of(type));
  const double lowest = is_signed(type) ? -values / 2 : 0;
  return {.lower = lowest, .upper = lowest + values};
}

std::vector<std::byte> tuning_edges(const Problem& problem) {
  const BinBounds bounds = tuning_bounds(problem.type);
  const double lower = bounds.lower.nearest();
  const double width = bounds.upper.nearest() - lower;
  const std::uint32_t bins = problem.histogram.bins;
  std::vector<std::byte> edges((bins + std::size_t{1}) * size_of(problem.type));
  with_type(problem.type, [&](auto zero) {
    using T = decltype(zero);
    for (std::size_t i = 0; i <= bins; ++i) {
      const double part = static_cast<double>(i) / bins;
      const T edge = element_near<T>(lower + part * width);
      std::memcpy(edges.data() + i * sizeof(T), &edge, sizeof(T));
    }
  });
  return edges;
}

std::string find_edges_fault(ElementType type, const std::vector<std::byte>& edges) {
  return with_type(type, [&](auto zero) -> std::string {
    using T = decltype(zero);
    const auto edge = [&](std::size_t i) {
      return load_number(read<T>(edges.data() + i * sizeof(T)));
    };
    for (std::size_t i = 1; i < edges.size() / sizeof(T); ++i) {
      if (!(edge(i - 1) <= edge(i))) {
        return fmt::format("edge {} is {}, after {}", i, edge(i), edge(i - 1));
      }
    }
    return {};
  });
}

}  // namespace foldtune
