/// From an element to its bin.
#pragma once

#include "templates/histogram/layout.cuh"
#include "templates/histogram/range.cuh"
#include "templates/types.cuh"

namespace foldtune {

/// How bins are found; the host's `Binning`.
enum class BinRule {
  even,   ///< by arithmetic, in a range
  edges,  ///< by a search among edges
  key,    ///< an element of one byte is its bin's number; i8 counts from -128
};

// The functions that follow give `kBins` for elements outside and NaN.

template <uint32 kBins>
FOLDTUNE_DEVICE uint32 find_bin(const IntegerRange& range, uint32 element) {
  const uint32 t = element - range.first;
  const uint64 low = uint64{t} * static_cast<uint32>(range.multiplier) + range.offset_low;
  const uint64 high = uint64{t} * static_cast<uint32>(range.multiplier >> 32) + range.offset_high;
  const uint32 bin = static_cast<uint32>((high + (low >> 32)) >> range.shift);
  return t > range.last ? kBins : bin < kBins ? bin : kBins - 1;
}

template <uint32 kBins, class Real>
FOLDTUNE_DEVICE uint32 find_bin(const RealRange<Real>& range, Real x) {
  const bool is_inside = x >= range.lower && x <= range.upper;
  // Without a branch, and without a conversion that is undefined.
  const Real distance = is_inside ? x - range.lower : Real{0};
  const uint32 bin = static_cast<uint32>(distance * range.scale);
  return !is_inside ? kBins : bin < kBins ? bin : kBins - 1;
}

/// The last bin that begins at or below the element.
template <uint32 kBins, class T>
FOLDTUNE_DEVICE uint32 find_bin(const T* edges, Held<T> x) {
  if (!(x >= load_number(edges[0]) && x <= load_number(edges[kBins]))) return kBins;
  uint32 bin = 0;
  for (uint32 left = kBins; left > 1;) {
    const uint32 half = left / 2;
    if (load_number(edges[bin + half]) <= x) bin += half;
    left -= half;
  }
  return bin;
}

/// Finds the bins of elements of type T; `kBins` for elements outside and NaN. `edges` are those of
/// the range, or a copy of them.
template <class T, BinRule kRule, uint32 kBins>
struct BinFinder {
  const BinRange& range;
  const T* edges;

  FOLDTUNE_DEVICE uint32 find(Held<T> x) const {
    if constexpr (kRule == BinRule::key) {
      static_assert(sizeof(T) == 1);
      return static_cast<uint32>(x - lowest_element<T>());
    } else if constexpr (kRule == BinRule::edges) {
      return find_bin<kBins, T>(edges, x);
    } else if constexpr (sizeof(T) <= 4 && !kIsFloating<Held<T>>) {
      return find_bin<kBins>(range.integers, static_cast<uint32>(x));
    } else if constexpr (sizeof(T) <= 4 && kBins <= kMaxBinsInFloat) {
      return find_bin<kBins, float>(range.floats, x);
    } else {
      return find_bin<kBins, double>(range.doubles, static_cast<double>(x));
    }
  }
};

}  // namespace foldtune
