#pragma once

#include "templates/device/operators/variance.cuh"

namespace foldtune {

/// The square root of the variance.
template <class T, class A, class I, int kDdof>
struct StdDev : Variance<T, A, I, kDdof> {
  using Base = Variance<T, A, I, kDdof>;

  static FOLDTUNE_DEVICE Held<A> finish(const typename Base::Accumulator& a, uint64 n) {
    return platform::square_root(Base::mean_square(a, n)) * a.m2.unit();
  }
};

}  // namespace foldtune
