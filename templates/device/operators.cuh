/// What is folded. A kernel knows an operator by these members, and none by its name:
///
///     Inputs        TypeList of the element types, one per input
///     Accumulator   a partial result: trivially copyable, whole words of 4 bytes, no constructor
///     identity()    the partial result of nothing
///     map(x, i)     of one element (as registers hold it) and its index; map(x, y, i) of two
///     inputs combine(a, b) of two partial results: associative up to rounding, and commutative
///     finish(a, n)  the result, from the last partial result and the number of elements
///     Result        what finish gives, unless it is a number: stored as it is
///     kInstruction  what the hardware may combine by itself, if it knows the operator
///     Value         of an operator that finds an element: the one that gives its value
///     Plain         of an operator whose partial results seldom need what sets them apart from
///     those
///                   of another one: that one, with which a thread folds what it loads first
///     is_ordinary(p), of_plain(p)  whether that was enough, and the partial result that it is
///     then;
///                   else the thread looks at its elements a second time
///     merge(a, lanes)  of an operator whose partial results are merged sooner many at a time than
///                   in pairs: that of `a[0]` to `a[kCount - 1]` of all lanes of a warp, in each
///                   lane; `lanes` is what it may ask them for (redux.cuh)
///
/// T is the element type, A the accumulator's type in the catalogue, Held<A> what registers hold it
/// in; the catalogue's row of an operator names its template arguments.
#pragma once

#include "templates/device/types.cuh"
#include "templates/device/wide_sums.cuh"

namespace foldtune {

template <class... Ts>
struct TypeList {
  static constexpr int kSize = sizeof...(Ts);
};

enum class NanPolicy { propagate, ignore };

/// What the hardware combines by itself, in a warp or in memory. `all` and `any` are of truth
/// values; of `arg_min` and `arg_max` a warp finds the value first, then the lowest index.
enum class Instruction {
  none,
  add,
  min,
  max,
  bit_and,
  bit_or,
  bit_xor,
  all,
  any,
  arg_min,
  arg_max
};

/// What most operators have in common: one input, and a number that needs no finish.
template <class T, class A>
struct NumberFold {
  using Inputs = TypeList<T>;
  using Accumulator = Held<A>;
  static constexpr Instruction kInstruction = Instruction::none;

  static FOLDTUNE_DEVICE Accumulator map(Held<T> x, uint64) { return static_cast<Accumulator>(x); }
  static FOLDTUNE_DEVICE Accumulator finish(Accumulator a, uint64) { return a; }
};

/// An index or a count beside a Number in a partial result: of its size at least, so that they need
/// no padding.
template <class Number, class Index>
using Beside = Word<sizeof(Number) == 8 ? 8 : sizeof(Index)>;

/// Addition. Integers wrap.
template <class T, class A>
struct Sum : NumberFold<T, A> {
  static constexpr Instruction kInstruction = Instruction::add;

  static FOLDTUNE_DEVICE Held<A> identity() { return 0; }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return add(a, b); }
};

/// The sum of x * x. Integers wrap.
template <class T, class A>
struct SumOfSquares : Sum<T, A> {
  static FOLDTUNE_DEVICE Held<A> map(Held<T> x, uint64) {
    const auto value = static_cast<Held<A>>(x);
    return multiply(value, value);
  }
};

/// The square root of the sum of squares.
template <class T, class A, bool kIsWide = kMayLeaveRange<T, A>>
struct Nrm2 : SumOfSquares<T, A> {
  static FOLDTUNE_DEVICE Held<A> finish(Held<A> a, uint64) { return platform::square_root(a); }
};
template <class T, class A>
struct Nrm2<T, A, true> {
  using Inputs = TypeList<T>;
  using Accumulator = WideSquares<A>;
  using Plain = SumOfSquares<T, A>;
  static constexpr Instruction kInstruction = Instruction::none;

