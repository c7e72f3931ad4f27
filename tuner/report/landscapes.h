/// How a problem's time depends on its configuration, reduced to what a chart can show.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cache/config_store.h"

namespace foldtune {

struct LandscapeView {
  struct Point {
    const std::string* params = nullptr;
    double median_us = 0;
  };
  std::vector<Point> points{};               ///< the fastest first
  std::vector<const std::string*> failed{};  ///< params of what never succeeded
  std::size_t left_out = 0;                  ///< points, the slowest
};

/// A point for each configuration: the median of its screenings, which are made alike; where it has
/// none, of its later rounds. `rows` are measurements of one problem and shape.
LandscapeView view_landscape(const std::vector<const MeasurementRecord*>& rows);

/// Takes the slowest points away from those that have the most, until all together have `most`.
void limit_points(std::vector<LandscapeView*>& landscapes, std::size_t most);

}  // namespace foldtune
