#include "tuner/session/marked.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "runtime/lookup/lookup.h"
#include "templates/fingerprint.h"
#include "tuner/problem/problem_key.h"
#include "tuner/session/problem_history.h"

namespace foldtune {
namespace {

/// The results of a problem on the device, with any driver and compiler.
struct Results {
  ProblemKey key;
  std::vector<StoredResult> marked{};
  std::vector<StoredResult> present{};
};

std::vector<Results> group_by_problem(const std::vector<StoredResult>& best,
                                      const PresentDevice& device) {
  std::vector<Results> groups;
  for (const StoredResult& row : best) {
    const Validity validity =
        validity_of(row, device.record, device.compiler,
                    is_of_these_kernels(row.measurement.template_fingerprint));
    if (validity != Validity::valid && validity != Validity::marked) continue;
    const ProblemKey& key = row.measurement.problem;
    auto group = std::ranges::find(groups, key, &Results::key);
    if (group == groups.end()) group = groups.insert(groups.end(), {.key = key});
    (validity == Validity::valid ? group->present : group->marked).push_back(row);
  }
  return groups;
}

bool is_marked(const Results& group) { return group.present.empty() && !group.marked.empty(); }

}  // namespace

MarkedProblems find_marked(const std::vector<StoredResult>& best, const PresentDevice& device) {
  MarkedProblems found;
  for (Results& group : group_by_problem(best, device)) {
    if (!is_marked(group)) continue;
    std::ranges::stable_sort(group.marked, std::greater(), &StoredResult::measured_at);
    const auto problem = is_custom(group.key)
                             ? std::nullopt
                             : read_problem(group.key, group.marked.front().measurement.count);
    if (problem) {
      found.problems.push_back({*problem, std::move(group.marked), std::move(group.present)});
    } else {
      found.unreadable.push_back(group.key);
    }
  }
  return found;
}

std::vector<Config> candidates_of(const MarkedProblem& marked) {
  std::vector<Config> candidates;
  for (const auto& results : {marked.marked, marked.present}) {
    for (const StoredResult& result : results) {
      try {
        candidates.push_back(
            config_from_json(family_of(marked.problem), result.measurement.params));
      } catch (const std::invalid_argument&) {
        continue;  // of a Foldtune with other tunables
      }
    }
  }
  return candidates;
}

}  // namespace foldtune