  static FOLDTUNE_DEVICE Accumulator identity() { return Accumulator::none(); }
  static FOLDTUNE_DEVICE Accumulator map(Held<T> x, uint64) { return Accumulator::of(x, 1); }
  static FOLDTUNE_DEVICE bool is_ordinary(A sum) { return Accumulator::is_ordinary(sum); }
  static FOLDTUNE_DEVICE Accumulator of_plain(A sum) { return Accumulator::of_plain(sum); }
  static FOLDTUNE_DEVICE Accumulator combine(const Accumulator& a, const Accumulator& b) {
    return Accumulator::add(a, b);
  }
  template <int kCount, class Lanes>
  static FOLDTUNE_DEVICE Accumulator merge(const Accumulator* a, Lanes lanes) {
    return Accumulator::template merge<kCount>([&](int i) { return a[i]; }, lanes);
  }
  static FOLDTUNE_DEVICE A finish(const Accumulator& a, uint64) {
    return platform::square_root(a.sum) * a.unit();
  }
};

/// The sum of x * y. Integers wrap.
template <class T, class A>
struct Dot : Sum<T, A> {
  using Inputs = TypeList<T, T>;

  static FOLDTUNE_DEVICE Held<A> map(Held<T> x, Held<T> y, uint64) {
    return multiply(static_cast<Held<A>>(x), static_cast<Held<A>>(y));
  }
};

/// The same count, but 1 for 0.
template <class Count>
FOLDTUNE_DEVICE Count at_least_one(Count count) {
  return count + static_cast<Count>(count == 0 ? 1 : 0);
}

/// a / count, to the last bit or nearly so, of any number and a count. Written out, since `/` calls
/// a subroutine of the compiler's for operands that are 0 or nearly so, infinite or NaN, and
/// ptxas 13.0 has been seen to change the caller's registers in there (docs/design.md). Here and
/// wherever accumulators are merged, the operands of every `/` are normal numbers.
template <class Number>
FOLDTUNE_DEVICE Number over_count(Number a, Number count) {
  const Number reciprocal =
      count == 0 ? Limits<Number>::highest() : Number{1} / at_least_one(count);
  const Number quotient = a * reciprocal;
  const bool is_finite = quotient - quotient == 0;
  if (!is_finite) return quotient;
  const Number rest = platform::multiply_add(-quotient, count, a);
  return platform::multiply_add(rest, reciprocal, quotient);
}

/// The sum divided by the count: as exact as merging partial means, without their divisions.
template <class T, class A, bool kIsWide = kMayLeaveRange<T, A>>
struct Mean : Sum<T, A> {
  static FOLDTUNE_DEVICE Held<A> finish(Held<A> a, uint64 n) {
    return over_count(a, static_cast<Held<A>>(n));
  }
};
template <class T, class A>
struct Mean<T, A, true> {
  using Inputs = TypeList<T>;
  using Accumulator = WideSum<A>;
  using Plain = Sum<T, A>;
  static constexpr Instruction kInstruction = Instruction::none;

  static FOLDTUNE_DEVICE Accumulator identity() { return {0, 0}; }
  static FOLDTUNE_DEVICE Accumulator map(Held<T> x, uint64) { return Accumulator::of(x); }
  static FOLDTUNE_DEVICE bool is_ordinary(A sum) { return Accumulator::is_ordinary(sum); }
  static FOLDTUNE_DEVICE Accumulator of_plain(A sum) { return {sum, 0}; }
  static FOLDTUNE_DEVICE Accumulator combine(const Accumulator& a, const Accumulator& b) {
    return {a.ordinary + b.ordinary, a.large + b.large};
  }
  static FOLDTUNE_DEVICE A finish(const Accumulator& a, uint64 n) {
    constexpr A kUnit = RangeLimits<A>::kAddUnit;
    if (a.large == 0) return over_count(a.ordinary, static_cast<A>(n));
    const A sum = a.large + a.ordinary * (1 / kUnit);
    const A mean = over_count(sum, static_cast<A>(n));
    // Of numbers that are all the largest, roundings may make it more than that.
    const A limit = sum - sum == 0 ? RangeLimits<A>::kLargest * (1 / kUnit) : magnitude(mean);
    return (magnitude(mean) > limit ? (mean < 0 ? -limit : limit) : mean) * kUnit;
  }
};

