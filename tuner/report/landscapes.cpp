#include "tuner/report/landscapes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>

#include "tuner/measure/statistics.h"
#include "tuner/session/problem_history.h"

namespace foldtune {
namespace {

struct Times {
  const std::string* params = nullptr;
  std::vector<double> screened{};
  std::vector<double> later{};
};

}  // namespace

LandscapeView view_landscape(const std::vector<const MeasurementRecord*>& rows) {
  std::map<std::string_view, Times> all;
  for (const MeasurementRecord* const m : rows) {
    Times& times = all[m->params];
    times.params = &m->params;
    if (m->outcome != Outcome::ok) continue;
    (m->round == kScreened ? times.screened : times.later).push_back(m->median_us);
  }
  LandscapeView view;
  for (auto& [params, times] : all) {
    std::vector<double>& medians = times.screened.empty() ? times.later : times.screened;
    if (medians.empty()) {
      view.failed.push_back(times.params);
    } else {
      view.points.push_back({times.params, median(medians)});
    }
  }
  std::ranges::stable_sort(view.points, {}, &LandscapeView::Point::median_us);
  return view;
}

void limit_points(std::vector<LandscapeView*>& landscapes, std::size_t most) {
  const auto size = [](const LandscapeView* view) { return view->points.size(); };
  std::ranges::sort(landscapes, {}, size);
  std::size_t room = most;
  std::size_t remaining = landscapes.size();
  for (LandscapeView* const view : landscapes) {
    // What the smaller ones do not need is shared by the larger ones.
    const std::size_t share = room / remaining--;
    if (view->points.size() > share) {
      view->left_out = view->points.size() - share;
      view->points.resize(share);
    }
    room -= view->points.size();
  }
}

}  // namespace foldtune
