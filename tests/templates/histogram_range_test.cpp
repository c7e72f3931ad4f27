// The device code that finds bins, compiled for the host, with the ranges that the host prepares.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <type_traits>

#include "templates/histogram/bins.cuh"
#include "templates/histogram/range.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

__extension__ using Wide = __int128;

HistogramWorkload make_histogram(ElementType type, std::uint32_t bins) {
  return {.type = type, .bins = bins};
}

/// The bin that a kernel finds.
template <class T, std::uint32_t kBins>
std::uint32_t find(const std::optional<BinRange>& range, Held<T> x) {
  if (!range) return kBins;
  if constexpr (kHasExactForm<T, BinRule::even, kBins>) {
    if (range->is_exact) {
      return BinFinder<T, BinRule::even, kBins, true>{*range, nullptr}.find(x);
    }
  }
  return BinFinder<T, BinRule::even, kBins>{*range, nullptr}.find(x);
}
template <class T, std::uint32_t kBins>
std::uint32_t find(ElementType type, const BinBounds& bounds, Held<T> x) {
  REQUIRE(find_range_fault(make_histogram(type, kBins), bounds).empty());
  return find<T, kBins>(make_bin_range(make_histogram(type, kBins), bounds), x);
}

/// The last bin that begins at or below an element inside, given whether bin i, but the first,
/// does.
template <class Begins>
std::uint32_t last_bin(std::uint32_t bins, const Begins& begins) {
  std::uint32_t first = 0;
  for (std::uint32_t last = bins - 1; first < last;) {
    const std::uint32_t middle = first + (last - first + 1) / 2;
    if (begins(middle)) first = middle;
    if (!begins(middle)) last = middle - 1;
  }
  return first;
}

/// Edge `i` as NumPy's linspace has it.
double linspace(std::uint32_t bins, double lower, double upper, std::uint32_t i) {
  const double step = (upper - lower) / bins;
  const double distance = i * step;
  return distance + lower;
}

/// The bin between edges of f64.
template <class Number>
std::uint32_t bin_in_f64(std::uint32_t bins, double lower, double upper, Number x) {
  const auto exact = static_cast<long double>(x);  // has the 64 bits of every type
  if (!(exact >= lower && exact <= upper)) return bins;
  return last_bin(bins, [&](std::uint32_t i) { return linspace(bins, lower, upper, i) <= exact; });
}

/// The bin between exact edges.
std::uint32_t exact_bin(std::uint32_t bins, Wide lower, Wide upper, Wide x) {
  if (x < lower || x > upper) return bins;
  const Wide bin = (x - lower) * bins / (upper - lower);
  return bin < bins ? static_cast<std::uint32_t>(bin) : bins - 1;
}

template <class T>
T neighbour(T x, int step) {
  if constexpr (!kIsFloating<Held<T>>) {
    const std::uint64_t next = static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(step);
    return static_cast<T>(next);
  } else if constexpr (sizeof(T) == 2) {
    return T{static_cast<uint16>(x.bits + step)};
  } else {
    return std::nextafter(x, static_cast<T>(step) * std::numeric_limits<T>::infinity());
  }
}

/// The element nearest to a number.
template <class T>
T nearest(long double value) {
  if constexpr (kIsFloating<Held<T>>) {
    return store_number<T>(static_cast<Held<T>>(value));
  } else {
    const auto lowest = static_cast<long double>(lowest_element<T>());
    const auto highest = static_cast<long double>(highest_element<T>());
    return static_cast<T>(static_cast<Held<T>>(std::clamp(std::floor(value), lowest, highest)));
  }
}

/// Elements on edges of a range and beside them.
template <class T, class Edge, class Check>
void check_beside_edges(std::uint32_t bins, std::mt19937_64& random, const Edge& edge,
                        const Check& check) {
  for (int k = 0; k < 24; ++k) {
    const std::uint32_t i = k < 2 ? k * bins : static_cast<std::uint32_t>(random() % (bins + 1));
    const T on = nearest<T>(edge(i));
    for (const int step : {-1, 0, 1}) check(load_number(neighbour(on, step)));
  }
  if constexpr (kIsFloating<Held<T>>) {
    for (const double special : {0.0, -0.0, double(INFINITY), -double(INFINITY), double(NAN)}) {
      check(static_cast<Held<T>>(special));
    }
  } else {
    check(lowest_element<T>());
    check(highest_element<T>());
  }
}

