#pragma once

#include "templates/device/operators/max.cuh"
#include "templates/device/operators/min.cuh"

namespace foldtune {

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

}  // namespace foldtune
