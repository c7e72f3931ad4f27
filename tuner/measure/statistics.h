/// What samples of times say: pure, and the same for the same samples on any machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace foldtune {

/// The middle value, or the mean of the two in the middle; 0 of none.
double median(std::vector<double> values);

/// The median of the distances from the median, not scaled to a standard deviation; 0 of none.
double median_absolute_deviation(std::span<const double> values);

/// How far the median of as many samples usually lies from the true one, by their median absolute
/// deviation; infinite for less than two.
double standard_error_of_median(std::span<const double> values);

/// When there are enough samples.
struct StopRule {
  int at_least = 3;               ///< fewer say nothing about their spread
  int at_most = 9;                ///< wins over `at_least`
  double relative_error = 0.002;  ///< of the median: the standard error that is small enough
};

bool is_enough(std::span<const double> samples, const StopRule& rule);

/// The ratio of two medians with its confidence interval.
struct Ratio {
  double value = 1;
  double lower = 1;
  double upper = 1;

  /// Whether the interval has 1 in it: chance explains the difference. False where there is no
  /// interval.
  bool is_within_noise() const { return lower < upper && lower <= 1 && upper >= 1; }
};

struct BootstrapOptions {
  double confidence = 0.95;  ///< of the interval
  int resamples = 2000;      ///< the ends of a 95% interval are then known to a few percent
  std::uint64_t seed = 1;
};

/// median(numerator) / median(denominator), with the percentile interval of the bootstrap (Efron
/// 1979): what the ratio is when both are sampled anew from themselves. Both need samples above 0.
Ratio ratio_of_medians(std::span<const double> numerator, std::span<const double> denominator,
                       const BootstrapOptions& options = {});

/// Less than this is within what two runs of one program differ by.
inline constexpr double kWorthwhileGain = 0.005;

/// Of times that were taken in turns, one of each in a round: whether the candidate's are less by
/// more than `threshold`, in the median of their ratios, and the whole interval of that, by the
/// bootstrap over the rounds, is below 1, so that chance is no explanation. A drift, or other work
/// of the machine that lasts for rounds, is in both times of a pair. False for fewer than two
/// rounds.
bool is_faster(std::span<const double> candidate, std::span<const double> incumbent,
               double threshold = kWorthwhileGain, const BootstrapOptions& options = {});

}  // namespace foldtune
