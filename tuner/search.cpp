#include "tuner/search.h"

#include <algorithm>

namespace foldtune {
namespace {

/// Random configurations before the search turns to neighbours: enough to have met every value of
/// every tunable a few times.
constexpr int kRandomSample = 48;

/// Configurations whose neighbours are tried. More than one, since the costs are noisy and the
/// landscape has several valleys (one per final stage, at least).
constexpr std::size_t kParents = 6;

}  // namespace

Search::Search(const Space& space, int multiprocessor_count, std::vector<Params> seeds,
               std::uint64_t seed)
    : space_(space),
      multiprocessor_count_(multiprocessor_count),
      seeds_(std::move(seeds)),
      shuffled_(space.enumerate()),
      random_left_(kRandomSample) {
  std::ranges::reverse(seeds_);
  std::mt19937_64 random(seed);
  // std::shuffle differs between standard libraries; this does not.
  for (std::size_t i = shuffled_.size(); i > 1; --i) {
    std::swap(shuffled_[i - 1], shuffled_[random() % i]);
  }
}

bool Search::take(const Params& params) {
  return space_.contains(params) && !space_.is_redundant(params, multiprocessor_count_) &&
         proposed_.insert(to_json(params)).second;
}

std::optional<Params> Search::propose() {
  while (!seeds_.empty()) {
    const Params params = seeds_.back();
    seeds_.pop_back();
    if (take(params)) return params;
  }
  if (random_left_ > 0) {
    --random_left_;
    return propose_random();
  }
  if (auto params = propose_neighbour()) return params;
  return propose_random();
}

std::optional<Params> Search::propose_neighbour() {
  const std::size_t parents = std::min(kParents, scored_.size());
  for (std::size_t i = 0; i < parents; ++i) {
    for (const Params& neighbour : space_.neighbours(scored_[i].params)) {
      if (take(neighbour)) return neighbour;
    }
  }
  return std::nullopt;
}

std::optional<Params> Search::propose_random() {
  while (!shuffled_.empty()) {
    const Params params = shuffled_.back();
    shuffled_.pop_back();
    if (take(params)) return params;
  }
  return std::nullopt;
}

void Search::report(const Params& params, std::optional<double> cost) {
  if (!cost) return;
  const auto place = std::ranges::upper_bound(scored_, *cost, {}, &Scored::cost);
  scored_.insert(place, {*cost, params});
}

std::vector<Params> Search::best(std::size_t most) const {
  std::vector<Params> result;
  for (std::size_t i = 0; i < std::min(most, scored_.size()); ++i) {
    result.push_back(scored_[i].params);
  }
  return result;
}

}  // namespace foldtune
