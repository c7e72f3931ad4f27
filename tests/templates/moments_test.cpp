// Moments of narrow integers beside exact ones.
#include "templates/device/moments.cuh"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tests/catch.h"

namespace foldtune::test {
namespace {

__extension__ using Wide = __int128;

/// As many elements as `counts` says of each value.
template <class T>
struct Multiset {
  std::vector<T> values;
  std::vector<std::uint64_t> counts;
};

template <class T, class I>
void check_moments(const Multiset<T>& elements) {
  using Plain = PlainMoments<T, double, I>;
  typename Plain::Accumulator sums = Plain::identity();
  Wide sum = 0;
  Wide squares = 0;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < elements.values.size(); ++i) {
    const Wide x = elements.values[i];
    const std::uint64_t times = elements.counts[i];
    sum += x * times;
    squares += x * x * times;
    count += times;
    const auto one = Plain::map(elements.values[i], 0);
    sums = Plain::combine(
        sums, {one.sum * static_cast<std::int64_t>(times), one.squares * times, one.count * times});
  }
  REQUIRE(Plain::is_ordinary(sums));
  const auto moments = Plain::moments(sums);
  const auto n = static_cast<long double>(count);
  const auto m2 = static_cast<long double>(squares * count - sum * sum) / n;
  INFO("of " << count << " elements, mean " << moments.mean);
  constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
  CHECK(moments.count == count);
  // Of the difference of two numbers, the second at most half of the first: some units of the last
  // place.
  CHECK(std::abs(static_cast<double>(moments.m2 - m2)) <= 6 * kUnit * static_cast<double>(m2));
  // From the nearest integer, so that the reference has the bits.
  const auto center = static_cast<std::int64_t>(std::llround(moments.mean));
  const long double offset = static_cast<long double>(sum - Wide{center} * count) / n;
  const long double found = (static_cast<long double>(moments.mean) - center) + moments.low;
  CHECK(std::abs(static_cast<double>(found - offset)) <= kUnit);
}

template <class T>
void check_type() {
  constexpr int kLowest = std::numeric_limits<T>::min();
  constexpr int kHighest = std::numeric_limits<T>::max();
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
  check_moments<T, uint64>({.values = {T{7}}, .counts = {1}});
  check_moments<T, uint64>({.values = {T{kLowest}, T{kHighest}}, .counts = {kMost, kMost - 1}});
  check_moments<T, uint64>({.values = {T{kHighest}}, .counts = {kMost}});
  check_moments<T, uint64>({.values = {T{kHighest}, T{kHighest - 1}}, .counts = {kMost, 1}});
  check_moments<T, uint64>({.values = {T{0}, T{1}}, .counts = {kMost, kMost - 1}});
  // All that an index of 32 bits can tell apart.
  check_moments<T, uint32>({.values = {T{kLowest}, T{kHighest}}, .counts = {1, 0xfffffffe}});
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    Multiset<T> elements;
    for (int value = 0; value < 5; ++value) {
      elements.values.push_back(static_cast<T>(random()));
      elements.counts.push_back(random() >> (3 + random() % 29));
    }
    elements.counts[0] += 1;
    check_moments<T, uint64>(elements);
  }
}

TEST_CASE("Moments of narrow integers are right to the last bits, whatever their mean") {
  check_type<signed char>();
  check_type<unsigned char>();
  check_type<short>();
  check_type<unsigned short>();
}

TEST_CASE("Sums of squares that may leave 64 bits are not ordinary") {
  using Plain = PlainMoments<unsigned short, double, uint64>;
  CHECK(Plain::is_ordinary({0, 0, 0xffffffff}));
  CHECK_FALSE(Plain::is_ordinary({0, 0, std::uint64_t{1} << 32}));
  CHECK(PlainMoments<unsigned char, double, uint64>::is_ordinary({0, 0, std::uint64_t{1} << 40}));
}

TEST_CASE("Moments of nothing are those of the identity") {
  using Plain = PlainMoments<short, double, uint32>;
  const auto moments = Plain::moments(Plain::identity());
  CHECK(moments.mean == 0);
  CHECK(moments.m2 == 0);
  CHECK(moments.count == 0);
}

}  // namespace
}  // namespace foldtune::test
