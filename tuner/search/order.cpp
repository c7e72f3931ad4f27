// The searches that learn nothing: every configuration, in an order that is known beforehand.
#include <numeric>
#include <utility>

#include "tuner/search/candidate_search.h"

namespace foldtune {
namespace {

class OrderedSearch final : public CandidateSearch {
 public:
  OrderedSearch(std::shared_ptr<const Candidates> candidates, const std::vector<Config>& seeds,
                std::vector<std::uint32_t> order)
      : CandidateSearch(std::move(candidates), seeds), order_(std::move(order)) {}

 private:
  std::optional<std::size_t> choose() override {
    while (next_ < order_.size()) {
      const std::size_t number = order_[next_++];
      if (!is_proposed(number)) return number;
    }
    return std::nullopt;
  }

  std::vector<std::uint32_t> order_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Search> make_exhaustive_search(const std::shared_ptr<const Candidates>& candidates,
                                               const std::vector<Config>& seeds, std::uint64_t) {
  std::vector<std::uint32_t> order(candidates->size());
  std::iota(order.begin(), order.end(), 0);
  return std::make_unique<OrderedSearch>(candidates, seeds, std::move(order));
}

std::unique_ptr<Search> make_random_search(const std::shared_ptr<const Candidates>& candidates,
                                           const std::vector<Config>& seeds, std::uint64_t seed) {
  std::vector<std::uint32_t> order = shuffled_numbers(candidates->size(), seed);
  return std::make_unique<OrderedSearch>(candidates, seeds, std::move(order));
}

}  // namespace foldtune
