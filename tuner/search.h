/// Which configuration to try next. Pure: it proposes, and is told the cost; it launches nothing,
/// and the same seed and costs give the same proposals.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "templates/space.h"

namespace foldtune {

/// Greedy local search from several starting points: first the given seeds, then a random sample of
/// the space, then the neighbours of the best found so far, nearest to the best first; where those
/// are all tried, random ones again, until the space is exhausted.
///
/// Proposals do not wait for results, so that several can be compiled while one is measured.
class Search {
 public:
  /// `multiprocessor_count` tells redundant configurations; `seeds` go first, in their order.
  Search(const Space& space, int multiprocessor_count, std::vector<Params> seeds,
         std::uint64_t seed);

  /// A configuration that was not proposed before; empty when there is none left.
  std::optional<Params> propose();

  /// The cost (lower is better) of a proposed configuration; empty if it failed.
  void report(const Params& params, std::optional<double> cost);

  /// The `most` cheapest reported so far, cheapest first.
  std::vector<Params> best(std::size_t most) const;

 private:
  struct Scored {
    double cost;
    Params params;
  };

  bool take(const Params& params);
  std::optional<Params> propose_neighbour();
  std::optional<Params> propose_random();

  Space space_;
  int multiprocessor_count_;
  std::vector<Params> seeds_;       ///< those left, the next one last
  std::vector<Params> shuffled_;    ///< the space in random order, the next one last
  std::set<std::string> proposed_;  ///< by their JSON
  int random_left_;                 ///< of the first sample
  std::vector<Scored> scored_;      ///< cheapest first
};

}  // namespace foldtune
