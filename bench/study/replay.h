/// One search on one recorded landscape: how soon it finds what is nearly the best.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include "templates/space.h"
#include "tuner/replay/landscape.h"
#include "tuner/search/candidates.h"

namespace foldtune {

/// How near to the optimum a search has to come.
inline constexpr std::array kNear{0.05, 0.02, 0.01};

/// A landscape by the numbers of the candidates.
class Ground {
 public:
  explicit Ground(const Landscape& landscape);

  const Landscape& landscape() const { return *landscape_; }
  std::shared_ptr<const Candidates> candidates() const { return candidates_; }

  double optimum_us() const { return optimum_us_; }
  std::size_t missing() const { return missing_; }  ///< candidates that were not recorded

  /// Null if the configuration failed, or was not recorded.
  const LandscapePoint* find(const Params& params) const;

 private:
  const Landscape* landscape_;
  std::shared_ptr<const Candidates> candidates_;
  std::vector<const LandscapePoint*> points_;  ///< by number
  double optimum_us_ = 0;
  std::size_t missing_ = 0;
};

struct ReplaySettings {
  double noise = 1;   ///< of the recorded deviations
  int in_flight = 8;  ///< proposals that are made before the first is reported
  int budget = 400;   ///< evaluations
};

/// What came of one run.
struct Run {
  /// Evaluations until a configuration within kNear of the optimum was tried; budget + 1 if none
  /// was. A proposal with more samples than two counts as several.
  std::array<int, kNear.size()> evaluations{};
  double seconds = 0;  ///< estimated, to the first of kNear
};

Run replay(const Ground& ground, std::string_view search, const std::vector<Params>& seeds,
           std::uint64_t seed, const ReplaySettings& settings);

}  // namespace foldtune
