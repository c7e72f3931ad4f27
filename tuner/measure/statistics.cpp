#include "tuner/measure/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>

namespace foldtune {
namespace {

/// Of a normal distribution: its standard deviation over its median absolute deviation, 1 over the
/// normal quantile of 3/4.
constexpr double kDeviationPerMad = 1.4826;

/// The standard error of a median over that of a mean, for a normal distribution: sqrt(pi / 2).
constexpr double kMedianPerMean = 1.2533;

std::vector<double> copy(std::span<const double> values) { return {values.begin(), values.end()}; }

std::vector<double> in_order(std::span<const double> values) {
  std::vector<double> result = copy(values);
  std::ranges::sort(result);
  return result;
}

/// `times` is for how often each of the values is drawn. Not std::uniform_int_distribution, whose
/// numbers differ between standard libraries. The bias of the remainder, n / 2^64, is nothing here.
double median_of_resample(std::span<const double> sorted, std::mt19937_64& random,
                          std::vector<std::size_t>& times) {
  const std::size_t count = sorted.size();
  times.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i) ++times[random() % count];
  std::size_t at = 0;
  std::size_t seen = times[0];  // up to the value `at`
  const auto find = [&](std::size_t rank) {
    while (seen <= rank) seen += times[++at];
    return sorted[at];
  };
  if (count % 2 == 1) return find(count / 2);
  const double below = find(count / 2 - 1);
  return (below + find(count / 2)) / 2;
}

/// The value that the fraction `part` of the sorted values lies below.
double quantile(std::span<const double> sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::lround(place))];
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double median_absolute_deviation(std::span<const double> values) {
  const double center = median(copy(values));
  std::vector<double> distances = copy(values);
  for (double& distance : distances) distance = std::fabs(distance - center);
  return median(std::move(distances));
}

double standard_error_of_median(std::span<const double> values) {
  if (values.size() < 2) return std::numeric_limits<double>::infinity();
  return kMedianPerMean * kDeviationPerMad * median_absolute_deviation(values) /
         std::sqrt(static_cast<double>(values.size()));
}

bool is_enough(std::span<const double> samples, const StopRule& rule) {
  const auto count = static_cast<int>(samples.size());
  if (count >= rule.at_most) return true;
  if (count < rule.at_least) return false;
  return standard_error_of_median(samples) <= rule.relative_error * median(copy(samples));
}

Ratio ratio_of_medians(std::span<const double> numerator, std::span<const double> denominator,
                       const BootstrapOptions& options) {
  if (numerator.empty() || denominator.empty()) return {};
  std::mt19937_64 random(options.seed);
  const std::vector<double> tops = in_order(numerator);
  const std::vector<double> bottoms = in_order(denominator);
  std::vector<std::size_t> times;
  std::vector<double> ratios;
  for (int i = 0; i < options.resamples; ++i) {
    const double top = median_of_resample(tops, random, times);
    ratios.push_back(top / median_of_resample(bottoms, random, times));
  }
  Ratio ratio;
  ratio.value = median(copy(numerator)) / median(copy(denominator));
  if (ratios.empty()) return {ratio.value, ratio.value, ratio.value};
  std::ranges::sort(ratios);
  const double outside = (1 - options.confidence) / 2;
  ratio.lower = quantile(ratios, outside);
  ratio.upper = quantile(ratios, 1 - outside);
  return ratio;
}

bool is_faster(std::span<const double> candidate, std::span<const double> incumbent,
               double threshold, const BootstrapOptions& options) {
  const std::size_t rounds = std::min(candidate.size(), incumbent.size());
  if (rounds < 2) return false;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < rounds; ++i) ratios.push_back(candidate[i] / incumbent[i]);
  const Ratio ratio = ratio_of_medians(ratios, std::array{1.0}, options);
  return ratio.value < 1 - threshold && ratio.upper < 1;
}

}  // namespace foldtune
