#pragma once

#include "templates/device/arg_extreme.cuh"
#include "templates/device/operators/max.cuh"

namespace foldtune {

template <class T, class A, class I, NanPolicy kNan>
using ArgMax = ArgExtreme<Max, T, A, I, kNan>;

}  // namespace foldtune
