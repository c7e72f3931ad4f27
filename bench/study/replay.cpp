#include "bench/study/replay.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>

#include "tuner/replay/noise.h"
#include "tuner/search/search.h"

namespace foldtune {
namespace {

constexpr int kUsualSamples = 2;         ///< of an evaluation
constexpr double kCallsPerSample = 100;  ///< for the estimate of the time

}  // namespace

Ground::Ground(const Landscape& landscape)
    : landscape_(&landscape),
      candidates_(std::make_shared<const Candidates>(landscape.problem, landscape.device)),
      points_(candidates_->size(), nullptr) {
  std::vector<bool> is_recorded(candidates_->size(), false);
  for (const LandscapePoint& point : landscape.points) {
    const auto number = candidates_->find(point.params);
    if (!number) continue;
    is_recorded[*number] = true;
    if (point.outcome == Outcome::ok) points_[*number] = &point;
  }
  missing_ = static_cast<std::size_t>(std::ranges::count(is_recorded, false));
  for (const LandscapePoint* point : points_) {
    if (point == nullptr) continue;
    if (optimum_us_ == 0 || point->median_us < optimum_us_) optimum_us_ = point->median_us;
  }
}

const LandscapePoint* Ground::find(const Params& params) const {
  const auto number = candidates_->find(params);
  return number ? points_[*number] : nullptr;
}

Run replay(const Ground& ground, std::string_view name, const std::vector<Params>& seeds,
           std::uint64_t seed, const ReplaySettings& settings) {
  const std::unique_ptr<Search> search = make_search(name, ground.candidates(), seeds, seed);
  std::mt19937_64 random(seed);
  std::deque<Proposal> in_flight;
  Run run;
  run.evaluations.fill(settings.budget + 1);
  double evaluations = 0;
  while (evaluations < settings.budget) {
    while (static_cast<int>(in_flight.size()) < settings.in_flight) {
      const std::optional<Proposal> next = search->propose();
      if (!next) break;
      in_flight.push_back(*next);
    }
    if (in_flight.empty()) break;
    const Proposal proposal = in_flight.front();
    in_flight.pop_front();
    evaluations += static_cast<double>(proposal.samples) / kUsualSamples;
    const LandscapePoint* const point = ground.find(proposal.params);
    const double compile_us = ground.landscape().compile_ms * 1e3;
    const bool is_near_already = run.evaluations.front() <= settings.budget;
    if (!is_near_already) run.seconds += compile_us * 1e-6;
    if (point == nullptr) {
      search->report(proposal.params, std::nullopt);
      continue;
    }
    if (!is_near_already) {
      run.seconds += proposal.samples * kCallsPerSample * point->median_us * 1e-6;
    }
    for (std::size_t i = 0; i < kNear.size(); ++i) {
      if (point->median_us > ground.optimum_us() * (1 + kNear[i])) continue;
      run.evaluations[i] = std::min(run.evaluations[i], static_cast<int>(std::ceil(evaluations)));
    }
    if (run.evaluations.back() <= settings.budget) break;
    const double noise = settings.noise * point->mad_us * kDeviationPerMad *
                         standard_normal(random) / std::sqrt(proposal.samples);
    search->report(proposal.params, std::max(point->median_us / 2, point->median_us + noise));
  }
  return run;
}

}  // namespace foldtune
