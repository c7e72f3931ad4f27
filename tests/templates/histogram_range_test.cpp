// The device code that finds bins, compiled for the host, with the ranges that the host prepares.
#include <cmath>
#include <limits>
#include <random>

#include "templates/histogram/bins.cuh"
#include "templates/histogram/range.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

Problem make_problem(ElementType type, std::uint32_t bins) {
  return {.op = Operator::histogram, .type = type, .histogram = {.bins = bins}};
}

/// The bin by the definition, of bounds in units of 1/1024.
std::uint32_t exact_bin(std::int64_t x, std::uint32_t bins, std::int64_t lower,
                        std::int64_t upper) {
  if (x * 1024 < lower || x * 1024 > upper) return bins;
  const auto distance = static_cast<std::uint64_t>(x * 1024 - lower);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(
      bins - 1, distance * bins / static_cast<std::uint64_t>(upper - lower)));
}

template <class T, std::uint32_t kBins>
void check_integers(ElementType type, std::int64_t lower, std::int64_t upper, std::int64_t first,
                    std::int64_t last) {
  const std::optional<BinRange> range =
      make_bin_range(make_problem(type, kBins), static_cast<double>(lower) / 1024,
                     static_cast<double>(upper) / 1024);
  std::int64_t wrong = 0;
  for (std::int64_t x = first; x <= last; ++x) {
    const std::uint32_t expected = exact_bin(x, kBins, lower, upper);
    if (!range) {
      wrong += expected == kBins ? 0 : 1;
      continue;
    }
    const BinFinder<T, BinRule::even, kBins> bins{*range, nullptr};
    wrong += bins.find(static_cast<Held<T>>(x)) == expected ? 0 : 1;
  }
  INFO(kBins << " bins from " << lower << "/1024 to " << upper << "/1024");
  CHECK(wrong == 0);
}

template <std::uint32_t kBins>
void check_shorts() {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20; ++i) {
    // Widths of all sizes, in which the bins are wider and narrower than 1.
    const auto width = static_cast<std::int64_t>(random() >> (37 + i)) + 1;
    const auto lower = static_cast<std::int64_t>(random() % (std::uint64_t{1} << 26)) - (1 << 25);
    check_integers<short, kBins>(ElementType::i16, lower, lower + width, -32768, 32767);
    check_integers<short, kBins>(ElementType::i16, lower / 1024 * 1024,
                                 (lower + width) / 1024 * 1024 + 1024, -32768, 32767);
  }
}

TEST_CASE("Histogram range: every short is in its exact bin") {
  check_shorts<2>();
  check_shorts<7>();
  check_shorts<256>();
  check_shorts<1000>();
  check_shorts<65536>();
  check_shorts<kMaxBins>();
}

template <class T, std::uint32_t kBins>
void check_words(ElementType type, std::int64_t lowest, std::int64_t highest) {
  constexpr std::int64_t kBound = std::int64_t{1} << 42;
  std::mt19937_64 random(2);
  for (int i = 0; i < 100; ++i) {
    const int shift = i % 20;
    std::int64_t lower = static_cast<std::int64_t>(random() >> (21 + shift)) - (kBound >> shift);
    std::int64_t upper = static_cast<std::int64_t>(random() >> (21 + shift)) - (kBound >> shift);
    if (i % 3 == 0) lower = lower / 1024 * 1024;
    if (i % 3 == 0) upper = upper / 1024 * 1024;
    if (i == 0) lower = -kBound, upper = kBound;
    if (lower > upper) std::swap(lower, upper);
    if (lower == upper) continue;
    // Beside the edges of bins.
    for (int k = 0; k < 50; ++k) {
      const long double place = static_cast<long double>(random() % (kBins + 1)) / kBins;
      const auto edge = static_cast<std::int64_t>(
          (static_cast<long double>(lower) + place * static_cast<long double>(upper - lower)) /
          1024);
      check_integers<T, kBins>(type, lower, upper, std::clamp(edge - 2, lowest, highest),
                               std::clamp(edge + 2, lowest, highest));
    }
  }
}

TEST_CASE("Histogram range: integers of 32 bits are in their exact bin") {
  constexpr std::int64_t kHighest = std::numeric_limits<std::int32_t>::max();
  check_words<std::int32_t, 3>(ElementType::i32, -kHighest - 1, kHighest);
  check_words<std::int32_t, 1000>(ElementType::i32, -kHighest - 1, kHighest);
  check_words<std::int32_t, kMaxBins>(ElementType::i32, -kHighest - 1, kHighest);
  check_words<std::uint32_t, 2>(ElementType::u32, 0, 2 * kHighest + 1);
  check_words<std::uint32_t, 999'999>(ElementType::u32, 0, 2 * kHighest + 1);
}

