#include "templates/histogram/range.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "templates/histogram/layout.cuh"

namespace foldtune {
namespace {

__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

constexpr Wide kTwoTo64 = Wide{1} << 64;

/// Of the fixed-point numbers that places of integers are made of: so that a place below 2^20 and
/// its fraction have 96 bits.
constexpr unsigned kMostFractionBits = 75;

// --- bounds

SignedWide integer_of(const BinBound& bound) {
  const auto magnitude = static_cast<SignedWide>(bound.magnitude());
  return bound.is_negative() ? -magnitude : magnitude;
}

// What follows runs for every call, so it has a fast way for what 64 bits hold.

/// The bound, if it is a whole number of up to 2^64.
std::optional<SignedWide> whole(const BinBound& bound) {
  if (bound.is_integer()) return integer_of(bound);
  const double value = bound.nearest();
  if (std::fabs(value) < 0x1p63) {
    const auto integer = static_cast<std::int64_t>(value);
    if (static_cast<double>(integer) != value) return std::nullopt;
    return integer;
  }
  if (!(std::fabs(value) <= 0x1p64)) return std::nullopt;
  return static_cast<SignedWide>(value);
}

/// Numbers of f64 that are inside.
struct RealBounds {
  double lower;
  double upper;
};

RealBounds real_bounds(const BinBounds& bounds) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  RealBounds real{bounds.lower.nearest(), bounds.upper.nearest()};
  if (bounds.lower.is_integer() && static_cast<SignedWide>(real.lower) < integer_of(bounds.lower)) {
    real.lower = std::nextafter(real.lower, kInfinity);
  }
  if (bounds.upper.is_integer() && static_cast<SignedWide>(real.upper) > integer_of(bounds.upper)) {
    real.upper = std::nextafter(real.upper, -kInfinity);
  }
  return real;
}

/// The bound's neighbours among integers. What is beyond all types may be anything that is, too.
SignedWide floor_of(const BinBound& bound) {
  if (const std::optional<SignedWide> integer = whole(bound)) return *integer;
  return static_cast<SignedWide>(std::floor(std::clamp(bound.nearest(), -0x1p100, 0x1p100)));
}
SignedWide ceil_of(const BinBound& bound) {
  if (const std::optional<SignedWide> integer = whole(bound)) return *integer;
  return static_cast<SignedWide>(std::ceil(std::clamp(bound.nearest(), -0x1p100, 0x1p100)));
}

bool is_below(const BinBounds& bounds) {
  if (!bounds.lower.is_integer() && !bounds.upper.is_integer()) {
    return bounds.lower.nearest() < bounds.upper.nearest();
  }
  const std::optional<SignedWide> lower = whole(bounds.lower);
  const std::optional<SignedWide> upper = whole(bounds.upper);
  // One that is no whole number is told from any integer by the integer's nearest double.
  return lower && upper ? *lower < *upper : bounds.lower.nearest() < bounds.upper.nearest();
}

// --- integers

struct IntegerExtent {
  SignedWide lowest;
  SignedWide highest;
};

IntegerExtent extent_of(ElementType type) {
  const auto bits = static_cast<unsigned>(8 * size_of(type));
  const SignedWide lowest = is_signed(type) ? -(SignedWide{1} << (bits - 1)) : 0;
  return {lowest, lowest + (SignedWide{1} << bits) - 1};
}

/// The range of integers with exact edges.
struct WholeRange {
  SignedWide lower;
  Wide width;
};

std::optional<WholeRange> find_whole_range(const HistogramWorkload& histogram,
                                           const BinBounds& bounds) {
  if (is_floating(histogram.type)) return std::nullopt;
  const std::optional<SignedWide> lower = whole(bounds.lower);
  const std::optional<SignedWide> upper = whole(bounds.upper);
  if (!lower || !upper) return std::nullopt;
  const auto width = static_cast<Wide>(*upper - *lower);
  // So that every element's distance from the lower bound has 64 bits.
  const bool has_upper = *upper <= extent_of(histogram.type).highest;
  if (width > kTwoTo64 || (width == kTwoTo64 && has_upper)) return std::nullopt;
  return WholeRange{*lower, width};
}

unsigned bit_width(Wide value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return static_cast<unsigned>(high != 0 ? 64 + std::bit_width(high)
                                         : std::bit_width(static_cast<std::uint64_t>(value)));
}

Wide divide(Wide a, Wide b, bool rounds_up) {
  if (rounds_up) a += b - 1;
  const auto low = static_cast<std::uint64_t>(b);
  if (b >= kTwoTo64) return a / b;
  if (std::has_single_bit(low)) return a >> std::countr_zero(low);
  return a < kTwoTo64 ? static_cast<std::uint64_t>(a) / low : a / b;
}

/// a / b in multiples of 2^-bits; b is 2^64 at most.
Wide divide_to(unsigned bits, Wide a, Wide b, bool rounds_up) {
  if (a == 0) return 0;
  Wide quotient = a / b;
  Wide rest = a % b;
  while (bits > 0) {
    const unsigned some = std::min(bits, 63u);
    quotient = (quotient << some) + (rest << some) / b;
    rest = (rest << some) % b;
    bits -= some;
  }
  return quotient + (rounds_up && rest != 0 ? 1 : 0);
}

/// Sets what makes the place (2^units * x + start) * bins / width of element number x inside.
/// Returns whether it is exact.
///
/// An exact place is rounded up by less than (x + 1) * 2^-bits, and the fraction of a place in the
/// bin below an edge lacks 1 / width or more of it: it stays there if the former is not more.
/// Others are rounded down.
bool set_place(IntegerRange& range, unsigned units, Wide start, Wide bins, Wide width) {
  const Wide numerator = bins << (units + range.narrowing);
  const Wide most = range.last >> range.narrowing;
  // With so many the multiplier has 64 bits, unless it is rounded up to 2^64.
  unsigned bits = std::min(kMostFractionBits, 63 + bit_width(width) - bit_width(numerator)) + 1;
  bool is_exact = false;
  Wide multiplier = kTwoTo64;
  while (multiplier >= kTwoTo64) {
    --bits;
    is_exact = range.narrowing == 0 && (most + 1) * width <= Wide{1} << bits;
    multiplier = divide(numerator << bits, width, is_exact);
  }
  const Wide offset = divide_to(bits, start * bins, width, is_exact);
  range.shift = bits - 32;
  range.multiplier = static_cast<std::uint64_t>(multiplier);
  range.offset_low = static_cast<std::uint32_t>(offset);
  range.offset_high = static_cast<std::uint64_t>(offset >> 32);
  if (!is_exact) {
    // For the multiplier's rounding, the offset's, and the bits of x that are left out.
    const Wide lost = most + 1 + (range.narrowing > 0 ? multiplier + 1 : 0);
    range.doubt = static_cast<std::uint64_t>(lost >> 32) + 2;
  }
  return is_exact;
}

/// All bins are in doubt.
void doubt_all(IntegerRange& range) {
  range.shift = 32;
  range.doubt = ~0ull;
}

/// The same between edges of f64, never exact.
void set_place(IntegerRange& range, double first, const RealBounds& bounds, double step,
               double bins) {
  // More than the roundings of edges, of the first element and of what follows come to, in bins.
  const double magnitude = std::max(std::fabs(bounds.lower), std::fabs(bounds.upper));
  const double error = bins * 0x1p-48 + magnitude / step * 0x1p-50;
  const double bins_per_unit = std::ldexp(1 / step, static_cast<int>(range.narrowing));
  if (!(error < 1.0 / 16) || !(bins_per_unit < 0x1p30)) return doubt_all(range);
  int bits = static_cast<int>(kMostFractionBits);
  if (bins_per_unit > 0x1p-13) bits = std::min(bits, 62 - std::ilogb(bins_per_unit));
  // Places of 1 and more are less by the error, at least, by either; others are no edge's.
  const double multiplier = bins_per_unit * (1 - 2 * error);
  const double offset = std::max(0.0, (first - bounds.lower) / step - error);
  range.shift = static_cast<unsigned>(bits - 32);
  range.multiplier = static_cast<std::uint64_t>(std::ldexp(multiplier, bits));
  range.offset_high = static_cast<std::uint64_t>(std::ldexp(offset, bits - 32));
  range.doubt = static_cast<std::uint64_t>(
                    std::ldexp(error * (2 * bins + 2), static_cast<int>(range.shift))) +
                4;
  if (range.narrowing > 0) range.doubt += (range.multiplier >> 32) + 1;
}

// --- edges of f64

double step_of(const RealBounds& bounds, std::uint32_t bins) {
  return (bounds.upper - bounds.lower) / bins;
}

double edge_of(const RealBounds& bounds, double step, std::uint32_t i) {
  const double distance = i * step;
  return distance + bounds.lower;
}

/// Whether the edges ascend, none equal to the next, and the bins have the same width but for the
/// edges' rounding.
bool are_apart(const RealBounds& bounds, double step, std::uint32_t bins) {
  // A step of a few denormal numbers is rounded by so much that the last bin is none, or many.
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  if (!(step >= bins * kLeast)) return false;
  // What rounds edges comes to less than eight distances of numbers at the larger bound, and half a
  // step of denormal numbers. Only narrower bins, which are rare, are looked at one by one.
  const double magnitude = std::max(std::fabs(bounds.lower), std::fabs(bounds.upper));
  if (step >= magnitude * 0x1p-48) return true;
  double last = bounds.lower;
  for (std::uint32_t i = 1; i <= bins; ++i) {
    const double edge = i == bins ? bounds.upper : edge_of(bounds, step, i);
    if (!(last < edge)) return false;
    last = edge;
  }
  return true;
}

bool is_power_of_two(double value) {
  constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;
  return value >= std::numeric_limits<double>::min() &&
         (std::bit_cast<std::uint64_t>(value) & kFraction) == 0;
}

/// Of a unit that is a power of two, and of less than 2^62 units.
bool is_multiple(double value, double unit) {
  const double units = value / unit;
  return static_cast<double>(static_cast<std::int64_t>(units)) == units;
}

/// Whether every edge is a multiple of `unit`, a power of two, that f64 holds, and none is rounded.
bool have_unit(const RealBounds& bounds, double step, std::uint32_t bins, double unit) {
  const double magnitude = std::max(std::fabs(bounds.lower), std::fabs(bounds.upper));
  // The width has 2^53 units at most, and then so have all that are added here.
  return magnitude / unit <= 0x1p52 && is_multiple(step, unit) && is_multiple(bounds.lower, unit) &&
         step * bins + bounds.lower == bounds.upper;
}

/// The bits of a bin's number and of the fraction after it that a place of type Real has.
template <class Real>
constexpr int kPlaceBits = std::numeric_limits<Real>::digits == 24 ? 23 : 30;

template <class Real>
bool is_normal(double value) {
  return value >= static_cast<double>(std::numeric_limits<Real>::min()) &&
         value <= static_cast<double>(std::numeric_limits<Real>::max());
}

/// The least number of type Real that is not below `bound`, and the greatest not above it.
template <class Real>
Real at_or_above(double bound) {
  const auto near = static_cast<Real>(bound);
  return static_cast<double>(near) < bound
             ? std::nextafter(near, std::numeric_limits<Real>::infinity())
             : near;
}
template <class Real>
Real at_or_below(double bound) {
  const auto near = static_cast<Real>(bound);
  return static_cast<double>(near) > bound
             ? std::nextafter(near, -std::numeric_limits<Real>::infinity())
             : near;
}

template <class Real>
RealRange<Real> inner_range(const RealBounds& bounds) {
  return {.lower = at_or_above<Real>(bounds.lower), .upper = at_or_below<Real>(bounds.upper)};
}

/// Whether the difference of an element and the lower bound, rounded down, times 1 / step has the
/// whole part of the element's place. It has if the step is a power of two, which makes the product
/// exact, and no edge is rounded: their differences from the lower bound are numbers of type Real,
/// and what lies below such a number is not above it when it is rounded down.
template <class Real>
bool is_exact(const RealRange<Real>& range, const RealBounds& bounds, double step,
              std::uint32_t bins) {
  return is_power_of_two(step) && is_normal<Real>(1 / step) && is_normal<Real>(step) &&
         static_cast<double>(range.lower) == bounds.lower &&
         std::isfinite(range.upper - range.lower) &&
         (have_unit(bounds, step, bins, step) || have_unit(bounds, step, bins, step * 0x1p-24));
}

template <class Real>
void set_place(RealRange<Real>& range, const RealBounds& bounds, double step, std::uint32_t bins,
               bool is_exact) {
  const int bin_bits = std::bit_width(bins - 1);
  range.shift = static_cast<unsigned>(kPlaceBits<Real> - bin_bits);
  const double units = static_cast<double>(std::uint32_t{1} << range.shift);  // of a bin
  const double most = bins * units;
  const double scale = units / step;
  // In units of a place. The difference's rounding, the scale's, the offset's and the place's come
  // to 5 halves of the last of 24 bits, and of 53 to less than 2^-20. An edge's are those of f64.
  const double magnitude = std::max(std::fabs(bounds.lower), std::fabs(bounds.upper));
  const double edge_error = (magnitude + (bounds.upper - bounds.lower)) * scale * 0x1p-53;
  const double error = edge_error + (std::numeric_limits<Real>::digits == 24 ? 2.6 : 0x1p-20);
  const bool is_finite = std::isfinite(range.upper - range.lower);
  if (!is_finite || !is_normal<Real>(scale) || !(error < most)) {  // all bins are in doubt
    range.doubt = static_cast<unsigned>(most);
    return;
  }
  range.scale = static_cast<Real>(scale);
  if (is_exact) return;
  range.offset =
      static_cast<Real>((static_cast<double>(range.lower) - bounds.lower) * scale - error);
  range.doubt = static_cast<unsigned>(std::ceil(1.01 + 2 * error));
}

// --- both

std::optional<BinRange> make_integer_range(const HistogramWorkload& histogram,
                                           const BinBounds& bounds) {
  const IntegerExtent extent = extent_of(histogram.type);
  const SignedWide first = std::max(extent.lowest, ceil_of(bounds.lower));
  const SignedWide last = std::min(extent.highest, floor_of(bounds.upper));
  if (first > last) return std::nullopt;

  const std::uint32_t bins = histogram.bins;
  std::optional<BinRange> range(std::in_place);  // not copied
  IntegerRange& integers = range->integers;
  integers.first = static_cast<std::uint64_t>(first);
  integers.last = static_cast<std::uint64_t>(last - first);
  const auto last_bits = static_cast<unsigned>(std::bit_width(integers.last));
  integers.narrowing = last_bits > 32 ? last_bits - 32 : 0;
  if (const std::optional<WholeRange> exact = find_whole_range(histogram, bounds)) {
    const auto start = static_cast<Wide>(first - exact->lower);
    const Wide quotient = divide(exact->width, bins, /*rounds_up=*/false);
    range->even = {.are_exact = true,
                   .start = static_cast<std::uint64_t>(start),
                   .quotient = static_cast<std::uint64_t>(quotient),
                   .remainder = static_cast<std::uint64_t>(exact->width - quotient * bins)};
    range->is_exact = set_place(integers, 0, start, bins, exact->width);
    return range;
  }
  const RealBounds real = real_bounds(bounds);
  const double step = step_of(real, bins);
  range->even.lower = real.lower;
  range->even.step = step;
  // Bounds of few digits, as -0.5 and 9.5: 2^-10 has few, and an edge has bits enough.
  constexpr unsigned kUnits = 10;
  constexpr double kUnit = 0x1p-10;
  const double magnitude = std::max(std::fabs(real.lower), std::fabs(real.upper));
  if (integers.narrowing == 0 && magnitude <= 0x1p32 && is_multiple(real.lower, kUnit) &&
      is_multiple(real.upper, kUnit) && have_unit(real, step, bins, 0x1p-20)) {
    const auto lower = static_cast<SignedWide>(real.lower / kUnit);
    const auto upper = static_cast<SignedWide>(real.upper / kUnit);
    range->is_exact = set_place(integers, kUnits, static_cast<Wide>((first << kUnits) - lower),
                                bins, static_cast<Wide>(upper - lower));
  } else {
    set_place(integers, static_cast<double>(first), real, step, bins);
  }
  return range;
}

template <class Real>
std::optional<BinRange> make_real_range(const HistogramWorkload& histogram, const BinBounds& bounds,
                                        RealRange<Real> BinRange::*member) {
  const std::uint32_t bins = histogram.bins;
  const RealBounds real = real_bounds(bounds);
  std::optional<BinRange> range(std::in_place);  // not copied
  RealRange<Real>& inner = (*range).*member;
  inner = inner_range<Real>(real);
  if (!(inner.lower <= inner.upper)) return std::nullopt;
  const double step = step_of(real, bins);
  range->even.lower = real.lower;
  range->even.step = step;
  const bool exact = is_exact(inner, real, step, bins);
  range->is_exact = exact && sizeof(Real) == 4;
  if (range->is_exact) {
    inner.scale = static_cast<Real>(1 / step);
  } else {
    set_place(inner, real, step, bins, exact);
  }
  return range;
}

}  // namespace

