/// The noise of replayed measurements.
#pragma once

#include <random>

namespace foldtune {

/// The standard deviation of normally distributed values is so many times their median absolute
/// deviation.
inline constexpr double kDeviationPerMad = 1.4826;

/// A normally distributed value of standard deviation 1: the same with every standard library.
double standard_normal(std::mt19937_64& random);

}  // namespace foldtune
