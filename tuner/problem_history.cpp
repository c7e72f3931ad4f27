#include "tuner/problem_history.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cache/columns.h"
#include "tuner/problem_key.h"
#include "tuner/search/seeds.h"

namespace foldtune {
namespace {

/// Other problems whose best configurations are compared for likeness.
constexpr std::size_t kRelated = 100;

}  // namespace

ProblemHistory::ProblemHistory(const ConfigStore& store, const TuningKey& key,
                               const Problem& problem, bool resume)
    : family_(family_of(problem.op)) {
  for (StoredResult& stored : store.measurements_of(key)) {
    MeasurementRecord& record = stored.measurement;
    const bool is_choice = record.round >= kChosen && record.outcome == Outcome::ok;
    const std::optional<Params> params = parse(record.params);
    if (!stored.imported_from.empty()) {
      if (is_choice && params) imported_.push_back(*params);
      continue;
    }
    if (is_choice) next_round_ = std::clamp(record.round + 1, next_round_, kMostRound);
    if (!params) continue;
    if (is_choice && record.count == problem.count) chosen_ = record;
    if (record.count != problem.count || !resume) continue;
    // Stores sort the keys; `to_json` has the order of the struct.
    MeasurementRecord& known = known_[to_json(*params)];
    // A success shows that an earlier failure was not the configuration's.
    if (known.params.empty() || record.round == kScreened) known = std::move(record);
  }
}

std::optional<Params> ProblemHistory::parse(const std::string& params) const {
  try {
    return params_from_json(family_, params);
  } catch (const std::invalid_argument&) {
    return std::nullopt;  // of a Foldtune with other tunables, or edited
  }
}

std::size_t ProblemHistory::failed() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      known_, [](const auto& known) { return known.second.outcome != Outcome::ok; }));
}

const MeasurementRecord* ProblemHistory::find(const Params& params) const {
  const auto found = known_.find(to_json(params));
  return found == known_.end() ? nullptr : &found->second;
}

std::optional<Params> ProblemHistory::chosen_params() const {
  return chosen_ ? parse(chosen_->params) : std::nullopt;
}

double ProblemHistory::default_us() const {
  const auto found = std::ranges::find_if(known_, [](const auto& known) {
    return known.second.is_default && known.second.outcome == Outcome::ok;
  });
  return found == known_.end() ? 0 : found->second.median_us;
}

std::vector<Params> seeds_of_others(const ConfigStore& store, const TuningKey& key,
                                    const Problem& problem, std::size_t most) {
  std::vector<Known> known;
  for (const StoredResult& other : store.related(key, kRelated)) {
    const MeasurementRecord& best = other.measurement;
    const std::optional<Problem> their = read_problem(best.problem, best.count);
    if (!their) continue;
    try {
      known.push_back({*their, params_from_json(family_of(problem.op), best.params)});
    } catch (const std::invalid_argument&) {
      continue;  // of a Foldtune with other tunables
    }
  }
  return seeds_from(known, problem, most);
}

}  // namespace foldtune
