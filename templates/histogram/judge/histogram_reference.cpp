#include "templates/histogram/judge/histogram_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "tuner/verify/elements.h"

namespace foldtune {
namespace {

using Counts = std::vector<std::uint64_t>;
__extension__ using Integer = __int128;

/// The place of an element that is in no bin.
constexpr std::uint64_t kOutside = std::numeric_limits<std::uint64_t>::max();

/// What holds elements of type T, and the edges that they are compared with.
template <class T>
using Comparable = std::conditional_t<kIsFloating<Held<T>>, double, Integer>;

Integer whole_of(const BinBound& bound) {
  if (!bound.is_integer()) return static_cast<Integer>(bound.nearest());
  const auto magnitude = static_cast<Integer>(bound.magnitude());
  return bound.is_negative() ? -magnitude : magnitude;
}

bool is_whole(const BinBound& bound) {
  const double value = bound.nearest();
  return bound.is_integer() || (std::fabs(value) <= 0x1p64 && std::floor(value) == value);
}

/// Of a numerator that is not negative.
Integer divide_up(Integer numerator, Integer divisor) {
  const Integer quotient = numerator / divisor;
  return quotient + (numerator % divisor > 0 ? 1 : 0);
}

/// The bound, or of an integer the nearest double that is not beyond it.
double inside(const BinBound& bound, double towards) {
  const double value = bound.nearest();
  if (!bound.is_integer()) return value;
  const Integer exact = whole_of(bound);
  const auto rounded = static_cast<Integer>(value);
  const bool is_beyond = towards > 0 ? rounded < exact : rounded > exact;
  return is_beyond ? std::nextafter(value, towards) : value;
}

/// The edges as templates/histogram/range.h defines them; of integers those that are not below.
template <class T>
std::vector<Comparable<T>> find_edges(std::uint32_t bins, const BinBounds& bounds) {
  std::vector<Comparable<T>> edges;
  edges.reserve(bins + std::size_t{1});
  if constexpr (!kIsFloating<Held<T>>) {
    if (is_whole(bounds.lower) && is_whole(bounds.upper)) {
      const Integer lower = whole_of(bounds.lower);
      const Integer width = whole_of(bounds.upper) - lower;
      constexpr Integer kTwoTo64 = Integer{1} << 64;
      const bool holds_upper = lower + width <= Integer{highest_element<T>()};
      if (holds_upper ? width < kTwoTo64 : width <= kTwoTo64) {
        for (std::uint32_t i = 0; i <= bins; ++i)
          edges.push_back(lower + divide_up(width * i, bins));
        return edges;
      }
    }
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double lower = inside(bounds.lower, kInfinity);
  const double upper = inside(bounds.upper, -kInfinity);
  const double step = (upper - lower) / bins;
  for (std::uint32_t i = 0; i < bins; ++i) {
    const double distance = i * step;
    const double edge = distance + lower;
    if constexpr (kIsFloating<Held<T>>) {
      edges.push_back(edge);
    } else {
      edges.push_back(static_cast<Integer>(std::ceil(std::clamp(edge, -0x1p100, 0x1p100))));
    }
  }
  if constexpr (kIsFloating<Held<T>>) {
    edges.push_back(upper);
  } else {
    edges.push_back(static_cast<Integer>(std::floor(std::clamp(upper, -0x1p100, 0x1p100))));
  }
  return edges;
}

/// Of each row, which one thread counts.
template <class T, class Place>
Counts count_rows(const HistogramWorkload& histogram, const T* elements, const Place& place) {
  const std::uint64_t bins = histogram.bins;
  const std::uint64_t size = histogram.count;
  Counts counts(histogram.rows * bins);
  const std::size_t parts = part_count(histogram.rows * size);
  for_each_part(histogram.rows, parts, [&](std::uint64_t begin, std::uint64_t end, std::size_t) {
    for (std::uint64_t row = begin; row < end; ++row) {
      for (std::uint64_t i = 0; i < size; ++i) {
        const std::uint64_t bin = place(read<T>(elements + row * size + i));
        if (bin != kOutside) ++counts[row * bins + bin];
      }
    }
  });
  return counts;
}

template <class T, class Place>
Counts count(const HistogramWorkload& histogram, const T* elements, const Place& place) {
  if (histogram.rows != 1) return count_rows(histogram, elements, place);
  const std::uint32_t bins = histogram.bins;
  const std::uint64_t size = histogram.count;
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
Counts count_among(const HistogramWorkload& histogram, const T* elements, const T* edges) {
  const std::uint32_t bins = histogram.bins;
  std::vector<Exact<T>> ascending;
  for (std::uint32_t i = 0; i <= bins; ++i) ascending.push_back(exact(edges[i]));
  return count(histogram, elements, [&](T element) -> std::uint64_t {
    const Exact<T> x = exact(element);
    if (!(ascending.front() <= x && x <= ascending.back())) return kOutside;
    const auto above = std::ranges::upper_bound(ascending, x);
    return std::min<std::uint64_t>(bins, static_cast<std::uint64_t>(above - ascending.begin())) - 1;
  });
}

template <class T>
Counts count_even(const HistogramWorkload& histogram, const T* elements, const BinBounds& bounds) {
  const std::uint32_t bins = histogram.bins;
  const std::vector<Comparable<T>> edges = find_edges<T>(bins, bounds);
  const auto first = static_cast<double>(edges.front());
  const double bins_per_unit = bins / (static_cast<double>(edges.back()) - first);
  return count(histogram, elements, [&](T element) -> std::uint64_t {
    const auto x = static_cast<Comparable<T>>(load_number(element));
    if (!(edges.front() <= x && x <= edges.back())) return kOutside;
    // Mostly right.
    const double place = (static_cast<double>(x) - first) * bins_per_unit;
    const std::uint32_t guess = place < bins ? static_cast<std::uint32_t>(place) : bins - 1;
    if (edges[guess] <= x && (guess + 1 == bins || x < edges[guess + 1])) return guess;
    const auto above = std::ranges::upper_bound(edges.begin(), edges.end() - 1, x);
    return static_cast<std::uint64_t>(above - edges.begin()) - 1;
  });
}

}  // namespace

std::uint64_t histogram_count(const HistogramWorkload& histogram, const void* result,
                              std::size_t bin) {
  return histogram.counter == ElementType::u32
             ? read<std::uint32_t>(static_cast<const std::uint32_t*>(result) + bin)
             : read<std::uint64_t>(static_cast<const std::uint64_t*>(result) + bin);
}

Counts compute_histogram(const HistogramWorkload& histogram, std::span<const void* const> inputs,
                         const BinBounds& bounds) {
  return with_type(histogram.type, [&](auto zero) -> Counts {
    using T = decltype(zero);
    const T* const elements = static_cast<const T*>(inputs[0]);
    switch (histogram.binning) {
      case Binning::even:
        return count_even(histogram, elements, bounds);
      case Binning::custom:
        return count_among(histogram, elements, static_cast<const T*>(inputs[1]));
      case Binning::key:
        break;
    }
    if constexpr (sizeof(T) == 1) {
      constexpr std::int64_t kLowest = std::is_signed_v<T> ? -128 : 0;
      return count(histogram, elements, [](T element) {
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(exact(element)) - kLowest);
      });
    }
    return {};
  });
}

std::string find_histogram_difference(const HistogramWorkload& histogram, const void* result,
                                      const Counts& expected) {
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t bin = 0; bin < expected.size(); ++bin) {
    const std::uint64_t got = histogram_count(histogram, result, bin);
    const std::uint64_t right = histogram.counter == ElementType::u32
                                    ? static_cast<std::uint32_t>(expected[bin])
                                    : expected[bin];
    if (got == right) continue;
    if (wrong++ > 0) continue;
    const std::string row =
        histogram.has_many_rows() ? fmt::format(" of row {}", bin / histogram.bins) : "";
    first = fmt::format("bin {}{} holds {}, not {}", bin % histogram.bins, row, got, right);
  }
  if (wrong == 0) return {};
  return fmt::format("{} of {} bins are wrong: {}", wrong, expected.size(), first);
}

}  // namespace foldtune