/// A number within the type, of any magnitude, with `digits` digits after the point or all it has.
template <class T>
double random_bound(std::mt19937_64& random) {
  double scale = 3;
  if constexpr (kIsFloating<Held<T>>) {
    const int most = kIsSame<T, float16> ? 14 : sizeof(T) == 8 ? 1000 : 120;
    scale = std::ldexp(1.0, static_cast<int>(random() % (std::uint64_t{2} * most)) - most);
    if (random() % 2 == 0) scale = std::ldexp(1.0, static_cast<int>(random() % 14));
  } else {
    scale = std::ldexp(1.0, static_cast<int>(random() % (8 * sizeof(T))));
  }
  const double unit = std::ldexp(static_cast<double>(random() >> 11), -53);
  const double value = (2 * unit - 1) * scale;
  switch (random() % 5) {
    case 0:
      return std::round(value);
    case 1:
      return std::round(value * 100) / 100;
    case 2:
      return std::round(value * 16) / 16;
    default:
      return value;
  }
}

/// Ranges that are wide, and narrow, and far from zero, with bounds of f64.
template <class T, std::uint32_t kBins>
void check_in_f64(ElementType type) {
  std::mt19937_64 random(kBins);
  int wrong = 0;
  std::string first_wrong;
  for (int round = 0; round < 400; ++round) {
    double lower = random_bound<T>(random);
    double upper = random_bound<T>(random);
    if (round % 4 == 0) upper = lower + std::fabs(lower) * std::ldexp(1.0, -int(random() % 45));
    if (round % 10 == 1) lower = 0;
    if (lower > upper) std::swap(lower, upper);
    const HistogramWorkload histogram = make_histogram(type, kBins);
    const bool are_whole = std::floor(lower) == lower && std::floor(upper) == upper;
    if (!kIsFloating<Held<T>> && are_whole) continue;
    if (!find_range_fault(histogram, {lower, upper}).empty()) continue;
    const std::optional<BinRange> range = make_bin_range(histogram, {lower, upper});
    const auto edge = [&](std::uint32_t i) {
      return static_cast<long double>(i == kBins ? upper : linspace(kBins, lower, upper, i));
    };
    check_beside_edges<T>(kBins, random, edge, [&](Held<T> x) {
      const std::uint32_t expected = bin_in_f64(kBins, lower, upper, x);
      const std::uint32_t found = find<T, kBins>(range, x);
      if (found == expected || wrong++ > 0) return;
      first_wrong = fmt::format("{} in {} bins from {} to {}: {}, not {}", x, kBins, lower, upper,
                                found, expected);
    });
  }
  CAPTURE(name(type), first_wrong);
  CHECK(wrong == 0);
}

template <class T>
void check_type_in_f64(ElementType type) {
  check_in_f64<T, 2>(type);
  check_in_f64<T, 3>(type);
  check_in_f64<T, 10>(type);
  check_in_f64<T, 100>(type);
  check_in_f64<T, 256>(type);
  check_in_f64<T, 4096>(type);
  check_in_f64<T, 5000>(type);
  check_in_f64<T, kMaxBins>(type);
}

TEST_CASE("Histogram range: floating-point numbers are in the bin between NumPy's edges") {
  check_type_in_f64<float16>(ElementType::f16);
  check_type_in_f64<bfloat16>(ElementType::bf16);
  check_type_in_f64<float>(ElementType::f32);
  check_type_in_f64<double>(ElementType::f64);
}

TEST_CASE("Histogram range: so are integers between bounds with a fraction") {
  check_type_in_f64<signed char>(ElementType::i8);
  check_type_in_f64<unsigned char>(ElementType::u8);
  check_type_in_f64<short>(ElementType::i16);
  check_type_in_f64<unsigned short>(ElementType::u16);
  check_type_in_f64<int32>(ElementType::i32);
  check_type_in_f64<uint32>(ElementType::u32);
  check_type_in_f64<int64>(ElementType::i64);
  check_type_in_f64<uint64>(ElementType::u64);
}

