#include "templates/histogram/range.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "templates/histogram/layout.cuh"

namespace foldtune {
namespace {

__extension__ using Wide = unsigned __int128;

/// Bounds of integers are multiples of 1/1024. A finer unit would need a wider multiplier.
constexpr std::int64_t kUnits = 1024;
constexpr double kMaxIntegerBound = 0x1p32;

enum class Arithmetic { integer, f32, f64 };

Arithmetic arithmetic_of(const Problem& problem) {
  if (size_of(problem.type) > 4) return Arithmetic::f64;
  if (!is_floating(problem.type)) return Arithmetic::integer;
  return problem.histogram.bins <= kMaxBinsInFloat ? Arithmetic::f32 : Arithmetic::f64;
}

std::int64_t to_units(double bound) { return std::llround(bound * kUnits); }

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return (a >= 0 ? a : a - b + 1) / b; }

template <class Real>
RealRange<Real> make_real_range(std::uint32_t bins, double lower, double upper) {
  RealRange<Real> range{static_cast<Real>(lower), static_cast<Real>(upper), 0};
  const double width = static_cast<double>(range.upper) - static_cast<double>(range.lower);
  range.scale = static_cast<Real>(bins / width);
  if (std::fma(static_cast<double>(range.scale), width, -static_cast<double>(bins)) < 0) {
    range.scale = std::nextafter(range.scale, std::numeric_limits<Real>::infinity());
  }
  return range;
}

template <class Real>
std::string find_real_fault(std::uint32_t bins, double lower, double upper) {
  const auto low = static_cast<Real>(lower);
  const auto high = static_cast<Real>(upper);
  const char* const type = sizeof(Real) == 4 ? "f32" : "f64";
  if (!std::isfinite(high - low)) {
    return fmt::format("the range from {} to {} is wider than {} can hold", lower, upper, type);
  }
  if (!(low < high) || !std::isfinite(make_real_range<Real>(bins, lower, upper).scale)) {
    return fmt::format("the range from {} to {} is too narrow for {} bins in {}", lower, upper,
                       bins, type);
  }
  return {};
}

Wide divide_up(Wide a, Wide b) { return (a + b - 1) / b; }

std::optional<IntegerRange> make_integer_range(const Problem& problem, double lower, double upper) {
  const std::int64_t bits = 8 * static_cast<std::int64_t>(size_of(problem.type));
  const bool has_sign = is_signed(problem.type);
  const std::int64_t lowest = has_sign ? -(std::int64_t{1} << (bits - 1)) : 0;
  const std::int64_t highest = lowest + (std::int64_t{1} << bits) - 1;
  const std::int64_t low = to_units(lower);
  const std::int64_t high = to_units(upper);
  const std::int64_t first = std::max(lowest, -floor_divide(-low, kUnits));
  const std::int64_t last = std::min(highest, floor_divide(high, kUnits));
  if (first > last) return std::nullopt;

  // The bin of element first + t is floor(slope * t + start) with slope = kUnits * bins / width and
  // start = (kUnits * first - low) * bins / width, of which the fraction below an edge is 1 / width
  // or more. Both rounded up to multiples of 2^-scale they give the same bin while
  // (t + 1) * 2^-scale < 1 / width. The width is 2^43 at most and t + 1 is 2^32, so a scale of 75
  // is enough; with less, the multiplier would have 64 bits, which is enough as well.
  const auto width = static_cast<Wide>(high - low);
  const Wide bins = problem.histogram.bins;
  unsigned scale = 75;
  constexpr Wide kMost = std::numeric_limits<std::uint64_t>::max();
  while (divide_up((bins * kUnits) << scale, width) > kMost) --scale;
  const Wide start = static_cast<Wide>(first * kUnits - low) * bins;
  const Wide offset = ((start / width) << scale) + divide_up((start % width) << scale, width);
  return IntegerRange{
      .first = static_cast<std::uint32_t>(first),
      .last = static_cast<std::uint32_t>(last - first),
      .shift = scale - 32,
      .offset_low = static_cast<std::uint32_t>(offset),
      .offset_high = static_cast<std::uint64_t>(offset >> 32),
      .multiplier = static_cast<std::uint64_t>(divide_up((bins * kUnits) << scale, width))};
}

}  // namespace

std::string find_range_fault(const Problem& problem, double lower, double upper) {
  if (!std::isfinite(lower) || !std::isfinite(upper)) {
    return fmt::format("the bounds {} and {} are not both finite", lower, upper);
  }
  if (!(lower < upper)) {
    return fmt::format("the lower bound {} is not below the upper bound {}", lower, upper);
  }
  const std::uint32_t bins = problem.histogram.bins;
  switch (arithmetic_of(problem)) {
    case Arithmetic::f32:
      return find_real_fault<float>(bins, lower, upper);
    case Arithmetic::f64:
      return find_real_fault<double>(bins, lower, upper);
    case Arithmetic::integer:
      break;
  }
  if (lower < -kMaxIntegerBound || upper > kMaxIntegerBound) {
    return fmt::format("the range from {} to {} of {} elements reaches beyond 2^32", lower, upper,
                       name(problem.type));
  }
  if (to_units(lower) == to_units(upper)) {
    return fmt::format(
        "the range from {} to {} is narrower than 1/{}, to which the bounds of "
        "integers are rounded",
        lower, upper, kUnits);
  }
  return {};
}

std::optional<BinRange> make_bin_range(const Problem& problem, double lower, double upper) {
  const std::uint32_t bins = problem.histogram.bins;
  BinRange range;
  switch (arithmetic_of(problem)) {
    case Arithmetic::f32:
      range.floats = make_real_range<float>(bins, lower, upper);
      return range;
    case Arithmetic::f64:
      range.doubles = make_real_range<double>(bins, lower, upper);
      return range;
    case Arithmetic::integer:
      break;
  }
  const std::optional<IntegerRange> integers = make_integer_range(problem, lower, upper);
  if (!integers) return std::nullopt;
  range.integers = *integers;
  return range;
}

}  // namespace foldtune
