#pragma once

#include "templates/device/arg_extreme.cuh"
#include "templates/device/operators/min.cuh"

namespace foldtune {

template <class T, class A, class I, NanPolicy kNan>
using ArgMin = ArgExtreme<Min, T, A, I, kNan>;

}  // namespace foldtune
