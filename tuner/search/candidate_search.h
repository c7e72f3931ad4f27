/// What the searches share: where the seeds come, that everything is proposed once, and that a
/// configuration is its number among the candidates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/search/candidates.h"
#include "tuner/search/search.h"

namespace foldtune {

class CandidateSearch : public Search {
 public:
  std::optional<Config> propose() override;
  void report(const Config& params, std::optional<double> cost) override;

 protected:
  CandidateSearch(std::shared_ptr<const Candidates> candidates, const std::vector<Config>& seeds);

  /// Whether proposal `turn`, counted from 0, is a seed, as long as there are any.
  virtual bool is_seeds_turn(int) const { return true; }

  /// The number of a candidate that was not proposed; empty if there is none.
  virtual std::optional<std::size_t> choose() = 0;

  /// Hears of every candidate that is proposed, seeds as well.
  virtual void on_proposed(std::size_t) {}

  /// Hears of every cost that was not reported before.
  virtual void on_cost(std::size_t, std::optional<double>) {}

  const Candidates& candidates() const { return *candidates_; }
  bool is_proposed(std::size_t i) const { return is_proposed_[i]; }

 private:
  std::optional<Config> propose_seed();

  std::shared_ptr<const Candidates> candidates_;
  std::vector<Config> seeds_;      ///< valid ones, each once, the next one last
  std::vector<bool> is_proposed_;  ///< by number
  std::vector<bool> is_reported_;
  int turn_ = 0;  ///< proposals so far
};

/// The numbers below `size` in random order: the same with every standard library.
std::vector<std::uint32_t> shuffled_numbers(std::size_t size, std::uint64_t seed);

// One file each.
using MakeSearch = std::unique_ptr<Search>(const std::shared_ptr<const Candidates>& candidates,
                                           const std::vector<Config>& seeds, std::uint64_t seed);
MakeSearch make_exhaustive_search;
MakeSearch make_random_search;
MakeSearch make_default_search;
MakeSearch make_seeded_search;

}  // namespace foldtune
