#include "templates/histogram/judge/histogram_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tuner/verify/random_elements.h"

namespace foldtune {
namespace {

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

/// The ranks of a Zipf distribution: rank r has a probability proportional to 1 / r.
constexpr int kRanks = 256;

/// For each rank the probability of a rank up to it.
std::array<double, kRanks> zipf_distribution() {
  std::array<double, kRanks> cumulative;
  double sum = 0;
  for (int i = 0; i < kRanks; ++i) cumulative[i] = sum += 1.0 / (i + 1);
  for (double& value : cumulative) value /= sum;
  return cumulative;
}

/// Where in the range of a histogram's elements one lies, from 0 to below 1.
double position(Distribution distribution, std::uint64_t bits) {
  switch (distribution) {
    case Distribution::uniform:
      return unit(bits);
    case Distribution::constant:
      return 0.5;
    case Distribution::zipf:
      break;
  }
  static const std::array<double, kRanks> cumulative = zipf_distribution();
  const auto rank = std::ranges::upper_bound(cumulative, unit(bits)) - cumulative.begin();
  // Each rank has its part of the range; the odd factor puts neighbours apart.
  const auto part = static_cast<double>(rank * 167 % kRanks);
  return (part + unit(mix(bits))) / kRanks;
}

template <class T>
T element_at(double position) {
  if constexpr (kIsFloating<Held<T>>) {
    return below_one<T>(position);
  } else {
    constexpr double kRange =
        sizeof(T) < 4 ? static_cast<double>(1 << (8 * sizeof(T) % 32)) : double{kIntegerRange};
    const auto lowest = static_cast<double>(sizeof(T) < 4 ? lowest_element<T>() : 0);
    return static_cast<T>(lowest + std::floor(position * kRange));
  }
}

}  // namespace

void fill_histogram_input(const HistogramWorkload& histogram, std::span<std::byte> elements,
                          std::uint64_t seed) {
  fill_elements(histogram.type, elements, /*argument=*/0, seed,
                [&]<class T>(T, std::uint64_t bits) {
                  return element_at<T>(position(histogram.distribution, bits));
                });
}

BinBounds tuning_bounds(ElementType type) {
  if (is_floating(type)) return {.lower = 0, .upper = 1};
  if (size_of(type) > 2) return {.lower = 0, .upper = double{kIntegerRange}};
  const double values = std::exp2(8 * size_of(type));
  const double lowest = is_signed(type) ? -values / 2 : 0;
  return {.lower = lowest, .upper = lowest + values};
}

std::vector<std::byte> tuning_edges(const HistogramWorkload& histogram) {
  const BinBounds bounds = tuning_bounds(histogram.type);
  const double lower = bounds.lower.nearest();
  const double width = bounds.upper.nearest() - lower;
  const std::uint32_t bins = histogram.bins;
  std::vector<std::byte> edges((bins + std::size_t{1}) * size_of(histogram.type));
  with_type(histogram.type, [&](auto zero) {
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