BinBound bound_of(Wide value) {
  return value < 0 ? BinBound(static_cast<std::int64_t>(value))
                   : BinBound(static_cast<std::uint64_t>(value));
}

/// A whole number within the type, or not far beyond, of any magnitude.
template <class T>
Wide random_whole(std::mt19937_64& random) {
  const unsigned bits = 8 * sizeof(T);
  const auto value = static_cast<Wide>(random() >> (random() % 64)) >> (64 - bits);
  if (T(-1) > T(0)) return value;
  return random() % 2 == 0 ? value / 2 : -1 - value / 2;
}

template <class T, std::uint32_t kBins>
void check_exact(ElementType type) {
  std::mt19937_64 random(kBins);
  int wrong = 0;
  std::string first_wrong;
  for (int round = 0; round < 400; ++round) {
    Wide lower = random_whole<T>(random);
    Wide upper = random_whole<T>(random);
    if (round == 0) lower = lowest_element<T>(), upper = highest_element<T>();
    if (round % 5 == 1) upper = lower + static_cast<Wide>(random() % (std::uint64_t{2} * kBins));
    if (round % 5 == 2) upper = lower + kBins;
    if (lower > upper) std::swap(lower, upper);
    if (lower == upper || upper >= (Wide{1} << 64)) continue;
    const BinBounds bounds{bound_of(lower), bound_of(upper)};
    const HistogramWorkload histogram = make_histogram(type, kBins);
    if (!find_range_fault(histogram, bounds).empty()) ++wrong;
    const std::optional<BinRange> range = make_bin_range(histogram, bounds);
    const auto edge = [&](std::uint32_t i) {
      const Wide distance = ((upper - lower) * i + kBins - 1) / kBins;
      return static_cast<long double>(lower + distance);
    };
    check_beside_edges<T>(kBins, random, edge, [&](Held<T> x) {
      const std::uint32_t expected = exact_bin(kBins, lower, upper, x);
      const std::uint32_t found = find<T, kBins>(range, x);
      if (found == expected || wrong++ > 0) return;
      first_wrong = fmt::format("{} in {} bins from {} to {}: {}, not {}", x, kBins,
                                to_string(bounds.lower), to_string(bounds.upper), found, expected);
    });
  }
  CAPTURE(name(type), first_wrong);
  CHECK(wrong == 0);
}

template <class T>
void check_type_exact(ElementType type) {
  check_exact<T, 2>(type);
  check_exact<T, 7>(type);
  check_exact<T, 256>(type);
  check_exact<T, 1000>(type);
  check_exact<T, 65536>(type);
  check_exact<T, 999'999>(type);
  check_exact<T, kMaxBins>(type);
}

TEST_CASE("Histogram range: integers between whole bounds are in their exact bin") {
  check_type_exact<signed char>(ElementType::i8);
  check_type_exact<unsigned char>(ElementType::u8);
  check_type_exact<short>(ElementType::i16);
  check_type_exact<unsigned short>(ElementType::u16);
  check_type_exact<int32>(ElementType::i32);
  check_type_exact<uint32>(ElementType::u32);
  check_type_exact<int64>(ElementType::i64);
  check_type_exact<uint64>(ElementType::u64);
}

template <std::uint32_t kBins>
void check_shorts() {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20; ++round) {
    const auto lower = static_cast<std::int64_t>(random() % 100'000) - 50'000;
    const std::int64_t upper = lower + 1 + static_cast<std::int64_t>(random() >> (46 + round % 17));
    const auto range = make_bin_range(make_histogram(ElementType::i16, kBins), {lower, upper});
    int wrong = 0;
    for (std::int64_t x = -32768; x < 32768; ++x) {
      const std::uint32_t found = find<short, kBins>(range, static_cast<int32>(x));
      wrong += found == exact_bin(kBins, lower, upper, x) ? 0 : 1;
    }
    CAPTURE(kBins, lower, upper);
    CHECK(wrong == 0);
  }
}

TEST_CASE("Histogram range: every short is in its exact bin") {
  check_shorts<7>();
  check_shorts<256>();
  check_shorts<65536>();
}