TEST_CASE("Histogram range: no element may be inside") {
  CHECK_FALSE(make_bin_range(make_problem(ElementType::i32, 4), 0.25, 0.75));
  CHECK_FALSE(make_bin_range(make_problem(ElementType::u8, 4), 256, 300));
  CHECK(make_bin_range(make_problem(ElementType::u8, 4), 255, 300));
  CHECK(make_bin_range(make_problem(ElementType::f32, 4), 0.25, 0.75));
}

template <class Real, std::uint32_t kBins>
std::uint32_t find(ElementType type, double lower, double upper, Real x) {
  const std::optional<BinRange> range = make_bin_range(make_problem(type, kBins), lower, upper);
  return BinFinder<Real, BinRule::even, kBins>{*range, nullptr}.find(x);
}

TEST_CASE("Histogram range: a number whose distance is exact is not below the edge that it is on") {
  for (int i = 0; i <= 49; ++i) {
    const std::uint32_t bin = static_cast<std::uint32_t>(std::min(i, 48));
    CHECK(find<float, 49>(ElementType::f32, 0, 49, static_cast<float>(i)) == bin);
    CHECK(find<double, 49>(ElementType::f64, -7, 42, i - 7.0) == bin);
    // Of which bins / width is no number of the type.
    CHECK(find<float, 49>(ElementType::f32, 0, 3 * 49, static_cast<float>(3 * i)) == bin);
    CHECK(find<double, 49>(ElementType::f64, 0, 7 * 49, 7.0 * i) == bin);
  }
}

TEST_CASE("Histogram range: both bounds are inside, what is beyond and NaN are not") {
  constexpr std::uint32_t kNone = 10;
  const auto bin = [](float x) { return find<float, 10>(ElementType::f32, -1, 3, x); };
  CHECK(bin(-1) == 0);
  CHECK(bin(3) == 9);
  CHECK(bin(std::nextafter(-1.0f, -2.0f)) == kNone);
  CHECK(bin(std::nextafter(3.0f, 4.0f)) == kNone);
  CHECK(bin(std::numeric_limits<float>::quiet_NaN()) == kNone);
  CHECK(bin(std::numeric_limits<float>::infinity()) == kNone);
  CHECK(bin(-std::numeric_limits<float>::infinity()) == kNone);
}

TEST_CASE("Histogram range: many bins of f32 are told apart in f64") {
  constexpr std::uint32_t kBins = kMaxBins;
  int wrong = 0;
  for (std::uint32_t i = 0; i < kBins; i += 17) {
    const double middle = (i + 0.5) * 1.3 / kBins + 0.1;
    wrong +=
        find<float, kBins>(ElementType::f32, 0.1, 1.4, static_cast<float>(middle)) == i ? 0 : 1;
  }
  // The elements themselves are rounded, to 1/13 of a bin at most.
  CHECK(wrong == 0);
}

TEST_CASE("Histogram range: what bins cannot be made of is a fault") {
  const auto fault = [](ElementType type, double lower, double upper, std::uint32_t bins = 256) {
    return find_range_fault(make_problem(type, bins), lower, upper);
  };
  using Catch::Matchers::ContainsSubstring;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const ElementType type : element_types()) {
    CHECK_THAT(fault(type, 0, infinity), ContainsSubstring("not both finite"));
    CHECK_THAT(fault(type, std::nan(""), 1), ContainsSubstring("not both finite"));
    CHECK_THAT(fault(type, 1, 1), ContainsSubstring("not below"));
    CHECK_THAT(fault(type, 2, 1), ContainsSubstring("not below"));
    CHECK(fault(type, 0, 100).empty());
  }
  CHECK_THAT(fault(ElementType::f32, 0, 1e39), ContainsSubstring("wider than f32"));
  CHECK_THAT(fault(ElementType::f16, -3e38, 3e38), ContainsSubstring("wider than f32"));
  CHECK(fault(ElementType::f32, -3e38, 3e38, 5000).empty());
  CHECK_THAT(fault(ElementType::f64, -1e308, 1e308), ContainsSubstring("wider than f64"));
  CHECK_THAT(fault(ElementType::f32, 1, 1 + 1e-9), ContainsSubstring("too narrow"));
  CHECK_THAT(fault(ElementType::bf16, 0, 1e-44), ContainsSubstring("too narrow"));
  CHECK_THAT(fault(ElementType::i64, 0, 1e-310), ContainsSubstring("too narrow"));
  CHECK_THAT(fault(ElementType::u8, 0, 1e10), ContainsSubstring("beyond 2^32"));
  CHECK_THAT(fault(ElementType::i32, 5, 5.0001), ContainsSubstring("narrower than 1/1024"));
  CHECK(fault(ElementType::i32, -0x1p32, 0x1p32).empty());
}

}  // namespace
}  // namespace foldtune::test
