#pragma once

#include "templates/device/operator.cuh"
#include "templates/device/wide_sums.cuh"

namespace foldtune {

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
  /// The same of those elements that `are_in` says: exponentials of the others are 0.
  template <int kCount>
  static FOLDTUNE_DEVICE Accumulator of_some(const Number* x, const bool* are_in) {
    Number numbers[kCount];
    FOLDTUNE_UNROLL
    for (int i = 0; i < kCount; ++i) numbers[i] = are_in[i] ? x[i] : Limits<Number>::lowest();
    return of_many<kCount>(numbers);
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

}  // namespace foldtune