std::string to_string(const BinBound& bound) {
  if (!bound.is_integer()) return fmt::to_string(bound.nearest());
  return fmt::format("{}{}", bound.is_negative() ? "-" : "", bound.magnitude());
}

std::string find_range_fault(const HistogramWorkload& histogram, const BinBounds& bounds) {
  const auto text = [&] {
    return fmt::format("from {} to {}", to_string(bounds.lower), to_string(bounds.upper));
  };
  if (!std::isfinite(bounds.lower.nearest()) || !std::isfinite(bounds.upper.nearest())) {
    return fmt::format("the bounds {} and {} are not both finite", to_string(bounds.lower),
                       to_string(bounds.upper));
  }
  if (!is_below(bounds)) {
    return fmt::format("the lower bound {} is not below the upper bound {}",
                       to_string(bounds.lower), to_string(bounds.upper));
  }
  if (find_whole_range(histogram, bounds)) return {};
  const RealBounds real = real_bounds(bounds);
  if (!std::isfinite(real.upper - real.lower)) {
    return fmt::format("the range {} is wider than f64 can hold", text());
  }
  const std::uint32_t bins = histogram.bins;
  const double step = step_of(real, bins);
  if (!are_apart(real, step, bins)) {
    return fmt::format(
        "the range {} is too narrow for {} bins: f64 has too few numbers there for bins of the "
        "same "
        "width; use a wider range or fewer bins",
        text(), bins);
  }
  return {};
}

