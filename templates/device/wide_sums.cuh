/// Sums whose terms, or partial results, may leave the range of their numbers where the result does
/// not: 1e20 squared is no float, and its root is. A thread adds up what it loads as if nothing
/// could, and looks at it a second time if something may have.
///
/// Numbers of other magnitudes are scaled by a power of two, which is exact, and added up apart, as
/// Blue does (1978). The limits have room for 2^41 terms.
#pragma once

#include "templates/device/types.cuh"

namespace foldtune {

/// Whether sums and squares of elements of T, as numbers of type A, may leave the range of A.
template <class T, class A>
inline constexpr bool kMayLeaveRange = (kIsFloating<T> && sizeof(A) == sizeof(T)) ||
                                       (kIsSame<T, bfloat16> && kIsSame<A, float>);

/// The sum of `term(x)` over `kCount` numbers (a power of two), as a tree.
template <int kCount, class Number, class Term>
FOLDTUNE_DEVICE Number sum_of(const Number* x, Term term) {
  if constexpr (kCount == 1) {
    return term(x[0]);
  } else {
    return sum_of<kCount / 2>(x, term) + sum_of<kCount / 2>(x + kCount / 2, term);
  }
}

/// Powers of two that part the magnitudes of numbers.
template <class Number>
struct RangeLimits;
template <>
struct RangeLimits<float> {
  static constexpr float kUnit = 0x1p86f;            ///< between neighbouring ranges
  static constexpr float kMostToSquare = 0x1p42f;    ///< sums of squares of less stay finite
  static constexpr float kLeastToSquare = 0x1p-50f;  ///< squares of more are normal, and so are
                                                     ///< those of small numbers beside them
  static constexpr float kMostSquares = 0x1p84f;     ///< a thread's, whose squares are finite
  static constexpr float kLeastSquares = 0x1p-90f;   ///< and so much that squares which are lost
                                                     ///< are below its last bit
  static constexpr float kMostToAdd = 0x1p84f;       ///< sums of less stay finite
  static constexpr float kLargest = 0x1.fffffep127f;
  static constexpr float kAddUnit = 0x1p44f;  ///< sums of any number over this stay finite
};
template <>
struct RangeLimits<double> {
  static constexpr double kUnit = 0x1p600;
  static constexpr double kMostToSquare = 0x1p490;
  static constexpr double kLeastToSquare = 0x1p-490;
  static constexpr double kMostSquares = 0x1p980;
  static constexpr double kLeastSquares = 0x1p-950;
  static constexpr double kMostToAdd = 0x1p980;
  static constexpr double kLargest = 0x1.fffffffffffffp1023;
  static constexpr double kAddUnit = 0x1p44;
};

/// The sum of numbers: `ordinary` + `large` * kAddUnit.
template <class Number>
struct WideSum {
  using Limits = RangeLimits<Number>;
  Number ordinary;
  Number large;

  static FOLDTUNE_DEVICE WideSum of(Number x) {
    const bool is_large = magnitude(x) > Limits::kMostToAdd;
    return {is_large ? Number{0} : x, is_large ? x * (1 / Limits::kAddUnit) : Number{0}};
  }
  /// Whether a thread's plain sum is right, and so are sums of any number of such sums.
  static FOLDTUNE_DEVICE bool is_ordinary(Number sum) {
    return magnitude(sum) <= Limits::kMostToAdd;
  }
};

/// The sum of squares, never negative, of numbers times a power of two that the range tells:
/// kUnit of small ones, 1, and 1 / kUnit of large ones.
template <class Number>
struct WideSquares {
  using Limits = RangeLimits<Number>;
  using RangeWord = Word<sizeof(Number)>;  // no padding
  static constexpr RangeWord kSmall = 0;
  static constexpr RangeWord kOrdinary = 1;
  static constexpr RangeWord kLarge = 2;

  Number sum;
  RangeWord range;

  static FOLDTUNE_DEVICE WideSquares none() { return {0, kSmall}; }

  /// The square of x, `weight` times.
  static FOLDTUNE_DEVICE WideSquares of(Number x, Number weight) {
    const RangeWord range = range_of(magnitude(x));
    const Number scaled = x * scale(range);
    // In this order nothing overflows where the weight is 0.
    return {scaled * weight * scaled, range};
  }
  /// Whether a thread's plain sum of squares is right but for its roundings, and so are sums of any
  /// number of such sums. One of zeros may be one of numbers whose squares are lost.
  static FOLDTUNE_DEVICE bool is_ordinary(Number sum) {
    return (sum >= Limits::kLeastSquares) & (sum <= Limits::kMostSquares);
  }
  /// A plain sum of squares.
  static FOLDTUNE_DEVICE WideSquares of_plain(Number sum) {
    return {sum, sum == 0 ? kSmall : kOrdinary};
  }

  static FOLDTUNE_DEVICE WideSquares add(const WideSquares& a, const WideSquares& b) {
    const RangeWord range = a.range < b.range ? b.range : a.range;
    return {a.sum_in(range) + b.sum_in(range), range};
  }

  /// The sum of `part(0)` to `part(kCount - 1)` of all lanes of a warp; `lanes` as in
  /// operator.cuh.
  template <int kCount, class Part, class Lanes>
  static FOLDTUNE_DEVICE WideSquares merge(Part part, Lanes lanes) {
    WideSquares own = part(0);
    FOLDTUNE_UNROLL
    for (int i = 1; i < kCount; ++i) own = add(own, part(i));
    const RangeWord range = lanes.maximum(static_cast<uint32>(own.range));
    return {lanes.sum(own.sum_in(range)), range};
  }

  /// The same sum, of numbers times the power of two of a range that is as large or larger.
  FOLDTUNE_DEVICE Number sum_in(RangeWord larger) const {
    // Small numbers are nothing to large ones.
    const Number factor = range == larger       ? Number{1}
                          : range + 1 == larger ? 1 / Limits::kUnit
                                                : Number{0};
    return sum * factor * factor;
  }
  /// What the scaled numbers are to be multiplied by.
  FOLDTUNE_DEVICE Number unit() const {
    return range == kOrdinary ? Number{1} : range == kLarge ? Limits::kUnit : 1 / Limits::kUnit;
  }

 private:
  static FOLDTUNE_DEVICE RangeWord range_of(Number size) {
    return size > Limits::kMostToSquare    ? kLarge
           : size < Limits::kLeastToSquare ? kSmall
                                           : kOrdinary;
  }
  static FOLDTUNE_DEVICE Number scale(RangeWord range) {
    return range == kOrdinary ? Number{1} : range == kLarge ? 1 / Limits::kUnit : Limits::kUnit;
  }
};

}  // namespace foldtune
