/// What the runs of a search come to.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "bench/study/replay.h"

namespace foldtune {

/// Evaluations after which the share of the runs that are near the optimum is asked for.
inline constexpr std::array kBudgets{5, 10, 20, 50, 100, 200};

struct Summary {
  std::array<int, kNear.size()> median{};        ///< evaluations to within kNear
  std::array<int, kNear.size()> percentile90{};  ///< the same
  std::array<double, kBudgets.size()> share{};   ///< of the runs, within kNear.front()
  double seconds = 0;                            ///< median
};

/// Of at least one run.
Summary summarise(const std::vector<Run>& runs);

/// One row of a table.
struct Row {
  std::string label;
  Summary summary;
};

/// `budget` is the runs' own: what is beyond it is shown as such.
std::string format_rows(std::string_view title, const std::vector<Row>& rows, int budget);

}  // namespace foldtune
