#pragma once

#include "templates/device/operators/sum.cuh"
#include "templates/device/over_count.cuh"
#include "templates/device/wide_sums.cuh"

namespace foldtune {

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

template <class T, class A>
struct PackedFold<Mean<T, A, false>> : PackedFold<Sum<T, A>> {};

}  // namespace foldtune
