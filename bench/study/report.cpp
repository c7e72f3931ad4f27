#include "bench/study/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/table.h"

namespace foldtune {
namespace {

/// The value that `share` of all values do not exceed.
template <class T>
T quantile(std::vector<T> values, double share) {
  const auto last = static_cast<double>(values.size() - 1);
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(std::lround(share * last));
  std::ranges::nth_element(values, place);
  return *place;
}

std::string format_evaluations(int evaluations, int budget) {
  return evaluations > budget ? fmt::format(">{}", budget) : fmt::to_string(evaluations);
}

}  // namespace

Summary summarise(const std::vector<Run>& runs) {
  Summary summary;
  for (std::size_t i = 0; i < kNear.size(); ++i) {
    std::vector<int> evaluations;
    evaluations.reserve(runs.size());
    for (const Run& run : runs) evaluations.push_back(run.evaluations[i]);
    summary.median[i] = quantile(evaluations, 0.5);
    summary.percentile90[i] = quantile(std::move(evaluations), 0.9);
  }
  for (std::size_t i = 0; i < kBudgets.size(); ++i) {
    const auto near = std::ranges::count_if(
        runs, [&](const Run& run) { return run.evaluations.front() <= kBudgets[i]; });
    summary.share[i] = static_cast<double>(near) / static_cast<double>(runs.size());
  }
  std::vector<double> seconds;
  seconds.reserve(runs.size());
  for (const Run& run : runs) seconds.push_back(run.seconds);
  summary.seconds = quantile(std::move(seconds), 0.5);
  return summary;
}

std::string format_rows(std::string_view title, const std::vector<Row>& rows, int budget) {
  std::vector<Column> columns{{std::string(title)}};
  for (const double near : kNear) {
    columns.push_back({fmt::format("to {:.0f}%", 100 * near), Align::right});
    columns.push_back({"p90", Align::right});
  }
  for (const int evaluations : kBudgets) {
    columns.push_back({fmt::format("@{}", evaluations), Align::right});
  }
  columns.push_back({"~s", Align::right});
  Table table(columns);
  for (const Row& row : rows) {
    std::vector<std::string> cells{row.label};
    for (std::size_t i = 0; i < kNear.size(); ++i) {
      cells.push_back(format_evaluations(row.summary.median[i], budget));
      cells.push_back(format_evaluations(row.summary.percentile90[i], budget));
    }
    for (const double share : row.summary.share) {
      cells.push_back(fmt::format("{:.0f}%", 100 * share));
    }
    cells.push_back(fmt::format("{:.1f}", row.summary.seconds));
    table.add_row(std::move(cells));
  }
  return table.to_string(0);
}

}  // namespace foldtune
