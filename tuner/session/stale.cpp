#include "tuner/session/stale.h"

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>
#include <utility>

#include "cache/pin.h"
#include "runtime/lookup/lookup.h"
#include "templates/fingerprint.h"
#include "tuner/problem/problem_key.h"
#include "tuner/session/problem_history.h"

namespace foldtune {
namespace {

/// The results of a problem on the device, with any driver and compiler.
struct Results {
  ProblemKey key;
  std::vector<StoredResult> stale{};
  std::vector<StoredResult> present{};
};

std::vector<Results> group_by_problem(const std::vector<StoredResult>& best,
                                      const PresentDevice& device) {
  std::set<PinScope> pinned;
  for (const StoredResult& row : best) {
    if (row.is_pinned) pinned.insert(pin_scope(row));
  }
  std::vector<Results> groups;
  for (const StoredResult& row : best) {
    // Of a family that is not known here nobody can tell, and it is said.
    const bool has_these_kernels = find_family(row.measurement.problem.family) == nullptr ||
                                   is_of_these_kernels(row.measurement.template_fingerprint);
    const Validity validity = validity_of(row, device.record, device.compiler, has_these_kernels);
    if (validity != Validity::valid && validity != Validity::stale) continue;
    if (pinned.contains(pin_scope(row))) continue;  // another time would change nothing
    const ProblemKey& key = row.measurement.problem;
    auto group = std::ranges::find(groups, key, &Results::key);
    if (group == groups.end()) group = groups.insert(groups.end(), {.key = key});
    (validity == Validity::valid ? group->present : group->stale).push_back(row);
  }
  return groups;
}

bool is_stale(const Results& group) { return group.present.empty() && !group.stale.empty(); }

}  // namespace

StaleResults find_stale(const std::vector<StoredResult>& best, const PresentDevice& device) {
  StaleResults found;
  for (Results& group : group_by_problem(best, device)) {
    if (!is_stale(group)) continue;
    const std::string& family = group.key.family;
    if (find_family(family) == nullptr) {
      if (std::ranges::find(found.unknown_families, family) == found.unknown_families.end()) {
        found.unknown_families.push_back(family);
      }
      continue;
    }
    std::ranges::stable_sort(group.stale, std::greater(), &StoredResult::measured_at);
    const auto workload = read_workload(group.key, group.stale.front().measurement.shape);
    if (workload && workload->problem.custom() == nullptr) {
      found.problems.push_back({*workload, std::move(group.stale), std::move(group.present)});
    } else {
      found.unreadable.push_back(group.key);
    }
  }
  return found;
}

std::vector<Config> candidates_of(const StaleProblem& stale) {
  std::vector<Config> candidates;
  for (const auto& results : {stale.stale, stale.present}) {
    for (const StoredResult& result : results) {
      try {
        candidates.push_back(
            config_from_json(stale.workload.problem.family(), result.measurement.params));
      } catch (const std::invalid_argument&) {
        continue;  // of a Foldtune with other tunables
      }
    }
  }
  return candidates;
}

}  // namespace foldtune