/// The sum of |x|. Integers wrap.
template <class T, class A>
struct Asum : Sum<T, A> {
  static FOLDTUNE_DEVICE Held<A> map(Held<T> x, uint64) {
    return static_cast<Held<A>>(magnitude(static_cast<Held<A>>(x)));
  }
};

/// Multiplication. Integers wrap.
template <class T, class A>
struct Product : NumberFold<T, A> {
  static FOLDTUNE_DEVICE Held<A> identity() { return 1; }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return multiply(a, b); }
};

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
  static FOLDTUNE_DEVICE Accumulator combine(const Accumulator& a, const Accumulator& b) {
    if (a.count == 0) return b;  // as in a thread's first tile: without the division
    const Number weight = share_of_second<Number>(a.count, b.count);
    const Number delta = (b.mean - a.mean) + (b.low - a.low);
    const Number between = delta * (static_cast<Number>(a.count) * weight) * delta;
    const Number mean = platform::multiply_add(delta, weight, a.mean);
    const Number lost = platform::multiply_add(delta, weight, a.mean - mean);
    return {mean, a.low + lost, a.m2 + b.m2 + between, a.count + b.count};
  }
};

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

  static FOLDTUNE_DEVICE Accumulator identity() { return {0, 0, Squares::none(), 0}; }
  static FOLDTUNE_DEVICE Accumulator map(Held<T> x, uint64) {
    return {static_cast<Number>(x), 0, Squares::none(), 1};
  }
  static FOLDTUNE_DEVICE bool is_ordinary(const typename Plain::Accumulator& plain) {
    return !kMayLeaveRange<T, A> || plain.count <= 1 || Squares::is_ordinary(plain.m2);
  }
  static FOLDTUNE_DEVICE Accumulator of_plain(const typename Plain::Accumulator& plain) {
    return {plain.mean, plain.low, Squares::of_plain(plain.m2), plain.count};
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

/// The square root of the variance.
template <class T, class A, class I, int kDdof>
struct StdDev : Variance<T, A, I, kDdof> {
  using Base = Variance<T, A, I, kDdof>;

  static FOLDTUNE_DEVICE Held<A> finish(const typename Base::Accumulator& a, uint64 n) {
    return platform::square_root(Base::mean_square(a, n)) * a.m2.unit();
  }
};

/// The greatest of `kCount` numbers (a power of two); if there is NaN among them, any of them.
template <int kCount, class Number>
FOLDTUNE_DEVICE Number greatest_of(const Number* x) {
  if constexpr (kCount == 1) {
    return x[0];
  } else {
    const Number a = greatest_of<kCount / 2>(x);
    const Number b = greatest_of<kCount / 2>(x + kCount / 2);
    if constexpr (platform::kHasNativeMinimum<Number>) {
      return platform::native_maximum(a, b);
    } else {
      return a < b ? b : a;
    }
  }
}

/// exp(max) * sum, the sum of exponentials.
template <class Number>
struct ScaledSum {
  Number max;
  Number sum;
};

/// log(sum of exp(x)), in one pass: partial sums are relative to their greatest element.
template <class T, class A>
struct LogSumExp {
  using Number = Held<A>;
  using Inputs = TypeList<T>;
  using Accumulator = ScaledSum<Number>;
  static constexpr Instruction kInstruction = Instruction::none;

  static FOLDTUNE_DEVICE Accumulator identity() { return {Limits<Number>::lowest(), 0}; }
  static FOLDTUNE_DEVICE Accumulator map(Held<T> x, uint64) { return {static_cast<Number>(x), 1}; }
  /// Of `kCount` elements at hand (a power of two): with one exponential for each of them.
  template <int kCount>
  static FOLDTUNE_DEVICE Accumulator of_many(const Number* x) {
    const Number max = greatest_of<kCount>(x);
    // Infinities less themselves would be NaN. NaN makes the sum NaN, whatever the greatest is.
    const Number base = max - max == 0 ? max : (max == max ? Number{0} : max);
    return {max,
            sum_of<kCount>(x, [=](Number value) { return platform::exponential(value - base); })};
  }
  static FOLDTUNE_DEVICE Accumulator combine(const Accumulator& a, const Accumulator& b) {
    const bool a_is_less = a.max < b.max;
    const Accumulator high = a_is_less ? b : a;
    const Accumulator low = a_is_less ? a : b;
    return {high.max, high.sum + low.sum * factor(low.max, high.max)};
  }
  /// The greatest of all first, then one exponential for each partial result.
  template <int kCount, class Lanes>
  static FOLDTUNE_DEVICE Accumulator merge(const Accumulator* a, Lanes lanes) {
    Number own = a[0].max;
    FOLDTUNE_UNROLL
    for (int i = 1; i < kCount; ++i) own = own < a[i].max ? a[i].max : own;
    const Number max = lanes.maximum(own);
    Number sum = 0;
    FOLDTUNE_UNROLL
    for (int i = 0; i < kCount; ++i) sum += a[i].sum * factor(a[i].max, max);
    return {max, lanes.sum(sum)};
  }
  static FOLDTUNE_DEVICE Number finish(const Accumulator& a, uint64) {
    return a.max + platform::logarithm(a.sum);
  }

 private:
  /// exp(low - high). Infinities are equal or not; their difference would be NaN.
  static FOLDTUNE_DEVICE Number factor(Number low, Number high) {
    return low == high ? Number{1} : platform::exponential(low - high);
  }
};

/// Of two floating-point numbers: NaN if one is, what the bits `of_equal` stand for if they are
/// equal, else `preferred`. Selects instead of branches, which lanes of a warp take at odds.
template <class T>
FOLDTUNE_DEVICE T settle(T a, T b, T preferred, Word<sizeof(T)> of_equal) {
  const T number = a == b ? bit_cast<T>(of_equal) : preferred;
  const bool a_is_nan = is_nan(a);
  const bool b_is_nan = is_nan(b);
  return (a_is_nan | b_is_nan) ? Limits<T>::nan() : number;
}

/// The smaller of two numbers. NaN wins over every number, and -0 over +0; the NaN is always the
/// same one, so that the result's bits do not depend on the order.
template <class T>
FOLDTUNE_DEVICE T minimum(T a, T b) {
  if constexpr (platform::kHasNativeMinimum<T>) {
    return platform::native_minimum(a, b);
  } else if constexpr (kIsFloating<T>) {
    using Bits = Word<sizeof(T)>;
    return settle(a, b, b < a ? b : a, bit_cast<Bits>(a) | bit_cast<Bits>(b));
  } else {
    return b < a ? b : a;
  }
}

/// The larger of two numbers, with the rules of `minimum`; +0 wins over -0.
template <class T>
FOLDTUNE_DEVICE T maximum(T a, T b) {
  if constexpr (platform::kHasNativeMinimum<T>) {
    return platform::native_maximum(a, b);
  } else if constexpr (kIsFloating<T>) {
    using Bits = Word<sizeof(T)>;
    return settle(a, b, a < b ? b : a, bit_cast<Bits>(a) & bit_cast<Bits>(b));
  } else {
    return a < b ? b : a;
  }
}

template <class T, class A, NanPolicy kNan>
struct Min : NumberFold<T, A> {
  static constexpr Instruction kInstruction = Instruction::min;

  static FOLDTUNE_DEVICE Held<A> identity() { return highest_element<A>(); }
  static FOLDTUNE_DEVICE Held<A> map(Held<T> x, uint64) {
    return kNan == NanPolicy::ignore && is_nan(x) ? identity() : x;
  }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return minimum(a, b); }
  static FOLDTUNE_DEVICE bool precedes(Held<A> a, Held<A> b) { return a < b; }
};

