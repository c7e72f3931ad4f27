// A search without a model: a random sample, and then the neighbours of the best.
#include <algorithm>
#include <utility>

#include "tuner/search/candidate_search.h"

namespace foldtune {
namespace {

/// Random configurations before the search turns to neighbours. Few, since steps from a mediocre
/// start reach a valley sooner than more random configurations do.
constexpr int kRandomSample = 12;

/// Configurations whose neighbours are tried. More than one, since the costs are noisy and the
/// landscape has several valleys (one per final stage, at least).
constexpr std::size_t kParents = 6;

/// One proposal of so many is random, whatever was found: a valley of its own is not left out for
/// ever.
constexpr int kRandomEvery = 8;

/// Greedy local search from several starting points: the neighbours of the best found so far, those
/// of the best first; where those are all tried, random ones again.
class LocalSearch final : public CandidateSearch {
 public:
  LocalSearch(std::shared_ptr<const Candidates> all, const std::vector<Params>& seeds,
              std::uint64_t seed)
      : CandidateSearch(std::move(all), seeds),
        shuffled_(shuffled_numbers(candidates().size(), seed)) {}

 private:
  struct Scored {
    double cost;
    std::size_t number;
  };

  std::optional<std::size_t> choose() override {
    ++chosen_;
    if (chosen_ > kRandomSample && chosen_ % kRandomEvery != 0) {
      if (const auto neighbour = choose_neighbour()) return neighbour;
    }
    return choose_random();
  }

  std::optional<std::size_t> choose_neighbour() const {
    const std::size_t parents = std::min(kParents, scored_.size());
    for (std::size_t i = 0; i < parents; ++i) {
      for (const std::size_t neighbour : candidates().neighbours(scored_[i].number)) {
        if (!is_proposed(neighbour)) return neighbour;
      }
    }
    return std::nullopt;
  }

  std::optional<std::size_t> choose_random() {
    while (!shuffled_.empty()) {
      const std::size_t number = shuffled_.back();
      shuffled_.pop_back();
      if (!is_proposed(number)) return number;
    }
    return std::nullopt;
  }

  void on_cost(std::size_t number, std::optional<double> cost) override {
    if (!cost) return;
    const auto place = std::ranges::upper_bound(scored_, *cost, {}, &Scored::cost);
    scored_.insert(place, {*cost, number});
    if (scored_.size() > kParents) scored_.pop_back();
  }

  std::vector<std::uint32_t> shuffled_;  ///< the next one last
  std::vector<Scored> scored_;           ///< the parents, cheapest first
  int chosen_ = 0;
};

}  // namespace

std::unique_ptr<Search> make_local_search(const std::shared_ptr<const Candidates>& candidates,
                                          const std::vector<Params>& seeds, std::uint64_t seed) {
  return std::make_unique<LocalSearch>(candidates, seeds, seed);
}

}  // namespace foldtune
