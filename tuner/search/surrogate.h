/// A Gaussian process over the candidates: what their costs probably are, and how sure that is,
/// after some of them were measured.
///
/// It models by how much log(cost) differs from log(prior). Candidates are alike as far as their
/// tunables are: partly each tunable for itself ("blocks of 32 threads are slow here"), partly all
/// together.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/search/candidates.h"

namespace foldtune {

class Surrogate {
 public:
  explicit Surrogate(std::shared_ptr<const Candidates> candidates);

  /// Announces a measurement of candidate `i`. Until its result is there, what is expected of it
  /// stands in for it, and nothing near to it is uncertain any more.
  void announce(std::size_t i);

  /// The result of an announced measurement.
  void observe(std::size_t i, double log_cost);

  double mean(std::size_t i) const { return mean_[i]; }          ///< of log(cost)
  double variance(std::size_t i) const { return variance_[i]; }  ///< of it

  std::size_t size() const { return observations_.size(); }

 private:
  struct Observation {
    std::size_t candidate;
    std::optional<double> value;  ///< log(cost) less the prior's; empty until it is measured
    double whitened = 0;          ///< z of L z = values, L L' being the covariances
    double diagonal = 1;          ///< of L
    std::vector<double> row;      ///< L' continued to all candidates
  };

  std::vector<double> covariances(std::size_t i) const;
  void solve_from(std::size_t first);

  std::shared_ptr<const Candidates> candidates_;
  std::vector<std::vector<double>> likeness_;  ///< of two places of an axis, 0 to 1
  std::vector<double> mean_;
  std::vector<double> variance_;
  std::vector<Observation> observations_;
};

}  // namespace foldtune
