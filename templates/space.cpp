#include "templates/space.h"

#include <algorithm>
#include <cstdlib>

namespace foldtune {
namespace {

bool has_value(std::span<const int> values, int value) {
  return std::ranges::find(values, value) != values.end();
}

}  // namespace

Space::Space(const Workload& workload, Extent extent)
    : workload_(workload), family_(&workload.problem.family()), extent_(extent) {}

std::span<const int> Space::values_of(const Tunable& tunable) const {
  return extent_ == Extent::all ? tunable.values : tunable.searched;
}

bool Space::is_in_extent(const Config& params) const {
  return extent_ == Extent::all || family_->is_searched(workload_, params);
}

bool Space::contains(const Config& params) const {
  return &params.family() == family_ &&
         std::ranges::all_of(
             family_->tunables(),
             [&](const Tunable& t) { return has_value(t.values, params.get(t)); }) &&
         family_->is_valid(workload_, params);
}

std::vector<Config> Space::enumerate() const {
  std::vector<Config> all{Config(*family_)};
  for (const Tunable& tunable : family_->tunables()) {
    const std::span<const int> values = values_of(tunable);
    std::vector<Config> longer;
    longer.reserve(all.size() * values.size());
    for (const Config& prefix : all) {
      for (const int value : values) longer.emplace_back(prefix).set(tunable, value);
    }
    all = std::move(longer);
  }
  std::erase_if(
      all, [this](const Config& params) { return !contains(params) || !is_in_extent(params); });
  return all;
}

std::vector<Config> Space::neighbours(const Config& params) const {
  std::vector<Config> result;
  for (const Tunable& tunable : family_->tunables()) {
    const std::span<const int> values = values_of(tunable);
    const auto here = std::ranges::find(values, params.get(tunable));
    for (auto other = values.begin(); other != values.end(); ++other) {
      const bool one_step = std::abs(other - here) == 1;
      if (other == here || (tunable.labels.empty() && !one_step)) continue;
      Config neighbour = params;
      neighbour.set(tunable, *other);
      if (contains(neighbour) && is_in_extent(neighbour)) result.push_back(neighbour);
    }
  }
  return result;
}

bool Space::is_redundant(const Config& params, int multiprocessor_count) const {
  return canonical(params, multiprocessor_count) != params;
}

Config Space::canonical(const Config& params, int multiprocessor_count) const {
  return family_->canonical(workload_, params, multiprocessor_count);
}

Config Space::default_params(int multiprocessor_count) const {
  return family_->fallback(workload_, multiprocessor_count);
}

}  // namespace foldtune
