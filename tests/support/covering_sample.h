/// A part of a space in which everything comes up.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "templates/space.h"

namespace foldtune::test {

/// The pairs of two tunables' values that are still to be covered.
class MissingPairs {
 public:
  MissingPairs(std::span<const Tunable> tunables, const std::vector<Config>& all)
      : tunables_(tunables) {
    for (const Tunable& tunable : tunables_) {
      first_places_.push_back(places_);
      places_ += tunable.values.size();
    }
    missing_.assign(places_ * places_, false);
    for (const Config& params : all) {
      for_each_pair(params, [&](std::size_t pair) {
        count_ += missing_[pair] ? 0 : 1;
        missing_[pair] = true;
      });
    }
  }

  bool any() const { return count_ > 0; }

  int count(const Config& params) const {
    int count = 0;
    for_each_pair(params, [&](std::size_t pair) { count += missing_[pair] ? 1 : 0; });
    return count;
  }

  void remove(const Config& params) {
    for_each_pair(params, [&](std::size_t pair) {
      count_ -= missing_[pair] ? 1 : 0;
      missing_[pair] = false;
    });
  }

 private:
  template <class Function>
  void for_each_pair(const Config& params, const Function& function) const {
    std::vector<std::size_t> places;
    places.reserve(tunables_.size());
    for (std::size_t i = 0; i < tunables_.size(); ++i) {
      const std::span<const int> values = tunables_[i].values;
      const auto at = std::ranges::find(values, params.get(tunables_[i]));
      places.push_back(first_places_[i] + static_cast<std::size_t>(at - values.begin()));
    }
    for (std::size_t a = 0; a < tunables_.size(); ++a) {
      for (std::size_t b = a + 1; b < tunables_.size(); ++b) {
        function(places[a] * places_ + places[b]);
      }
    }
  }

  std::span<const Tunable> tunables_;
  std::size_t places_ = 0;                 ///< of the values of all tunables
  std::vector<std::size_t> first_places_;  ///< of each tunable's
  std::vector<bool> missing_;              ///< by two places
  int count_ = 0;
};

/// Configurations of the space that together hold every pair of two tunables' values that any of
/// them holds (pairwise coverage). Deterministic.
inline std::vector<Config> covering_sample(const Workload& workload, Extent extent) {
  // Greedy: the configuration that holds most pairs not held yet, until none is missing.
  const std::vector<Config> all = Space(workload, extent).enumerate();
  MissingPairs missing(workload.problem.family().tunables(), all);
  std::vector<Config> sample;
  while (missing.any()) {
    const Config* best = nullptr;
    int best_gain = 0;
    for (const Config& params : all) {
      const int gain = missing.count(params);
      if (gain > best_gain) {
        best = &params;
        best_gain = gain;
      }
    }
    sample.push_back(*best);
    missing.remove(*best);
  }
  return sample;
}

}  // namespace foldtune::test
