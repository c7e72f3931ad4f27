#include "tuner/search/seeds.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foldtune {
namespace {

double log2_bytes(const Workload& workload) {
  return std::log2(static_cast<double>(input_bytes(workload)) + 1);
}

/// In factors of two of the number of bytes.
double distance(const Workload& a, const Workload& b) {
  return std::abs(log2_bytes(a) - log2_bytes(b)) + apart(a.problem, b.problem);
}

}  // namespace

std::vector<Config> seeds_from(const std::vector<Known>& known, const Workload& workload,
                               std::size_t most) {
  std::vector<std::pair<double, const Known*>> order;
  for (const Known& other : known) {
    if (&other.params.family() != &workload.problem.family()) continue;
    order.emplace_back(distance(workload, other.workload), &other);
  }
  std::ranges::stable_sort(order, {}, &std::pair<double, const Known*>::first);

  const Space space(workload);
  std::vector<Config> seeds;
  for (const auto& [far, other] : order) {
    const Config params =
        workload.problem.family().adapted(other->params, other->workload, workload);
    if (seeds.size() == most) break;
    if (!space.contains(params) || !params.family().is_searched(workload, params)) continue;
    if (std::ranges::count(seeds, params) > 0) continue;
    seeds.push_back(params);
  }
  return seeds;
}

}  // namespace foldtune
