#include "tuner/marked.h"

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>
#include <utility>

#include "runtime/lookup.h"
#include "templates/embedded.h"
#include "templates/space.h"
#include "tuner/problem_key.h"

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
        validity_of(row.run, device.record, device.compiler, template_fingerprint());
    if (validity != Validity::valid && validity != Validity::marked) continue;
    const ProblemKey& key = row.measurement.problem;
    auto group = std::ranges::find(groups, key, &Results::key);
    if (group == groups.end()) group = groups.insert(groups.end(), {.key = key});
    (validity == Validity::valid ? group->present : group->marked).push_back(row);
  }
  return groups;
}

bool is_marked(const Results& group) { return group.present.empty() && !group.marked.empty(); }

/// What a search makes of it; empty if it cannot be tried.
std::string canonical(const Space& space, const std::string& params, Family family,
                      int multiprocessor_count) try {
  const Params read = params_from_json(family, params);
  if (!space.contains(read)) return {};
  return to_json(space.canonical(read, multiprocessor_count));
} catch (const std::invalid_argument&) {
  return {};
}

class MarkedRelations final : public ConfigStore {
 public:
  MarkedRelations(ConfigStore& store, const std::vector<MarkedProblem>& problems)
      : store_(store), problems_(problems) {}

  RunId begin_run(const RunRecord& run) override { return store_.begin_run(run); }
  void put(RunId run, const MeasurementRecord& measurement) override {
    store_.put(run, measurement);
  }
  std::optional<Match> find(const TuningKey& key) const override { return store_.find(key); }
  std::vector<StoredResult> best() const override { return store_.best(); }
  std::vector<StoredResult> measurements_where(
      const std::function<bool(const StoredResult&)>& is_wanted) const override {
    return store_.measurements_where(is_wanted);
  }
  std::vector<StoredResult> choices_of(const ProblemKey& problem) const override {
    return store_.choices_of(problem);
  }
  std::vector<StoredResult> measurements_of(const TuningKey& key) const override {
    return store_.measurements_of(key);
  }
  std::vector<StoredResult> related(const TuningKey& key, std::size_t most) const override {
    for (const MarkedProblem& marked : problems_) {
      if (make_problem_key(marked.problem) != key.problem) continue;
      std::vector<StoredResult> results = marked.marked;
      results.insert(results.end(), marked.present.begin(), marked.present.end());
      results.resize(std::min(results.size(), most));
      return results;
    }
    return {};
  }

 private:
  ConfigStore& store_;
  const std::vector<MarkedProblem>& problems_;
};

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

int count_candidates(const MarkedProblem& marked, const DeviceRecord& device) {
  const Space space(marked.problem);
  const Family family = family_of(marked.problem.op);
  const int multiprocessors = device.multiprocessor_count;
  std::set<std::string> all{
      to_json(space.canonical(space.default_params(multiprocessors), multiprocessors))};
  for (const auto& results : {marked.marked, marked.present}) {
    for (const StoredResult& result : results) {
      all.insert(canonical(space, result.measurement.params, family, multiprocessors));
    }
  }
  all.erase("");
  return static_cast<int>(all.size());
}

std::unique_ptr<ConfigStore> with_marked_relations(ConfigStore& store,
                                                   const std::vector<MarkedProblem>& problems) {
  return std::make_unique<MarkedRelations>(store, problems);
}

}  // namespace foldtune
