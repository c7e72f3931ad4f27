/// Summaries of samples. None of them may be empty.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace foldtune::bench {

/// The middle sample, or the mean of the two in the middle.
inline double median(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/// The median of the distances from the median, not scaled to a standard deviation.
inline double median_absolute_deviation(std::span<const double> samples) {
  const double center = median(samples);
  std::vector<double> distances;
  distances.reserve(samples.size());
  for (const double sample : samples) distances.push_back(std::abs(sample - center));
  return median(distances);
}

/// Of positive samples.
inline double geometric_mean(std::span<const double> samples) {
  double sum_of_logs = 0;
  for (const double sample : samples) sum_of_logs += std::log(sample);
  return std::exp(sum_of_logs / static_cast<double>(samples.size()));
}

}  // namespace foldtune::bench