TEST_CASE("Histogram range: 64-bit bounds do not pass through double") {
  constexpr std::int64_t kFirst = std::int64_t{1} << 53;
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  for (std::uint32_t i = 0; i < 8; ++i) {
    const BinBounds bounds{kFirst + 1, kFirst + 9};
    CHECK(find<int64, 8>(ElementType::i64, bounds, kFirst + 1 + i) == i);
    CHECK(find<uint64, 8>(ElementType::u64, {kMost - 8, kMost}, kMost - 8 + i) == i);
  }
  CHECK(find<int64, 8>(ElementType::i64, {kFirst + 1, kFirst + 9}, kFirst) == 8);
  CHECK(find<int64, 8>(ElementType::i64, {kFirst + 1, kFirst + 9}, kFirst + 10) == 8);
  // Of floating-point numbers no element is outside such a bound either.
  const auto bin = [](double x) {
    return find<double, 2>(ElementType::f64, {kFirst + 1, kFirst + 7}, x);
  };
  CHECK(bin(0x1p53) == 2);
  CHECK(bin(0x1p53 + 2) == 0);
  CHECK(bin(0x1p53 + 4) == 1);
  CHECK(bin(0x1p53 + 6) == 1);
  CHECK(bin(0x1p53 + 8) == 2);
}

TEST_CASE(
    "Histogram range: a bound is what it is given as, not what the elements' type makes of it") {
  const auto integer = [](int32 x) {
    return find<int32, 4>(ElementType::i32, {0.0001, 3.9999}, x);
  };
  CHECK(integer(0) == 4);
  CHECK(integer(1) == 0);
  CHECK(integer(2) == 2);
  CHECK(integer(3) == 3);
  CHECK(integer(4) == 4);
  CHECK(find<float, 256>(ElementType::f32, {10007.123346875, 26200}, 10007.1231F) == 256);
  CHECK(find<float, 256>(ElementType::f32, {10007.123346875, 26200}, 10007.124F) == 0);
  CHECK(find<float, 4>(ElementType::f32, {-1, 0.1}, 0.1F) == 4);  // which is above 0.1
  CHECK(find<float, 4>(ElementType::f32, {0, 1e39}, 3e38F) == 1);
  CHECK(find<float, 256>(ElementType::f32, {-0x1p127, 0x1p127}, 0x1.8p126F) == 224);
  CHECK(find<unsigned char, 4>(ElementType::u8, {0, 1e10}, 255U) == 0);
}

TEST_CASE("Histogram range: ranges of denormal numbers have bins") {
  CHECK(find<double, 256>(ElementType::f64, {0, 1e-310}, 0.6e-310) == 153);
  CHECK(find<float, 256>(ElementType::f32, {0, 1e-44}, 5.6e-45F) == 143);
  CHECK(find<double, 4>(ElementType::f64, {0, 0x10p-1074}, 0xbp-1074) == 2);
  CHECK(find<double, 4>(ElementType::f64, {0, 0x10p-1074}, 0xcp-1074) == 3);
}

/// Bounds that are tiny, huge, far from zero, of either sign, and any number of numbers apart.
BinBounds random_narrow_bounds(std::mt19937_64& random) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  constexpr std::uint64_t kInfinity = std::uint64_t{0x7ff} << 52;
  const std::uint64_t magnitude = random() % 4 == 0 ? random() >> (12 + random() % 52)  // denormal
                                                    : random() % kInfinity;
  const std::uint64_t apart = random() >> (10 + random() % 54);
  const std::uint64_t above = std::min(magnitude + apart, kInfinity - 1);
  double lower = std::bit_cast<double>(magnitude);
  double upper = std::bit_cast<double>(above);
  if (random() % 3 == 0) lower = -lower;
  if (random() % 8 == 0) lower = 0;
  if (random() % 4 == 0) {
    lower = std::bit_cast<double>(above ^ kSign);
    upper = std::bit_cast<double>(magnitude ^ kSign);
  }
  return {lower, upper};
}

