#pragma once

#include "templates/device/operators/sum.cuh"

namespace foldtune {

/// The sum of the elements that are not NaN. Integers, which are none, wrap.
template <class T, class A>
struct NanSum : Sum<T, A> {
  static FOLDTUNE_DEVICE Held<A> map(Held<T> x, uint64) {
    return is_nan(x) ? Held<A>{0} : static_cast<Held<A>>(x);
  }
};

template <class T, class A>
struct PackedFold<NanSum<T, A>> : PackedFold<Sum<T, A>> {};

}  // namespace foldtune