std::optional<BinRange> make_bin_range(const HistogramWorkload& histogram,
                                       const BinBounds& bounds) {
  if (!is_floating(histogram.type)) return make_integer_range(histogram, bounds);
  return size_of(histogram.type) <= 4 && histogram.bins <= kMaxBinsInFloat
             ? make_real_range(histogram, bounds, &BinRange::floats)
             : make_real_range(histogram, bounds, &BinRange::doubles);
}

std::string describe_edge(const HistogramWorkload& histogram, const BinBounds& bounds,
                          std::uint32_t i) {
  const std::uint32_t bins = histogram.bins;
  if (i == bins) {
    return bounds.upper.is_integer() ? to_string(bounds.upper)
                                     : fmt::format("{:.7g}", bounds.upper.nearest());
  }
  if (const std::optional<WholeRange> exact = find_whole_range(histogram, bounds)) {
    const Wide distance = divide(exact->width * i, bins, /*rounds_up=*/true);
    const SignedWide edge = exact->lower + static_cast<SignedWide>(distance);
    const auto magnitude = static_cast<std::uint64_t>(edge < 0 ? -edge : edge);
    return fmt::format("{}{}", edge < 0 ? "-" : "", magnitude);
  }
  const RealBounds real = real_bounds(bounds);
  return fmt::format("{:.7g}", edge_of(real, step_of(real, bins), i));
}

}  // namespace foldtune
