// Searches that are guided by what configurations probably cost: the analytic prior, refined by
// what was measured.
#include <algorithm>
#include <cmath>
#include <utility>

#include "tuner/search/candidate_search.h"
#include "tuner/search/surrogate.h"

namespace foldtune {
namespace {

/// Measurements that the surrogate learns from. Each costs time and memory in proportion to those
/// before it, and after so many the prediction is as good as it gets.
constexpr std::size_t kMostObservations = 300;

/// Failures are so much worse than what was expected, in log(cost): enough for where everything
/// fails to be left soon, and not so much that what is like a single failure is never tried.
constexpr double kFailure = 0.3;

/// Standard deviations below the mean that a cost is hoped to lie.
constexpr double kConfidence = 1.5;

/// Random configurations of which the least known is tried: a part of the space that the prior
/// thinks nothing of is seen all the same.
constexpr int kUnknownSample = 12;

/// Seeds and the search's own guesses take turns, in rounds of so many proposals that begin with
/// the seeds: the prior's first guesses are about as good as the best of another problem.
constexpr int kRound = 3;

/// One proposal of so many is a neighbour of the best, and one of so many where little is known.
constexpr int kNeighbourEvery = 4;
constexpr int kUnknownEvery = 10;

class ModelSearch final : public CandidateSearch {
 public:
  ModelSearch(std::shared_ptr<const Candidates> all, const std::vector<Config>& seeds,
              std::uint64_t seed, int seeds_in_round)
      : CandidateSearch(all, seeds),
        seeds_in_round_(seeds_in_round),
        surrogate_(std::move(all)),
        shuffled_(shuffled_numbers(candidates().size(), seed)) {}

 private:
  bool is_seeds_turn(int turn) const override { return turn % kRound < seeds_in_round_; }

  std::optional<std::size_t> choose() override {
    ++chosen_;
    if (chosen_ == 1) {
      const std::optional<std::size_t> fallback = candidates().fallback();
      if (fallback && !is_proposed(*fallback)) return fallback;
    }
    if (chosen_ % kUnknownEvery == 0) {
      if (const auto unknown = choose_unknown()) return unknown;
    }
    if (chosen_ % kNeighbourEvery == 0) {
      if (const auto neighbour = choose_neighbour()) return neighbour;
    }
    return choose_promising();
  }

  /// Of those not proposed, the one with the lowest cost that it may well have (lower confidence
  /// bound).
  std::optional<std::size_t> choose_promising() const {
    std::optional<std::size_t> chosen;
    double lowest = 0;
    for (const std::size_t i : shuffled_) {
      if (is_proposed(i)) continue;
      const double bound = surrogate_.mean(i) - kConfidence * std::sqrt(surrogate_.variance(i));
      if (chosen && bound >= lowest) continue;
      chosen = i;
      lowest = bound;
    }
    return chosen;
  }

  std::optional<std::size_t> choose_neighbour() const {
    if (!best_) return std::nullopt;
    std::optional<std::size_t> chosen;
    for (const std::size_t i : candidates().neighbours(*best_)) {
      if (is_proposed(i)) continue;
      if (!chosen || surrogate_.mean(i) < surrogate_.mean(*chosen)) chosen = i;
    }
    return chosen;
  }

  /// Of some random ones not proposed, the one of which least is known.
  std::optional<std::size_t> choose_unknown() {
    std::optional<std::size_t> chosen;
    for (int seen = 0; seen < kUnknownSample && next_random_ < shuffled_.size(); ++next_random_) {
      const std::size_t i = shuffled_[next_random_];
      if (is_proposed(i)) continue;
      ++seen;
      if (!chosen || surrogate_.variance(i) > surrogate_.variance(*chosen)) chosen = i;
    }
    return chosen;
  }

  void on_proposed(std::size_t number) override {
    if (surrogate_.size() < kMostObservations) surrogate_.announce(number);
  }

  void on_cost(std::size_t number, std::optional<double> cost) override {
    if (cost && (!best_ || std::log(*cost) < best_log_cost_)) {
      best_ = number;
      best_log_cost_ = std::log(*cost);
    }
    surrogate_.observe(number, cost ? std::log(*cost) : surrogate_.mean(number) + kFailure);
  }

  int seeds_in_round_;
  Surrogate surrogate_;
  std::vector<std::uint32_t> shuffled_;
  std::size_t next_random_ = 0;
  int chosen_ = 0;
  std::optional<std::size_t> best_;
  double best_log_cost_ = 0;
};

}  // namespace

std::unique_ptr<Search> make_default_search(const std::shared_ptr<const Candidates>& candidates,
                                            const std::vector<Config>& seeds, std::uint64_t seed) {
  return std::make_unique<ModelSearch>(candidates, seeds, seed, /*seeds_in_round=*/1);
}

std::unique_ptr<Search> make_seeded_search(const std::shared_ptr<const Candidates>& candidates,
                                           const std::vector<Config>& seeds, std::uint64_t seed) {
  return std::make_unique<ModelSearch>(candidates, seeds, seed, /*seeds_in_round=*/2);
}

}  // namespace foldtune
