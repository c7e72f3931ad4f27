#include "tuner/search/candidate_search.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

namespace foldtune {

CandidateSearch::CandidateSearch(std::shared_ptr<const Candidates> candidates,
                                 const std::vector<Config>& seeds)
    : candidates_(std::move(candidates)),
      is_proposed_(candidates_->size(), false),
      is_reported_(candidates_->size(), false) {
  const Space space(candidates_->workload());
  for (const Config& seed : seeds) {
    if (!space.contains(seed)) continue;
    const Config canonical = space.canonical(seed, candidates_->device().multiprocessor_count);
    if (!space.contains(canonical) || std::ranges::count(seeds_, canonical) > 0) continue;
    seeds_.push_back(canonical);
  }
  std::ranges::reverse(seeds_);
}

std::optional<Config> CandidateSearch::propose() {
  if (is_seeds_turn(turn_++)) {
    if (auto seed = propose_seed()) return seed;
  }
  if (const std::optional<std::size_t> number = choose()) {
    is_proposed_[*number] = true;
    on_proposed(*number);
    return candidates_->params(*number);
  }
  return propose_seed();
}

std::optional<Config> CandidateSearch::propose_seed() {
  while (!seeds_.empty()) {
    const Config seed = seeds_.back();
    seeds_.pop_back();
    // A seed may be of those that no search tries by itself; such a one has no number.
    if (const auto number = candidates_->find(seed)) {
      if (is_proposed_[*number]) continue;
      is_proposed_[*number] = true;
      on_proposed(*number);
    }
    return seed;
  }
  return std::nullopt;
}

void CandidateSearch::report(const Config& params, std::optional<double> cost) {
  const std::optional<std::size_t> number = candidates_->find(params);
  if (!number || !is_proposed_[*number] || is_reported_[*number]) return;
  is_reported_[*number] = true;
  on_cost(*number, cost);
}

std::vector<std::uint32_t> shuffled_numbers(std::size_t size, std::uint64_t seed) {
  std::vector<std::uint32_t> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::mt19937_64 random(seed);
  for (std::size_t i = size; i > 1; --i) std::swap(numbers[i - 1], numbers[random() % i]);
  return numbers;
}

}  // namespace foldtune
