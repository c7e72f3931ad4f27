#include "bench/study/replay.h"

#include <fmt/format.h>

#include <deque>
#include <optional>

#include "foldtune/error.h"
#include "tuner/search/search.h"

namespace foldtune {

Ground::Ground(const Landscape& landscape)
    : landscape_(&landscape), best_(find_optimum(landscape)) {
  if (best_ == nullptr) {
    throw InvalidArgument(
        fmt::format("studying {}: nothing in it succeeded", to_string(landscape.workload)));
  }
  for (const LandscapePoint& point : landscape.points) points_[to_json(point.params)] = &point;
  candidates_ = std::make_shared<const Candidates>(
      landscape.workload, landscape.device,
      [&](const Config& params) { return points_.contains(to_json(params)); });
}

const LandscapePoint* Ground::find(const Config& params) const {
  const auto found = points_.find(to_json(params));
  return found == points_.end() || found->second->outcome != Outcome::ok ? nullptr : found->second;
}

int replay(const Ground& ground, std::string_view name, const std::vector<Config>& seeds,
           std::uint64_t seed, const ReplaySettings& settings) {
  std::vector<Config> recorded;
  for (const Config& params : seeds) {
    if (ground.candidates()->find(params)) recorded.push_back(params);
  }
  const auto search = make_search(name, ground.candidates(), recorded, seed);
  std::deque<Config> in_flight;
  for (int evaluations = 1; evaluations <= settings.budget; ++evaluations) {
    while (static_cast<int>(in_flight.size()) < settings.in_flight) {
      const std::optional<Config> next = search->propose();
      if (!next) break;
      in_flight.push_back(*next);
    }
    if (in_flight.empty()) break;
    const Config params = in_flight.front();
    in_flight.pop_front();
    const LandscapePoint* const point = ground.find(params);
    if (point != nullptr && point->median_us <= ground.best().median_us * (1 + kNear)) {
      return evaluations;
    }
    search->report(params, point ? std::optional(point->median_us) : std::nullopt);
  }
  return settings.budget + 1;
}

}  // namespace foldtune
