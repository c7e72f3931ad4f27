#include "tuner/histogram_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/elements.h"

namespace foldtune {
namespace {

using Counts = std::vector<std::uint64_t>;

/// The place of an element that is in no bin.
constexpr std::uint64_t kOutside = std::numeric_limits<std::uint64_t>::max();

/// The smallest number whose product with the width is the number of bins or more.
template <class Real>
Real scale_of(std::uint32_t bins, Real lower, Real upper) {
  const double width = static_cast<double>(upper) - static_cast<double>(lower);
  // Rounded once, so its sign is that of the exact difference.
  const auto is_enough = [&](Real scale) {
    return std::fma(static_cast<double>(scale), width, -static_cast<double>(bins)) >= 0;
  };
  auto scale = static_cast<Real>(bins / width);
  while (!is_enough(scale)) scale = std::nextafter(scale, std::numeric_limits<Real>::infinity());
  for (Real below = std::nextafter(scale, Real{0}); is_enough(below);) {
    scale = below;
    below = std::nextafter(scale, Real{0});
  }
  return scale;
}

/// Places by arithmetic in floating-point numbers.
template <class T, class Real>
auto real_places(std::uint32_t bins, double lower_bound, double upper_bound) {
  const auto lower = static_cast<Real>(lower_bound);
  const auto upper = static_cast<Real>(upper_bound);
  const Real scale = scale_of(bins, lower, upper);
  return [=](T element) -> std::uint64_t {
    const auto x = static_cast<Real>(load_number(element));
    if (!(lower <= x && x <= upper)) return kOutside;
    const Real distance = x - lower;
    const Real place = distance * scale;
    return std::min<std::uint64_t>(bins - 1, static_cast<std::uint64_t>(place));
  };
}

/// Places by arithmetic in multiples of 1/1024, of which 64 bits hold all that come up.
template <class T>
auto integer_places(std::uint64_t bins, double lower_bound, double upper_bound) {
  const auto lower = static_cast<std::int64_t>(std::round(lower_bound * 1024));
  const auto upper = static_cast<std::int64_t>(std::round(upper_bound * 1024));
  return [=](T element) -> std::uint64_t {
    const std::int64_t x = std::int64_t{element} * 1024;
    if (x < lower || x > upper) return kOutside;
    const auto distance = static_cast<std::uint64_t>(x - lower);
    const auto width = static_cast<std::uint64_t>(upper - lower);
    return std::min(bins - 1, distance * bins / width);
  };
}

template <class T, class Place>
Counts count(std::uint32_t bins, const T* elements, std::uint64_t size, const Place& place) {
  std::vector<Counts> parts(part_count(size));
  for_each_part(size, parts.size(), [&](std::uint64_t begin, std::uint64_t end, std::size_t part) {
    Counts counts(bins);
    for (std::uint64_t i = begin; i < end; ++i) {
      const std::uint64_t bin = place(read<T>(elements + i));
      if (bin != kOutside) ++counts[bin];
    }
    parts[part] = std::move(counts);
  });
  Counts total = std::move(parts[0]);
  for (std::size_t part = 1; part < parts.size(); ++part) {
    for (std::size_t bin = 0; bin < total.size(); ++bin) total[bin] += parts[part][bin];
  }
  return total;
}

template <class T>
Counts count_among(std::uint32_t bins, const T* elements, std::uint64_t size, const T* edges) {
  std::vector<Exact<T>> ascending;
  for (std::uint32_t i = 0; i <= bins; ++i) ascending.push_back(exact(edges[i]));
  return count(bins, elements, size, [&](T element) -> std::uint64_t {
    const Exact<T> x = exact(element);
    if (!(ascending.front() <= x && x <= ascending.back())) return kOutside;
    const auto above = std::ranges::upper_bound(ascending, x);
    return std::min<std::uint64_t>(bins, static_cast<std::uint64_t>(above - ascending.begin())) - 1;
  });
}

template <class T>
Counts count_even(std::uint32_t bins, const T* elements, std::uint64_t size, double lower,
                  double upper) {
  constexpr std::uint32_t kMostInFloat = 4096;
  if constexpr (sizeof(T) == 8) {
    return count(bins, elements, size, real_places<T, double>(bins, lower, upper));
  } else if constexpr (!kIsFloating<Held<T>>) {
    return count(bins, elements, size, integer_places<T>(bins, lower, upper));
  } else {
    return bins <= kMostInFloat
               ? count(bins, elements, size, real_places<T, float>(bins, lower, upper))
               : count(bins, elements, size, real_places<T, double>(bins, lower, upper));
  }
}

std::uint64_t read_count(const Problem& problem, const void* result, std::size_t bin) {
  return problem.accumulator_type() == ElementType::u32
             ? read<std::uint32_t>(static_cast<const std::uint32_t*>(result) + bin)
             : read<std::uint64_t>(static_cast<const std::uint64_t*>(result) + bin);
}

}  // namespace

Counts compute_histogram(const Problem& problem, std::span<const void* const> inputs, double lower,
                         double upper) {
  const std::uint32_t bins = problem.histogram.bins;
  return with_type(problem.type, [&](auto zero) -> Counts {
    using T = decltype(zero);
    const T* const elements = static_cast<const T*>(inputs[0]);
    switch (problem.histogram.binning) {
      case Binning::even:
        return count_even(bins, elements, problem.count, lower, upper);
      case Binning::custom:
        return count_among(bins, elements, problem.count, static_cast<const T*>(inputs[1]));
      case Binning::key:
        break;
    }
    if constexpr (sizeof(T) == 1) {
      constexpr std::int64_t kLowest = std::is_signed_v<T> ? -128 : 0;
      return count(bins, elements, problem.count, [](T element) {
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(exact(element)) - kLowest);
      });
    }
    return {};
  });
}

std::string find_histogram_difference(const Problem& problem, const void* result,
                                      const Counts& expected) {
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t bin = 0; bin < expected.size(); ++bin) {
    const std::uint64_t got = read_count(problem, result, bin);
    const std::uint64_t right = problem.accumulator_type() == ElementType::u32
                                    ? static_cast<std::uint32_t>(expected[bin])
                                    : expected[bin];
    if (got == right) continue;
    if (wrong++ == 0) first = fmt::format("bin {} holds {}, not {}", bin, got, right);
  }
  if (wrong == 0) return {};
  return fmt::format("{} of {} bins are wrong: {}", wrong, expected.size(), first);
}

}  // namespace foldtune
