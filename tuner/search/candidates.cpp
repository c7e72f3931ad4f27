#include "tuner/search/candidates.h"

#include <algorithm>

#include "tuner/search/prior.h"

namespace foldtune {

Candidates::Candidates(const Workload& workload, const DeviceRecord& device,
                       const std::function<bool(const Config&)>& is_wanted)
    : workload_(workload), device_(device), space_(workload) {
  std::size_t codes = 1;
  for (const Tunable& tunable : workload.problem.family().tunables()) {
    if (tunable.searched.size() < 2) continue;
    axes_.push_back({.tunable = &tunable, .is_ordered = tunable.labels.empty()});
    codes *= tunable.searched.size();
  }
  by_code_.assign(codes, -1);

  // In the order of the space, in which configurations of one program follow one another: what
  // shapes the launch alone comes last in every family.
  for (const Config& params : space_.enumerate()) {
    if (space_.is_redundant(params, device.multiprocessor_count)) continue;
    if (is_wanted && !is_wanted(params)) continue;
    by_code_[*code_of(params)] = static_cast<std::int32_t>(all_.size());
    all_.push_back(params);
    estimates_us_.push_back(foldtune::estimate_us(workload, device, params));
    for (const Axis& axis : axes_) {
      const auto values = axis.tunable->searched;
      const auto place = std::ranges::find(values, params.get(*axis.tunable)) - values.begin();
      places_.push_back(static_cast<std::uint8_t>(place));
    }
  }

  fallback_ = find(space_.default_params(device.multiprocessor_count));
}

std::vector<std::size_t> Candidates::neighbours(std::size_t i) const {
  std::vector<std::size_t> result;
  for (const Config& neighbour : space_.neighbours(all_[i])) {
    const std::optional<std::size_t> found = find(neighbour);
    if (found && *found != i) result.push_back(*found);
  }
  return result;
}

std::optional<std::size_t> Candidates::code_of(const Config& params) const {
  std::size_t code = 0;
  for (const Axis& axis : axes_) {
    const auto values = axis.tunable->searched;
    const auto place = std::ranges::find(values, params.get(*axis.tunable));
    if (place == values.end()) return std::nullopt;
    code = code * values.size() + static_cast<std::size_t>(place - values.begin());
  }
  return code;
}

std::optional<std::size_t> Candidates::find(const Config& params) const {
  if (!space_.contains(params)) return std::nullopt;
  const Config canonical = space_.canonical(params, device_.multiprocessor_count);
  const std::optional<std::size_t> code = code_of(canonical);
  if (!code || by_code_[*code] < 0) return std::nullopt;
  const auto number = static_cast<std::size_t>(by_code_[*code]);
  // Tunables of one searched value are no part of the code.
  return all_[number] == canonical ? std::optional(number) : std::nullopt;
}

}  // namespace foldtune