template <class T, class A, NanPolicy kNan>
struct Max : NumberFold<T, A> {
  static constexpr Instruction kInstruction = Instruction::max;

  static FOLDTUNE_DEVICE Held<A> identity() { return lowest_element<A>(); }
  static FOLDTUNE_DEVICE Held<A> map(Held<T> x, uint64) {
    return kNan == NanPolicy::ignore && is_nan(x) ? identity() : x;
  }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return maximum(a, b); }
  static FOLDTUNE_DEVICE bool precedes(Held<A> a, Held<A> b) { return b < a; }
};

/// The greatest |x|, 0 of nothing. Magnitudes of integers are kept without a sign; stored in the
/// element's type, that of the lowest integer wraps.
template <class T, class A, NanPolicy kNan>
struct AbsMax : NumberFold<T, A> {
  using Accumulator = Magnitude<Held<A>>;
  static constexpr Instruction kInstruction = Instruction::max;

  static FOLDTUNE_DEVICE Accumulator identity() { return 0; }
  static FOLDTUNE_DEVICE Accumulator map(Held<T> x, uint64) {
    return kNan == NanPolicy::ignore && is_nan(x) ? identity() : magnitude(x);
  }
  static FOLDTUNE_DEVICE Accumulator combine(Accumulator a, Accumulator b) { return maximum(a, b); }
  static FOLDTUNE_DEVICE Accumulator finish(Accumulator a, uint64) { return a; }
  static FOLDTUNE_DEVICE bool precedes(Accumulator a, Accumulator b) { return b < a; }
};

