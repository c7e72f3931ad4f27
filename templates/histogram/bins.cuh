/// From an element to its bin.
#pragma once

#include "templates/device/types.cuh"
#include "templates/histogram/layout.cuh"
#include "templates/histogram/range.cuh"

namespace foldtune {

/// How bins are found; the host's `Binning`.
enum class BinRule {
  even,   ///< by arithmetic, in a range
  edges,  ///< by a search among edges
  key,    ///< an element of one byte is its bin's number; i8 counts from -128
};

/// The bin that an element is in, or one of the `more` after it, as far as there are.
struct BinGuess {
  uint32 bin;
  uint32 more;
  FOLDTUNE_DEVICE bool is_in_doubt() const { return more != 0; }
};

/// Whether bin `bin`, but the first, begins at or below the element x, which is inside.
template <uint32 kBins, class T>
FOLDTUNE_DEVICE bool begins_at_or_below(const BinRange& range, uint32 bin, T x) {
  const EvenEdges& edges = range.even;
  if constexpr (!kIsFloating<T>) {
    if (edges.are_exact) {
      using Distance = Magnitude<T>;
      const Distance t = static_cast<Distance>(x) - static_cast<Distance>(range.integers.first);
      const uint64 rest = (bin * edges.remainder + (kBins - 1)) / kBins;
      return t + edges.start >= bin * edges.quotient + rest;
    }
  }
  const double edge =
      platform::multiply_then_add(static_cast<double>(bin), edges.step, edges.lower);
  const double nearest = static_cast<double>(x);
  if constexpr (!kIsFloating<T> && sizeof(T) == 8) {
    // To round keeps the order, so an element beside the edge can only have become equal to it.
    if (nearest == edge) {
      constexpr double kEnd = T{0} < static_cast<T>(-1) ? 0x1p64 : 0x1p63;
      return edge < kEnd && x >= static_cast<T>(edge);
    }
  }
  return nearest >= edge;
}

/// The last bin of a guess that begins at or below the element x.
template <uint32 kBins, class T>
FOLDTUNE_DEVICE uint32 search_bins(const BinRange& range, BinGuess guess, T x) {
  uint32 first = guess.bin;
  uint32 last = first + guess.more;
  if (last >= kBins) last = kBins - 1;
  while (first < last) {
    const uint32 middle = (first + last + 1) / 2;
    if (begins_at_or_below<kBins>(range, middle, x)) {
      first = middle;
    } else {
      last = middle - 1;
    }
  }
  return first;
}

// The functions that follow give `kBins` for elements outside and NaN.

template <uint32 kBins, bool kIsExact, class T>
FOLDTUNE_DEVICE BinGuess guess_bin(const IntegerRange& range, T x) {
  using Distance = Magnitude<T>;
  const Distance t = static_cast<Distance>(x) - static_cast<Distance>(range.first);
  uint32 u = static_cast<uint32>(t);
  if constexpr (sizeof(T) == 8) u = static_cast<uint32>(t >> range.narrowing);
  const uint64 low = uint64{u} * static_cast<uint32>(range.multiplier) + range.offset_low;
  const uint64 high = uint64{u} * static_cast<uint32>(range.multiplier >> 32) + range.offset_high;
  const uint64 place = high + (low >> 32);
  const uint32 first = static_cast<uint32>(place >> range.shift);
  const bool is_outside = t > static_cast<Distance>(range.last);
  const uint32 bin = is_outside ? kBins : first < kBins ? first : kBins - 1;
  if constexpr (kIsExact) return {bin, 0};
  return {bin, static_cast<uint32>((place + range.doubt) >> range.shift) - first};
}

template <uint32 kBins, bool kIsExact, class Real>
FOLDTUNE_DEVICE BinGuess guess_bin(const RealRange<Real>& range, Real x) {
  const bool is_inside = x >= range.lower && x <= range.upper;
  // Without a branch, and without a conversion that is undefined.
  const Real distance = is_inside ? platform::subtract_down(x, range.lower) : Real{0};
  uint32 place = 0;
  if constexpr (kIsExact) {
    place = static_cast<uint32>(distance * range.scale);
  } else {
    place = platform::to_uint32(platform::multiply_add(distance, range.scale, range.offset));
  }
  const uint32 first = kIsExact ? place : place >> range.shift;
  const uint32 bin = !is_inside ? kBins : first < kBins ? first : kBins - 1;
  if constexpr (kIsExact) return {bin, 0};
  return {bin, ((place + range.doubt) >> range.shift) - first};
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

/// Whether an exact range spares elements of type T anything. There are too few values of one byte,
/// and too few elements of eight in the same memory, for it to matter.
template <class T, BinRule kRule, uint32 kBins>
inline constexpr bool kHasExactForm = kRule == BinRule::even &&
                                      (sizeof(T) == 2 || sizeof(T) == 4) &&
                                      (!kIsFloating<Held<T>> || kBins <= kMaxBinsInFloat);

/// Finds the bins of elements of type T; `kBins` for elements outside and NaN. `edges` are those of
/// the range, or a copy of them. `kIsExact` promises that the range is.
template <class T, BinRule kRule, uint32 kBins, bool kIsExact = false>
struct BinFinder {
  const BinRange& range;
  const T* edges;

  /// Whether a guess may leave elements in doubt.
  static constexpr bool kLeavesDoubt = kRule == BinRule::even && !kIsExact;

  FOLDTUNE_DEVICE BinGuess guess(Held<T> x) const {
    static_assert(kRule == BinRule::even);
    if constexpr (!kIsFloating<Held<T>>) {
      return guess_bin<kBins, kIsExact>(range.integers, x);
    } else if constexpr (sizeof(T) <= 4 && kBins <= kMaxBinsInFloat) {
      return guess_bin<kBins, kIsExact, float>(range.floats, x);
    } else {
      return guess_bin<kBins, kIsExact, double>(range.doubles, x);
    }
  }

  FOLDTUNE_DEVICE uint32 find(Held<T> x) const {
    if constexpr (kRule == BinRule::key) {
      static_assert(sizeof(T) == 1);
      return static_cast<uint32>(x - lowest_element<T>());
    } else if constexpr (kRule == BinRule::edges) {
      return find_bin<kBins, T>(edges, x);
    } else {
      const BinGuess first = guess(x);
      return kLeavesDoubt ? search(first, x) : first.bin;
    }
  }

  /// The bin, of those that were guessed, that the element is in.
  FOLDTUNE_DEVICE uint32 search(BinGuess guess, Held<T> x) const {
    return search_bins<kBins>(range, guess, x);
  }
};

}  // namespace foldtune