/// Of every range it is said whether the edges ascend, and elements are in the bins between them.
template <class T, std::uint32_t kBins>
void check_narrow(ElementType type) {
  std::mt19937_64 random(kBins);
  const HistogramWorkload histogram = make_histogram(type, kBins);
  int accepted = 0;
  int refused = 0;
  int wrong = 0;
  std::string first_wrong;
  for (int round = 0; round < 4000; ++round) {
    const BinBounds bounds = random_narrow_bounds(random);
    const double lower = bounds.lower.nearest();
    const double upper = bounds.upper.nearest();
    if (!(lower < upper) || !std::isfinite(upper - lower)) continue;
    bool does_ascend = (upper - lower) / kBins >= kBins * 0x1p-1074;
    for (std::uint32_t i = 1; i <= kBins && does_ascend; ++i) {
      const double edge = i == kBins ? upper : linspace(kBins, lower, upper, i);
      does_ascend = linspace(kBins, lower, upper, i - 1) < edge;
    }
    const std::string fault = find_range_fault(histogram, bounds);
    if (fault.empty() != does_ascend && wrong++ == 0) {
      first_wrong = fmt::format("{} bins from {} to {}: '{}'", kBins, lower, upper, fault);
    }
    ++(fault.empty() ? accepted : refused);
    if (!fault.empty()) continue;
    const std::optional<BinRange> range = make_bin_range(histogram, bounds);
    constexpr double kMost = std::numeric_limits<Held<T>>::max();
    const auto edge = [&](std::uint32_t i) -> long double {
      const double right = i == kBins ? upper : linspace(kBins, lower, upper, i);
      return std::clamp(right, -kMost, kMost);
    };
    check_beside_edges<T>(kBins, random, edge, [&](Held<T> x) {
      const std::uint32_t expected = bin_in_f64(kBins, lower, upper, x);
      const std::uint32_t found = find<T, kBins>(range, x);
      if (found == expected || wrong++ > 0) return;
      first_wrong = fmt::format("{} in {} bins from {} to {}: {}, not {}", x, kBins, lower, upper,
                                found, expected);
    });
  }
  CAPTURE(name(type), first_wrong);
  CHECK(wrong == 0);
  CHECK(accepted > 100);
  CHECK(refused > 20);
}

TEST_CASE("Histogram range: a range is taken if its edges ascend, and its bins are between them") {
  check_narrow<double, 2>(ElementType::f64);
  check_narrow<double, 7>(ElementType::f64);
  check_narrow<double, 256>(ElementType::f64);
  check_narrow<double, 4100>(ElementType::f64);
  check_narrow<float, 7>(ElementType::f32);
  check_narrow<float, 256>(ElementType::f32);
  check_narrow<bfloat16, 7>(ElementType::bf16);
}

TEST_CASE("Histogram range: common ranges need no search among edges") {
  const auto is_exact = [](ElementType type, const BinBounds& bounds, std::uint32_t bins) {
    return make_bin_range(make_histogram(type, bins), bounds)->is_exact;
  };
  for (const ElementType type : {ElementType::f16, ElementType::bf16, ElementType::f32}) {
    CHECK(is_exact(type, {0, 1}, 256));
    CHECK(is_exact(type, {-1, 1}, 256));
    CHECK(is_exact(type, {0, 100}, 100));
    CHECK(is_exact(type, {-0.5, 99.5}, 100));
    CHECK_FALSE(is_exact(type, {0, 1}, 100));
  }
  for (const ElementType type : {ElementType::i16, ElementType::u16, ElementType::i32}) {
    CHECK(is_exact(type, {0, 1000}, 7));
    CHECK(is_exact(type, {-0.5, 99.5}, 10));
    CHECK(is_exact(type, {-0x1p32, 0x1p32}, kMaxBins));
    CHECK_FALSE(is_exact(type, {0.1, 10.1}, 10));
  }
}

TEST_CASE("Histogram range: no element may be inside") {
  CHECK_FALSE(make_bin_range(make_histogram(ElementType::i32, 4), {0.25, 0.75}));
  CHECK_FALSE(make_bin_range(make_histogram(ElementType::u8, 4), {256, 300}));
  CHECK(make_bin_range(make_histogram(ElementType::u8, 4), {255, 300}));
  CHECK(make_bin_range(make_histogram(ElementType::f32, 4), {0.25, 0.75}));
  CHECK_FALSE(make_bin_range(make_histogram(ElementType::f32, 4), {1 + 1e-10, 1 + 1e-9}));
}