/// The result of an operator that finds an element. The bytes between are zero.
template <class T, int kGap = 8 - sizeof(T)>
struct IndexedValue {
  T value;
  unsigned char zeros[kGap];
  uint64 index;

  static FOLDTUNE_DEVICE IndexedValue of(T value, uint64 index) { return {value, {}, index}; }
};
template <class T>
struct IndexedValue<T, 0> {
  T value;
  uint64 index;

  static FOLDTUNE_DEVICE IndexedValue of(T value, uint64 index) { return {value, index}; }
};

/// A number and its index. Without padding.
template <class Number, class Index, bool kHasGap = sizeof(Number) < sizeof(Index)>
struct Indexed {
  Number value;
  Index index;

  static FOLDTUNE_DEVICE Indexed of(Number value, Index index) { return {value, index}; }
};
template <class Number, class Index>
struct Indexed<Number, Index, true> {
  Number value;
  uint32 zero;
  Index index;

  static FOLDTUNE_DEVICE Indexed of(Number value, Index index) { return {value, 0, index}; }
};

/// The element that Extreme prefers, and its index. Of equal ones, the first; NaN is preferred to
/// every number, and zeros are equal. Of nothing but NaNs that are ignored, the index has all bits
/// set. I is the type of an index.
template <template <class, class, NanPolicy> class Extreme, class T, class A, class I,
          NanPolicy kNan>
struct ArgExtreme {
  using Value = Extreme<T, A, kNan>;
  using Number = typename Value::Accumulator;
  using Index = Beside<Number, I>;
  using Inputs = TypeList<T>;
  using Accumulator = Indexed<Number, Index>;
  using Result = IndexedValue<A>;
  static constexpr Instruction kInstruction =
      Value::kInstruction == Instruction::min ? Instruction::arg_min : Instruction::arg_max;
  static constexpr Index kNowhere = ~Index{0};

  static FOLDTUNE_DEVICE Accumulator identity() {
    return Accumulator::of(Value::identity(), kNowhere);
  }
  static FOLDTUNE_DEVICE Accumulator map(Held<T> x, uint64 index) {
    if (kNan == NanPolicy::ignore && is_nan(x)) return identity();
    return Accumulator::of(Value::map(x, index), static_cast<Index>(index));
  }
  static FOLDTUNE_DEVICE Accumulator combine(const Accumulator& a, const Accumulator& b) {
    const bool b_is_better = is_preferred(b.value, a.value);
    const bool a_is_better = is_preferred(a.value, b.value);
    const bool b_is_first = b.index < a.index;
    const bool takes_b = b_is_better | (b_is_first & !a_is_better);
    return Accumulator::of(takes_b ? b.value : a.value, takes_b ? b.index : a.index);
  }
  static FOLDTUNE_DEVICE Result finish(const Accumulator& a, uint64) {
    return Result::of(store_number<A>(a.value), a.index == kNowhere ? ~uint64{0} : a.index);
  }

