#pragma once

#include "templates/device/arg_extreme.cuh"
#include "templates/device/operators/absmax.cuh"

namespace foldtune {

template <class T, class A, class I, NanPolicy kNan>
using ArgAbsMax = ArgExtreme<AbsMax, T, A, I, kNan>;

}  // namespace foldtune
