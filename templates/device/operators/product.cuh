#pragma once

#include "templates/device/operator.cuh"

namespace foldtune {

/// Multiplication. Integers wrap.
template <class T, class A>
struct Product : NumberFold<T, A> {
  static FOLDTUNE_DEVICE Held<A> identity() { return 1; }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return multiply(a, b); }
};

}  // namespace foldtune
