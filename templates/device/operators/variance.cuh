#pragma once

#include "templates/device/moments.cuh"

namespace foldtune {

/// The sum of squared deviations from the mean over n - kDdof, in one pass. Partial results are
/// merged as Chan, Golub and LeVeque do (1983). I is the type of an index.
///
/// Distances are halved until they are squared: those of numbers of both signs could overflow.
template <class T, class A, class I, int kDdof>
struct Variance {
  using Number = Held<A>;
  using Squares = WideSquares<Number>;
  using Count = Beside<Number, I>;
  using Inputs = TypeList<T>;
  using Accumulator = Moments<Number, Squares, Count>;
  using Plain = PlainMoments<T, A, I>;
  static constexpr Instruction kInstruction = Instruction::none;
  static constexpr int kDegreesOfFreedom = kDdof;

  static FOLDTUNE_DEVICE Accumulator identity() { return {0, 0, Squares::none(), 0}; }
  static FOLDTUNE_DEVICE Accumulator map(Held<T> x, uint64) {
    return {static_cast<Number>(x), 0, Squares::none(), 1};
  }
  static FOLDTUNE_DEVICE bool is_ordinary(const typename Plain::Accumulator& plain) {
    return Plain::is_ordinary(plain);
  }
  static FOLDTUNE_DEVICE Accumulator of_plain(const typename Plain::Accumulator& plain) {
    const auto moments = Plain::moments(plain);
    return {moments.mean, moments.low, Squares::of_plain(moments.m2), moments.count};
  }
  static FOLDTUNE_DEVICE Accumulator combine(const Accumulator& a, const Accumulator& b) {
    if (a.count == 0) return b;
    const Number weight = share_of_second<Number>(a.count, b.count);
    const Number half = half_distance(a.mean, b.mean) + (b.low - a.low) * kHalf;
    const Squares between = square(half, static_cast<Number>(a.count) * weight);
    return moved(a.mean, a.low, half, weight, Squares::add(Squares::add(a.m2, b.m2), between),
                 a.count + b.count);
  }
  /// The mean of all first, with one division, then the deviations from it. Means are taken less
  /// one of them, so that equal ones have no deviation.
  template <int kCount, class Lanes>
  static FOLDTUNE_DEVICE Accumulator merge(const Accumulator* a, Lanes lanes) {
    Count own = 0;
    FOLDTUNE_UNROLL
    for (int i = 0; i < kCount; ++i) own += a[i].count;
    const Count count = lanes.sum(own);
    const Number share = Number{1} / static_cast<Number>(at_least_one(count));
    const Number base = lanes.value_where(a[0].count != 0, a[0].mean);
    Number halves[kCount];
    Number sum = 0;
    FOLDTUNE_UNROLL
    for (int i = 0; i < kCount; ++i) {
      halves[i] = a[i].count == 0 ? Number{0} : half_distance(base, a[i].mean) + a[i].low * kHalf;
      sum += halves[i] * (static_cast<Number>(a[i].count) * share);
    }
    const Number half = lanes.sum(sum);
    const Squares m2 = Squares::template merge<kCount>(
        [&](int i) {
          return Squares::add(a[i].m2, square(halves[i] - half, static_cast<Number>(a[i].count)));
        },
        lanes);
    return moved(base, 0, half, 1, m2, count);
  }
  static FOLDTUNE_DEVICE Number finish(const Accumulator& a, uint64 n) {
    const Number unit = a.m2.unit();
    return mean_square(a, n) * unit * unit;
  }

 protected:
  /// The variance in the unit of the squares; NaN if an element was NaN or infinite, whatever it
  /// met first.
  static FOLDTUNE_DEVICE Number mean_square(const Accumulator& a, uint64 n) {
    return over_count(a.m2.sum, static_cast<Number>(n - kDdof)) + (a.mean - a.mean);
  }

 private:
  static constexpr Number kHalf = Number{1} / 2;

  static FOLDTUNE_DEVICE Number half_distance(Number from, Number to) {
    return to * kHalf - from * kHalf;
  }
  /// The square of twice `half`, `weight` times.
  static FOLDTUNE_DEVICE Squares square(Number half, Number weight) {
    if constexpr (kMayLeaveRange<T, A>) {
      return Squares::of(half, weight * 4);
    } else {
      return Squares::of_plain(half * (weight * 4) * half);
    }
  }
  /// With the mean `mean` + `low` + 2 * `half` * `weight`.
  static FOLDTUNE_DEVICE Accumulator moved(Number mean, Number low, Number half, Number weight,
                                           const Squares& m2, Count count) {
    const Number sum = platform::multiply_add(half, weight * 2, mean);
    const Number lost = platform::multiply_add(half, weight, half_distance(sum, mean));
    return {sum, low + lost * 2, m2, count};
  }
};

}  // namespace foldtune
