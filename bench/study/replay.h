/// One search on one recorded landscape: how soon it finds what is nearly the best.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "templates/space.h"
#include "tuner/exchange/landscape.h"
#include "tuner/search/candidates.h"

namespace foldtune {

/// How near to the optimum a search has to come: within 5%.
inline constexpr double kNear = 0.05;

/// The recorded configurations of a landscape, as the candidates of searches. Refers to the
/// landscape.
class Ground {
 public:
  /// Throws InvalidArgument if nothing of it succeeded.
  explicit Ground(const Landscape& landscape);

  const Landscape& landscape() const { return *landscape_; }
  std::shared_ptr<const Candidates> candidates() const { return candidates_; }
  const LandscapePoint& best() const { return *best_; }

  /// Null if the configuration failed, or was not recorded.
  const LandscapePoint* find(const Config& params) const;

 private:
  const Landscape* landscape_;
  const LandscapePoint* best_;
  std::unordered_map<std::string, const LandscapePoint*> points_;  ///< by the JSON of their params
  std::shared_ptr<const Candidates> candidates_;
};

struct ReplaySettings {
  int in_flight = 8;  ///< proposals that are made before the first is reported
  int budget = 200;   ///< evaluations
};

/// Evaluations until a configuration within kNear of the optimum was tried; budget + 1 if none was.
/// Seeds that were not recorded are left out.
int replay(const Ground& ground, std::string_view search, const std::vector<Config>& seeds,
           std::uint64_t seed, const ReplaySettings& settings = {});

}  // namespace foldtune
