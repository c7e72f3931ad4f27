#include "tests/conformance/histogram_material.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <utility>

#include "templates/histogram/judge/histogram_input.h"
#include "tuner/verify/elements.h"

namespace foldtune::test {
namespace {

using Bytes = std::vector<std::byte>;

/// Ranges that hold only a part of the elements of `fill_histogram_input`: one of which each bin's
/// width is a round number, one of which it is not, and one drawn at random for each histogram; of
/// 64 bits, one between bounds that double does not hold, too.
std::vector<BinBounds> ranges(const HistogramWorkload& histogram) {
  const ElementType type = histogram.type;
  std::vector<BinBounds> ranges;
  double least = 0;
  double most = 0;
  if (is_floating(type)) {
    ranges = {{0.125, 0.875}, {-0.1, 0.7}};
    least = -0.5;
    most = 1;
  } else if (size_of(type) == 1) {
    ranges = {{16, 80}, {-20.5, 99.9}};
    least = -100;
    most = 300;
  } else if (size_of(type) == 2) {
    ranges = {{0, 32768}, {-7000.25, 31111}};
    least = -33'000;
    most = 66'000;
  } else {
    ranges = {{0, 1 << 19}, {1000.3, 999'999}};
    least = -5000;
    most = 2e6;
  }
  std::mt19937_64 random(histogram.bins + 100 * static_cast<unsigned>(type));
  std::uniform_real_distribution<double> bound(least, most);
  std::array drawn{bound(random), bound(random)};
  std::ranges::sort(drawn);
  ranges.push_back({drawn[0], drawn[1]});
  if (!is_floating(type) && size_of(type) == 8) {
    constexpr std::int64_t kFirst = (std::int64_t{1} << 53) + 1;
    ranges.push_back({kFirst, kFirst + 3000});
  }
  return ranges;
}

template <class T>
T nearest(double value) {
  if constexpr (kIsFloating<Held<T>>) {
    return store_number<T>(value);
  } else {
    const auto lowest = static_cast<double>(lowest_element<T>());
    const auto highest = static_cast<double>(highest_element<T>());
    if (value >= highest) return static_cast<T>(highest_element<T>());
    return static_cast<T>(std::max(value, lowest));
  }
}

/// The number of type T before (`step` -1) or after (1) `element`.
template <class T>
T neighbour(T element, int step) {
  if constexpr (kIsSame<T, float16> || kIsSame<T, bfloat16>) {
    element.bits = static_cast<uint16>(element.bits + step);
    return element;
  } else if constexpr (kIsFloating<T>) {
    return std::nextafter(element, static_cast<T>(step) * std::numeric_limits<T>::infinity());
  } else {
    return static_cast<T>(element + static_cast<T>(step));
  }
}

/// Edges of custom bins, ascending: those of types with few values repeat.
template <class T>
std::vector<T> make_edges(std::uint32_t bins, const BinBounds& range) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> within(range.lower.nearest(), range.upper.nearest());
  std::vector<T> edges(bins + 1);
  for (T& edge : edges) edge = nearest<T>(within(random));
  std::ranges::sort(edges, {}, [](T edge) { return load_number(edge); });
  return edges;
}

/// Elements on the edges of the bins, beside them, and special ones.
template <class T>
std::vector<T> make_special(const HistogramWorkload& histogram, const BinBounds& range,
                            const std::vector<T>& edges, std::uint64_t count) {
  const double lower = range.lower.nearest();
  const double upper = range.upper.nearest();
  std::vector<T> specials{nearest<T>(lower), nearest<T>(upper), nearest<T>(0),
                          static_cast<T>(nearest<T>(std::numeric_limits<double>::max())),
                          static_cast<T>(nearest<T>(std::numeric_limits<double>::lowest()))};
  if constexpr (kIsFloating<Held<T>>) {
    for (const double value :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity(), -0.0, 1e-45}) {
      specials.push_back(store_number<T>(value));
    }
  }
  std::mt19937_64 random(6);
  const double width = (upper - lower) / histogram.bins;
  std::vector<T> elements(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t bits = random();
    const std::uint64_t edge = (bits >> 8) % (histogram.bins + 1);
    if (i % 4 == 3) {
      elements[i] = specials[bits % specials.size()];
    } else {
      const T on =
          edges.empty() ? nearest<T>(lower + width * static_cast<double>(edge)) : edges[edge];
      elements[i] = neighbour(on, static_cast<int>(i % 4) - 1);
    }
  }
  return elements;
}

template <class T>
Bytes to_bytes(const std::vector<T>& elements) {
  Bytes bytes(elements.size() * sizeof(T));
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

}  // namespace

HistogramMaterial make_histogram_material(Device& device, HistogramWorkload histogram,
                                          std::uint64_t count) {
  HistogramMaterial material{.ranges = ranges(histogram), .edges = {}, .inputs = {}};
  with_type(histogram.type, [&](auto zero) {
    using T = decltype(zero);
    for (const BinBounds& range : material.ranges) {
      std::vector<T> edges;
      if (histogram.binning == Binning::custom) {
        edges = make_edges<T>(histogram.bins, range);
        material.edges.emplace_back(device, to_bytes(edges));
      }
      material.inputs.emplace_back(device,
                                   to_bytes(make_special<T>(histogram, range, edges, count)));
    }
  });
  constexpr std::uint64_t kSeed = 7;
  for (const Distribution distribution :
       {Distribution::uniform, Distribution::zipf, Distribution::constant}) {
    histogram.distribution = distribution;
    Bytes elements(count * size_of(histogram.type));
    fill_histogram_input(histogram, elements, kSeed);
    material.inputs.emplace_back(device, std::move(elements));
  }
  return material;
}

}  // namespace foldtune::test
