#include "tuner/search/seeds.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foldtune {
namespace {

// Distances, in factors of two of the number of bytes: what is as bad as so much another size.
constexpr double kOtherOperator = 1.5;
constexpr double kOtherType = 1;
constexpr double kOtherFields = 3;   ///< what else the family tells problems apart by
constexpr double kOtherPromise = 4;  ///< another determinism

double log2_bytes(const Problem& problem) {
  return std::log2(static_cast<double>(problem.input_bytes()) + 1);
}

double distance(const Problem& a, const Problem& b) {
  return std::abs(log2_bytes(a) - log2_bytes(b)) + (a.op != b.op ? kOtherOperator : 0) +
         (a.type != b.type ? kOtherType : 0) + (field_text(a) == field_text(b) ? 0 : kOtherFields) +
         (a.determinism != b.determinism ? kOtherPromise : 0);
}

}  // namespace

std::vector<Config> seeds_from(const std::vector<Known>& known, const Problem& problem,
                               std::size_t most) {
  std::vector<std::pair<double, const Known*>> order;
  for (const Known& other : known) {
    if (&other.params.family() != &family_of(problem)) continue;
    order.emplace_back(distance(problem, other.problem), &other);
  }
  std::ranges::stable_sort(order, {}, &std::pair<double, const Known*>::first);

  const Space space(problem);
  std::vector<Config> seeds;
  for (const auto& [far, other] : order) {
    const Config params = family_of(problem).adapted(other->params, other->problem, problem);
    if (seeds.size() == most) break;
    if (!space.contains(params) || !params.family().is_searched(problem, params)) continue;
    if (std::ranges::count(seeds, params) > 0) continue;
    seeds.push_back(params);
  }
  return seeds;
}

}  // namespace foldtune
