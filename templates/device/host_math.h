/// The functions of CUDA's math library that an expression of the user's may call, where the host
/// compiler reads it. Without them it would find those of C: `abs(x)` of a float would be the whole
/// number of `int abs(int)`, and `sqrt(x)` a double.
///
/// `runtime/compile/host_compiler.cpp` includes it before a program; kernels for GPUs never do.
#pragma once

#include <cstdlib>
#include <type_traits>
// Those of libstdc++ that CUDA does not have, Bessel's and others, take half of the time in which a
// kernel compiles.
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#include <cmath>

namespace foldtune {

using std::abs, std::acos, std::acosh, std::asin, std::asinh, std::atan, std::atan2, std::atanh,
    std::cbrt, std::ceil, std::copysign, std::cos, std::cosh, std::erf, std::erfc, std::exp,
    std::exp2, std::expm1, std::fabs, std::fdim, std::floor, std::fma, std::fmax, std::fmin,
    std::fmod, std::hypot, std::isfinite, std::isinf, std::isnan, std::ldexp, std::lgamma, std::log,
    std::log10, std::log1p, std::log2, std::logb, std::nearbyint, std::nextafter, std::pow,
    std::remainder, std::rint, std::round, std::signbit, std::sin, std::sinh, std::sqrt, std::tan,
    std::tanh, std::tgamma, std::trunc;

/// As CUDA has them: of floating-point numbers `fmin` and `fmax`, of others the common type's.
template <class A, class B>
requires std::is_arithmetic_v<A> && std::is_arithmetic_v<B>
constexpr auto min(A a, B b) {
  using Common = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<Common>)
    return std::fmin(Common(a), Common(b));
  else
    return Common(b) < Common(a) ? Common(b) : Common(a);
}
template <class A, class B>
requires std::is_arithmetic_v<A> && std::is_arithmetic_v<B>
constexpr auto max(A a, B b) {
  using Common = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<Common>)
    return std::fmax(Common(a), Common(b));
  else
    return Common(a) < Common(b) ? Common(b) : Common(a);
}

inline float rsqrt(float x) { return 1 / std::sqrt(x); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }
inline float rsqrtf(float x) { return rsqrt(x); }

}  // namespace foldtune
