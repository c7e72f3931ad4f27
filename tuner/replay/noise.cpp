#include "tuner/replay/noise.h"

#include <cmath>
#include <numbers>

namespace foldtune {

double standard_normal(std::mt19937_64& random) {
  // Box and Muller: std::normal_distribution differs between standard libraries.
  constexpr double kScale = 0x1p-53;
  const double a = (static_cast<double>(random() >> 11) + 1) * kScale;  // from above 0 to 1
  const double b = static_cast<double>(random() >> 11) * kScale;
  return std::sqrt(-2 * std::log(a)) * std::cos(2 * std::numbers::pi * b);
}

}  // namespace foldtune
