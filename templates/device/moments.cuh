/// Moments: of the elements that one thread loads, and how two are merged.
#pragma once

#include "templates/device/operators/sum.cuh"
#include "templates/device/over_count.cuh"
#include "templates/device/wide_sums.cuh"

namespace foldtune {

/// A mean, the sum of squared deviations from it, and how many elements they are of. The mean is
/// `mean` + `low`, which is below its last bits: deviations may be as small as these.
template <class Number, class Squares, class Count>
struct Moments {
  Number mean;
  Number low;
  Squares m2;
  Count count;
};

/// b.count / (a.count + b.count).
template <class Number, class Count>
FOLDTUNE_DEVICE Number share_of_second(Count a, Count b) {
  // No operand is ever 0: see over_count.
  const Number quotient =
      static_cast<Number>(at_least_one(b)) / static_cast<Number>(at_least_one(a + b));
  return b == 0 ? Number{0} : quotient;
}

/// The moments of what one thread loads, of which nothing may leave the range.
template <class T, class A, class I>
struct PlainMoments {
  using Number = Held<A>;
  using Count = Beside<Number, I>;
  using Inputs = TypeList<T>;
  using Accumulator = Moments<Number, Number, Count>;

  static FOLDTUNE_DEVICE Accumulator identity() { return {0, 0, 0, 0}; }
  static FOLDTUNE_DEVICE Accumulator map(Held<T> x, uint64) {
    return {static_cast<Number>(x), 0, 0, 1};
  }
  /// Of `kCount` elements at hand (a power of two), by their distances from one of them.
  template <int kCount>
  static FOLDTUNE_DEVICE Accumulator of_many(const Number* x) {
    constexpr Number kShare = Number{1} / kCount;
    const Number base = x[0];
    const Number sum = sum_of<kCount>(x, [=](Number value) { return value - base; });
    const Number squares = sum_of<kCount>(x, [=](Number value) {
      const Number distance = value - base;
      return distance * distance;
    });
    const Number offset = sum * kShare;
    const Number mean = base + offset;
    return {mean, (base - mean) + offset, squares - sum * offset, kCount};
  }
  /// The same of those elements that `are_in` says.
  template <int kCount>
  static FOLDTUNE_DEVICE Accumulator of_some(const Number* x, const bool* are_in) {
    Number base = 0;
    Count count = 0;
    FOLDTUNE_UNROLL
    for (int i = 0; i < kCount; ++i) {
      base = are_in[i] ? x[i] : base;
      count += are_in[i];
    }
    Number distances[kCount];
    FOLDTUNE_UNROLL
    for (int i = 0; i < kCount; ++i) distances[i] = are_in[i] ? x[i] - base : Number{0};
    const Number sum = sum_of<kCount>(distances, [](Number distance) { return distance; });
    const Number squares =
        sum_of<kCount>(distances, [](Number distance) { return distance * distance; });
    const Number offset = sum * (Number{1} / static_cast<Number>(at_least_one(count)));
    const Number mean = base + offset;
    return {mean, (base - mean) + offset, squares - sum * offset, count};
  }
  static FOLDTUNE_DEVICE Accumulator combine(const Accumulator& a, const Accumulator& b) {
    if (a.count == 0) return b;  // as in a thread's first tile: without the division
    const Number weight = share_of_second<Number>(a.count, b.count);
    const Number delta = (b.mean - a.mean) + (b.low - a.low);
    const Number between = delta * (static_cast<Number>(a.count) * weight) * delta;
    const Number mean = platform::multiply_add(delta, weight, a.mean);
    const Number lost = platform::multiply_add(delta, weight, a.mean - mean);
    return {mean, a.low + lost, a.m2 + b.m2 + between, a.count + b.count};
  }
  static FOLDTUNE_DEVICE bool is_ordinary(const Accumulator& a) {
    return !kMayLeaveRange<T, A> || a.count <= 1 || WideSquares<Number>::is_ordinary(a.m2);
  }
  static FOLDTUNE_DEVICE Accumulator moments(const Accumulator& a) { return a; }
};

/// The count of integers, their sum and that of their squares: exact.
template <class Count>
struct IntegerSums {
  int64 sum;
  uint64 squares;
  Count count;
};

/// The moments of narrow integers that one thread loads, from their exact sums: no division before
/// the last element, and no rounding before the division.
template <class T, class A, class I>
requires(kIsNarrowInteger<T>) struct PlainMoments<T, A, I> {
  using Number = Held<A>;
  using Count = Beside<Number, I>;
  using Inputs = TypeList<T>;
  using Accumulator = IntegerSums<Count>;

  static FOLDTUNE_DEVICE Accumulator identity() { return {0, 0, 0}; }
  static FOLDTUNE_DEVICE Accumulator map(Held<T> x, uint64) {
    return {x, static_cast<uint32>(multiply(x, x)), 1};
  }
  static FOLDTUNE_DEVICE Accumulator combine(const Accumulator& a, const Accumulator& b) {
    return {a.sum + b.sum, a.squares + b.squares, a.count + b.count};
  }
  /// Squares of fewer than 2^32 halves fit 64 bits, and so do those of any number of bytes.
  static FOLDTUNE_DEVICE bool is_ordinary(const Accumulator& a) {
    return sizeof(T) == 1 || sizeof(I) == 4 || a.count >> 32 == 0;
  }
  /// Deviations are taken from the integer that is next to the mean, of which the sum of their
  /// squares is exact; then from the mean, which takes less than half of that sum away.
  static FOLDTUNE_DEVICE Moments<Number, Number, Count> moments(const Accumulator& a) {
    const auto count = static_cast<Number>(a.count);
    const Number quotient = over_count(static_cast<Number>(a.sum), at_least_one(count));
    const auto center = static_cast<int64>(quotient + (quotient < 0 ? Number{-0.5} : Number{0.5}));
    const auto squares = static_cast<uint64>(center) *
                         (static_cast<uint64>(center) * a.count - 2 * static_cast<uint64>(a.sum));
    const auto rest =
        static_cast<Number>(a.sum - center * static_cast<int64>(a.count));  // at most count / 2
    const Number offset = over_count(rest, at_least_one(count));
    const auto mean = static_cast<Number>(center) + offset;
    return {mean, (static_cast<Number>(center) - mean) + offset,
            static_cast<Number>(a.squares + squares) - rest * offset, a.count};
  }
};

/// What a thread's sums need of the words of a tile.
template <class T>
struct WordSums {
  Held<T> sum;
  Word<4 * sizeof(T)> squares;
  uint32 words;
};

template <class T, class A, class I>
requires(kIsNarrowInteger<T>) struct PackedFold<PlainMoments<T, A, I>> {
  static constexpr bool kExists = true;
  using Sum = PackedFold<foldtune::Sum<T, Held<T>>>;
  using Partial = WordSums<T>;
  using Accumulator = typename PlainMoments<T, A, I>::Accumulator;

  static FOLDTUNE_DEVICE Partial of(uint32 word) { return add({0, 0, 0}, word); }
  static FOLDTUNE_DEVICE Partial add(Partial a, uint32 word) {
    return {Sum::add(a.sum, word), add_squares(a.squares, word), a.words + 1};
  }
  static FOLDTUNE_DEVICE Partial combine(Partial a, Partial b) {
    return {a.sum + b.sum, a.squares + b.squares, a.words + b.words};
  }
  static FOLDTUNE_DEVICE Accumulator widen(Partial a) {
    constexpr uint32 kElements = sizeof(uint32) / sizeof(T);
    return {a.sum, a.squares, a.words * kElements};
  }

 private:
  static FOLDTUNE_DEVICE uint32 add_squares(uint32 squares, uint32 word) {
    return static_cast<uint32>(platform::dot_bytes(word, word, static_cast<Held<T>>(squares)));
  }
  static FOLDTUNE_DEVICE uint64 add_squares(uint64 squares, uint32 word) {
    const auto low = static_cast<Held<T>>(static_cast<T>(word));
    const auto high = static_cast<Held<T>>(static_cast<T>(word >> 16));
    squares += static_cast<uint32>(multiply(low, low));
    return squares + static_cast<uint32>(multiply(high, high));
  }
};

}  // namespace foldtune