  /// Whether a is preferred to b, whatever their indices.
  static FOLDTUNE_DEVICE bool is_preferred(Number a, Number b) {
    const bool precedes = Value::precedes(a, b);
    const bool a_is_nan = is_nan(a);
    const bool b_is_nan = is_nan(b);
    return precedes | (a_is_nan & !b_is_nan);
  }
  /// Whether an element is one that `best`, the Value of it and others, is of.
  static FOLDTUNE_DEVICE bool is_at(Held<T> x, Number best) {
    const bool x_is_nan = is_nan(x);
    const bool is_equal = Value::map(x, 0) == best;
    return kNan == NanPolicy::ignore ? (is_equal & !x_is_nan) : (is_equal | x_is_nan);
  }
};
template <class T, class A, class I, NanPolicy kNan>
using ArgMin = ArgExtreme<Min, T, A, I, kNan>;
template <class T, class A, class I, NanPolicy kNan>
using ArgMax = ArgExtreme<Max, T, A, I, kNan>;
template <class T, class A, class I, NanPolicy kNan>
using ArgAbsMax = ArgExtreme<AbsMax, T, A, I, kNan>;

template <class T>
struct MinMax {
  T min;
  T max;
};

/// Both extremes at once.
template <class T, class A, NanPolicy kNan>
struct Extremes {
  using Inputs = TypeList<T>;
  using Accumulator = MinMax<Held<A>>;
  using Result = MinMax<A>;
  static constexpr Instruction kInstruction = Instruction::none;

  static FOLDTUNE_DEVICE Accumulator identity() {
    return {Min<T, A, kNan>::identity(), Max<T, A, kNan>::identity()};
  }
  static FOLDTUNE_DEVICE Accumulator map(Held<T> x, uint64 i) {
    return {Min<T, A, kNan>::map(x, i), Max<T, A, kNan>::map(x, i)};
  }
  static FOLDTUNE_DEVICE Accumulator combine(const Accumulator& a, const Accumulator& b) {
    return {minimum(a.min, b.min), maximum(a.max, b.max)};
  }
  template <int kCount, class Lanes>
  static FOLDTUNE_DEVICE Accumulator merge(const Accumulator* a, Lanes lanes) {
    Accumulator own = a[0];
    FOLDTUNE_UNROLL
    for (int i = 1; i < kCount; ++i) own = combine(own, a[i]);
    return {lanes.minimum(own.min), lanes.maximum(own.max)};
  }
  static FOLDTUNE_DEVICE Result finish(const Accumulator& a, uint64) {
    return {store_number<A>(a.min), store_number<A>(a.max)};
  }
};

template <class T, class A>
struct BitAnd : NumberFold<T, A> {
  static constexpr Instruction kInstruction = Instruction::bit_and;

  static FOLDTUNE_DEVICE Held<A> identity() { return static_cast<A>(~A{0}); }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return a & b; }
};

template <class T, class A>
struct BitOr : NumberFold<T, A> {
  static constexpr Instruction kInstruction = Instruction::bit_or;

  static FOLDTUNE_DEVICE Held<A> identity() { return 0; }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return a | b; }
};

template <class T, class A>
struct BitXor : NumberFold<T, A> {
  static constexpr Instruction kInstruction = Instruction::bit_xor;

  static FOLDTUNE_DEVICE Held<A> identity() { return 0; }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return a ^ b; }
};

/// 1 if no element is zero, else 0. NaN is not zero.
template <class T, class A>
struct All : NumberFold<T, A> {
  static constexpr Instruction kInstruction = Instruction::all;

  static FOLDTUNE_DEVICE Held<A> identity() { return 1; }
  static FOLDTUNE_DEVICE Held<A> map(Held<T> x, uint64) { return x != Held<T>{0} ? 1 : 0; }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return a & b; }
};

/// 1 if an element is not zero, else 0.
template <class T, class A>
struct Any : NumberFold<T, A> {
  static constexpr Instruction kInstruction = Instruction::any;

  static FOLDTUNE_DEVICE Held<A> identity() { return 0; }
  static FOLDTUNE_DEVICE Held<A> map(Held<T> x, uint64) { return x != Held<T>{0} ? 1 : 0; }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return a | b; }
};

/// How many elements are not zero.
template <class T, class A>
struct CountNonzero : Sum<T, A> {
  static FOLDTUNE_DEVICE Held<A> map(Held<T> x, uint64) { return x != Held<T>{0} ? 1 : 0; }
};

}  // namespace foldtune