TEST_CASE("Histogram range: both bounds are inside, what is beyond and NaN are not") {
  constexpr std::uint32_t kNone = 10;
  const auto bin = [](float x) { return find<float, 10>(ElementType::f32, {-1, 3}, x); };
  CHECK(bin(-1) == 0);
  CHECK(bin(3) == 9);
  CHECK(bin(std::nextafter(-1.0f, -2.0f)) == kNone);
  CHECK(bin(std::nextafter(3.0f, 4.0f)) == kNone);
  CHECK(bin(std::numeric_limits<float>::quiet_NaN()) == kNone);
  CHECK(bin(std::numeric_limits<float>::infinity()) == kNone);
  CHECK(bin(-std::numeric_limits<float>::infinity()) == kNone);
}

TEST_CASE("Histogram range: a bound is of a type that it holds exactly") {
  CHECK(std::is_convertible_v<std::uint64_t, BinBound>);
  CHECK(std::is_convertible_v<float, BinBound>);
  CHECK_FALSE(std::is_convertible_v<long double, BinBound>);
}

TEST_CASE("Histogram range: what bins cannot be made of is a fault") {
  const auto fault = [](ElementType type, const BinBounds& bounds, std::uint32_t bins = 256) {
    return find_range_fault(make_histogram(type, bins), bounds);
  };
  using Catch::Matchers::ContainsSubstring;
  const auto check_too_narrow = [&](ElementType type, const BinBounds& bounds) {
    CHECK_THAT(fault(type, bounds, 7), ContainsSubstring("is too narrow for 7 bins") &&
                                           ContainsSubstring("use a wider range or fewer bins"));
  };
  const double infinity = std::numeric_limits<double>::infinity();
  for (const ElementType type : element_types()) {
    CHECK_THAT(fault(type, {0, infinity}), ContainsSubstring("not both finite"));
    CHECK_THAT(fault(type, {std::nan(""), 1}), ContainsSubstring("not both finite"));
    CHECK_THAT(fault(type, {1, 1}), ContainsSubstring("not below"));
    CHECK_THAT(fault(type, {2, 1}), ContainsSubstring("not below"));
    CHECK_THAT(fault(type, {-1e308, 1e308}), ContainsSubstring("wider than f64"));
    // Whatever the width of a bin is rounded to.
    for (const double numbers : {1, 6, 7, 10, 11, 14, 40, 45}) {
      check_too_narrow(type, {0, numbers * 0x1p-1074});
      check_too_narrow(type, {-numbers * 0x1p-1074, 0});
    }
    CHECK(fault(type, {0, 49 * 0x1p-1074}, 7).empty());
    check_too_narrow(type, {1, 1 + 0x1p-52});
    check_too_narrow(type, {1, 1 + 6 * 0x1p-52});
    CHECK(fault(type, {1, 1 + 7 * 0x1p-52}, 7).empty());
    CHECK(fault(type, {0, 100}).empty());
    CHECK(fault(type, {0, 1e39}).empty());
    CHECK(fault(type, {5, 5.0001}).empty());
  }
}

TEST_CASE("Histogram range: integer bounds are no range of f64 that holds none between them") {
  constexpr std::int64_t kFirst = std::int64_t{1} << 60;
  for (const BinBounds& bounds :
       {BinBounds{kFirst + 1, kFirst + 2}, BinBounds{kFirst - 1, kFirst + 1}}) {
    CHECK_FALSE(find_range_fault(make_histogram(ElementType::f64, 2), bounds).empty());
    CHECK(find_range_fault(make_histogram(ElementType::i64, 2), bounds).empty());
  }
}

TEST_CASE("Histogram range: edges in words are those that elements are compared with") {
  const auto edge = [](ElementType type, const BinBounds& bounds, std::uint32_t i) {
    return describe_edge(make_histogram(type, 8), bounds, i);
  };
  constexpr std::int64_t kFirst = std::int64_t{1} << 53;
  CHECK(edge(ElementType::i64, {kFirst, kFirst + 8}, 1) == "9007199254740993");
  CHECK(edge(ElementType::i64, {kFirst, kFirst + 9}, 8) == "9007199254741001");
  CHECK(edge(ElementType::i32, {-4, 8}, 1) == "-2");  // from -2.5 on
  CHECK(edge(ElementType::i32, {-4.5, 8}, 1) == "-2.9375");
  CHECK(edge(ElementType::f32, {0, 1}, 1) == "0.125");
}

}  // namespace
}  // namespace foldtune::test
