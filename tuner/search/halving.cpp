// Successive halving without waiting for a whole rung (asynchronous successive halving): many
// configurations with few samples, the better ones again with more.
#include <algorithm>
#include <array>
#include <utility>

#include "tuner/search/candidate_search.h"

namespace foldtune {
namespace {

/// Samples of each rung.
constexpr std::array kSamples{1, 2, 4, 8};

/// One configuration of so many of a rung goes on to the next.
constexpr std::size_t kReduction = 4;

class HalvingSearch final : public Search {
 public:
  HalvingSearch(const std::shared_ptr<const Candidates>& candidates,
                const std::vector<Params>& seeds, std::uint64_t seed)
      : candidates_(candidates),
        fresh_(make_random_search(candidates, seeds, seed)),
        state_(candidates->size()) {}

  std::optional<Proposal> propose() override {
    for (std::size_t rung = kSamples.size() - 1; rung-- > 0;) {
      if (const auto number = find_promotable(rung)) return again(*number, rung + 1);
    }
    std::optional<Proposal> next = fresh_->propose();
    if (!next) return std::nullopt;
    next->samples = kSamples.front();
    if (const auto number = candidates_->find(next->params)) {
      state_[*number] = {.rung = 0, .is_pending = true};
      ++pending_;
    }
    return next;
  }

  bool is_waiting() const override { return pending_ > 0; }

  void report(const Params& params, std::optional<double> cost) override {
    const std::optional<std::size_t> number = candidates_->find(params);
    if (!number || !state_[*number].is_pending) return;
    State& state = state_[*number];
    state.is_pending = false;
    --pending_;
    if (!cost) return;
    std::vector<Scored>& scored = rungs_[state.rung];
    const auto place = std::ranges::upper_bound(scored, *cost, {}, &Scored::cost);
    scored.insert(place, {*cost, *number});
  }

 private:
  struct State {
    std::size_t rung = 0;  ///< the highest one that it was proposed for
    bool is_pending = false;
  };
  struct Scored {
    double cost;
    std::size_t number;
  };

  /// The cheapest of a rung's best quarter that did not go on.
  std::optional<std::size_t> find_promotable(std::size_t rung) const {
    const std::vector<Scored>& scored = rungs_[rung];
    for (std::size_t i = 0; i < scored.size() / kReduction; ++i) {
      if (state_[scored[i].number].rung == rung) return scored[i].number;
    }
    return std::nullopt;
  }

  Proposal again(std::size_t number, std::size_t rung) {
    state_[number] = {.rung = rung, .is_pending = true};
    ++pending_;
    return {.params = candidates_->params(number), .samples = kSamples.at(rung)};
  }

  std::shared_ptr<const Candidates> candidates_;
  std::unique_ptr<Search> fresh_;
  std::vector<State> state_;                                ///< by number
  std::array<std::vector<Scored>, kSamples.size()> rungs_;  ///< what was measured, cheapest first
  int pending_ = 0;
};

}  // namespace

std::unique_ptr<Search> make_halving_search(const std::shared_ptr<const Candidates>& candidates,
                                            const std::vector<Params>& seeds, std::uint64_t seed) {
  return std::make_unique<HalvingSearch>(candidates, seeds, seed);
}

}  // namespace foldtune
