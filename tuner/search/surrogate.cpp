#include "tuner/search/surrogate.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foldtune {
namespace {

// Chosen by the study (docs/tuner.md), in which factors of 1.5 make little difference.

// Standard deviations of log(cost): how far the truth may be from the prior.
constexpr double kOffset = 0.5;   ///< of all candidates alike: another GPU is faster or slower
constexpr double kPerAxis = 0.2;  ///< of a tunable's value, whatever the others are
constexpr double kJoint = 0.1;    ///< of a combination of all values
constexpr double kNoise = 0.01;   ///< of a measurement

/// Likeness of two neighbouring values of a number, and of two names.
constexpr double kNextValue = 0.7;
constexpr double kOtherName = 0.5;

}  // namespace

Surrogate::Surrogate(std::shared_ptr<const Candidates> candidates)
    : candidates_(std::move(candidates)) {
  for (const Axis& axis : candidates_->axes()) {
    const std::size_t values = axis.tunable->searched.size();
    std::vector<double>& likeness = likeness_.emplace_back(values * values, 1.0);
    for (std::size_t a = 0; a < values; ++a) {
      for (std::size_t b = 0; b < values; ++b) {
        const double steps = std::abs(static_cast<double>(a) - static_cast<double>(b));
        if (a == b) continue;
        likeness[a * values + b] = axis.is_ordered ? std::pow(kNextValue, steps) : kOtherName;
      }
    }
  }
  const double variance = kOffset * kOffset + kPerAxis * kPerAxis + kJoint * kJoint;
  variance_.assign(candidates_->size(), variance);
  for (std::size_t i = 0; i < candidates_->size(); ++i) {
    mean_.push_back(std::log(candidates_->estimate_us(i)));
  }
}

std::vector<double> Surrogate::covariances(std::size_t i) const {
  const auto here = candidates_->places(i);
  const std::size_t axes = here.size();
  // The part of each axis' table that is of this candidate's value.
  std::vector<const double*> tables;
  for (std::size_t t = 0; t < axes; ++t) {
    const std::size_t values = candidates_->axes()[t].tunable->searched.size();
    tables.push_back(likeness_[t].data() + here[t] * values);
  }
  const double per_axis = kPerAxis * kPerAxis / static_cast<double>(std::max<std::size_t>(1, axes));
  std::vector<double> result(candidates_->size());
  const std::uint8_t* there = candidates_->places(0).data();
  for (double& covariance : result) {
    double sum = 0;
    double product = 1;
    for (std::size_t t = 0; t < axes; ++t) {
      const double likeness = tables[t][there[t]];
      sum += likeness;
      product *= likeness;
    }
    covariance = kOffset * kOffset + per_axis * sum + kJoint * kJoint * product;
    there += axes;
  }
  return result;
}

void Surrogate::announce(std::size_t i) {
  std::vector<double> row = covariances(i);
  for (const Observation& earlier : observations_) {
    const double factor = earlier.row[i];
    for (std::size_t c = 0; c < row.size(); ++c) row[c] -= factor * earlier.row[c];
  }
  const double diagonal = std::sqrt(std::max(row[i], 0.0) + kNoise * kNoise);
  for (std::size_t c = 0; c < row.size(); ++c) {
    row[c] /= diagonal;
    variance_[c] = std::max(0.0, variance_[c] - row[c] * row[c]);
  }
  observations_.push_back({.candidate = i,
                           .value = std::nullopt,
                           .whitened = 0,  // as expected: the means stay as they are
                           .diagonal = diagonal,
                           .row = std::move(row)});
}

void Surrogate::observe(std::size_t i, double log_cost) {
  // From the end, where those that were announced lately are.
  for (std::size_t at = observations_.size(); at-- > 0;) {
    if (observations_[at].candidate != i) continue;
    const double prior = std::log(candidates_->estimate_us(i));
    observations_[at].value = log_cost - prior;
    solve_from(at);
    return;
  }
}

void Surrogate::solve_from(std::size_t first) {
  for (std::size_t at = first; at < observations_.size(); ++at) {
    Observation& observation = observations_[at];
    if (!observation.value) continue;
    double rest = *observation.value;
    for (std::size_t earlier = 0; earlier < at; ++earlier) {
      rest -= observations_[earlier].row[observation.candidate] * observations_[earlier].whitened;
    }
    const double whitened = rest / observation.diagonal;
    const double change = whitened - observation.whitened;
    if (change == 0) continue;
    observation.whitened = whitened;
    for (std::size_t c = 0; c < mean_.size(); ++c) mean_[c] += change * observation.row[c];
  }
}

}  // namespace foldtune
