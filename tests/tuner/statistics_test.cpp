#include "tuner/measure/statistics.h"

#include <cmath>
#include <random>

#include "tests/catch.h"

namespace foldtune {
namespace {

using Values = std::vector<double>;

/// Normal noise around `center`, of the relative width `spread`.
Values noisy(double center, double spread, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Values values;
  for (int i = 0; i < count; ++i) {
    double sum = 0;  // of twelve uniform numbers: nearly normal, and the same everywhere
    for (int k = 0; k < 12; ++k) sum += static_cast<double>(random() >> 11) * 0x1p-53;
    values.push_back(center * (1 + spread * (sum - 6)));
  }
  return values;
}

TEST_CASE("Statistics: the median is the middle value, or the mean of the two in the middle") {
  CHECK(median({}) == 0);
  CHECK(median({7}) == 7);
  CHECK(median({9, 1, 4}) == 4);
  CHECK(median({8, 1, 2, 4}) == 3);
  CHECK(median({5, 5, 1000}) == 5);
}

TEST_CASE("Statistics: one outlier does not move the median absolute deviation") {
  CHECK(median_absolute_deviation(Values{}) == 0);
  CHECK(median_absolute_deviation(Values{3}) == 0);
  CHECK(median_absolute_deviation(Values{1, 2, 3, 4, 5}) == 1);
  CHECK(median_absolute_deviation(Values{1, 2, 3, 4, 1000}) == 1);
}

TEST_CASE("Statistics: the standard error is that of medians of normal samples") {
  constexpr double kSpread = 0.01;
  constexpr int kSamples = 51;
  constexpr int kRepetitions = 400;
  Values medians;
  Values errors;
  for (std::uint64_t seed = 0; seed < kRepetitions; ++seed) {
    const Values values = noisy(10, kSpread, kSamples, seed);
    medians.push_back(median(values));
    errors.push_back(standard_error_of_median(values));
  }
  double squares = 0;
  for (const double m : medians) squares += (m - 10) * (m - 10);
  const double seen = std::sqrt(squares / kRepetitions);
  CHECK(median(errors) == Approx(seen).epsilon(0.15));
  CHECK(std::isinf(standard_error_of_median(Values{1})));
}

TEST_CASE("Statistics: sampling stops when the samples agree, or at the limit") {
  const StopRule rule{.at_least = 3, .at_most = 6, .relative_error = 0.01};
  CHECK_FALSE(is_enough(Values{}, rule));
  CHECK_FALSE(is_enough(Values{5, 5}, rule));
  CHECK(is_enough(Values{5, 5, 5}, rule));
  CHECK_FALSE(is_enough(Values{4, 5, 6}, rule));
  CHECK_FALSE(is_enough(Values{4, 5, 6, 4, 6}, rule));
  CHECK(is_enough(Values{4, 5, 6, 4, 6, 5}, rule));
  CHECK(is_enough(Values{5}, {.at_least = 3, .at_most = 1}));
}

TEST_CASE("Statistics: the interval of a ratio holds the ratio, and narrows with the noise") {
  const Ratio wide = ratio_of_medians(noisy(9, 0.05, 15, 1), noisy(10, 0.05, 15, 2));
  const Ratio narrow = ratio_of_medians(noisy(9, 0.005, 15, 1), noisy(10, 0.005, 15, 2));
  CHECK(wide.lower < wide.value);
  CHECK(wide.value < wide.upper);
  CHECK(narrow.value == Approx(0.9).epsilon(0.01));
  CHECK(narrow.upper - narrow.lower < (wide.upper - wide.lower) / 3);
}

TEST_CASE("Statistics: the same samples and seed give the same interval") {
  const Values a = noisy(9, 0.05, 15, 1);
  const Values b = noisy(10, 0.05, 15, 2);
  const Ratio first = ratio_of_medians(a, b, {.seed = 3});
  const Ratio second = ratio_of_medians(a, b, {.seed = 3});
  CHECK(first.lower == second.lower);
  CHECK(first.upper == second.upper);
  const Ratio other = ratio_of_medians(a, b, {.confidence = 0.5, .seed = 3});
  CHECK(other.lower > first.lower);
  CHECK(other.upper < first.upper);
}

TEST_CASE("Statistics: the interval holds the true ratio about as often as it says") {
  int held = 0;
  constexpr int kRepetitions = 200;
  for (std::uint64_t seed = 0; seed < kRepetitions; ++seed) {
    const Ratio ratio = ratio_of_medians(noisy(9, 0.02, 25, 2 * seed),
                                         noisy(10, 0.02, 25, 2 * seed + 1), {.resamples = 300});
    if (ratio.lower <= 0.9 && 0.9 <= ratio.upper) ++held;
  }
  CHECK(held > 0.88 * kRepetitions);
}

TEST_CASE("Statistics: a candidate is faster if it is so by enough, and not by chance") {
  CHECK(is_faster(noisy(9, 0.01, 15, 1), noisy(10, 0.01, 15, 2)));
  CHECK_FALSE(is_faster(noisy(10, 0.01, 15, 1), noisy(9, 0.01, 15, 2)));
  // Certain, but not worth it.
  CHECK_FALSE(is_faster(noisy(9.98, 0.0001, 15, 1), noisy(10, 0.0001, 15, 2)));
  CHECK(is_faster(noisy(9.98, 0.0001, 15, 1), noisy(10, 0.0001, 15, 2), /*threshold=*/0.001));
  // Much, but within the noise.
  CHECK_FALSE(is_faster(Values{5, 9, 14, 6, 13}, Values{6, 10, 13, 5, 15}));
  // Too few to tell.
  CHECK_FALSE(is_faster(Values{1}, Values{2, 2}));
  CHECK(is_faster(Values{1, 1}, Values{2, 2}));
  CHECK_FALSE(is_faster(Values{1, 3}, Values{2, 2}));
  // Other work met rounds 3 to 5, and both of each pair.
  CHECK(is_faster(Values{9, 9, 90, 95, 91, 9}, Values{10, 10, 99, 105, 101, 10}));
  // It met the incumbent's turns alone, in the lesser part of the rounds.
  CHECK_FALSE(is_faster(Values{10, 10, 10, 10, 10, 10}, Values{90, 90, 10, 10, 10, 10}));
}

}  // namespace
}  // namespace foldtune
