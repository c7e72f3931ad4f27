#include "tuner/session/problem_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cache/columns.h"
#include "cache/notice.h"
#include "runtime/lookup/lookup.h"
#include "tuner/problem/problem_key.h"
#include "tuner/search/seeds.h"

namespace foldtune {
namespace {

/// Other problems whose best configurations are compared for likeness.
constexpr std::size_t kRelated = 100;

void note_left_out(std::size_t count, const Workload& workload) {
  if (count == 0) return;
  note_once(fmt::format(
      "{} of the stored measurements of {} {} left out, since the configuration is none of that "
      "problem; foldtune doctor says which",
      count, to_string(workload), count == 1 ? "is" : "are"));
}

}  // namespace

ProblemHistory::ProblemHistory(const ConfigStore& store, const TuningKey& key,
                               const Workload& workload, bool resume) {
  std::size_t left_out = 0;
  bool is_in_comparison = false;  // which follows on its choice
  const std::string shape = to_text(workload.problem.family(), workload.shape);
  for (StoredResult& stored : store.measurements_of(key)) {
    MeasurementRecord& record = stored.measurement;
    const bool is_choice = record.round >= kChosen && record.outcome == Outcome::ok;
    if (is_choice) is_in_comparison = false;  // until it is seen to be of this count
    const std::optional<Config> params = read_params(workload, record.params);
    if (!params) ++left_out;
    if (!stored.imported_from.empty()) {
      if (is_choice && params) imported_.push_back(*params);
      continue;
    }
    if (is_choice) next_round_ = std::max(next_round_, std::min(record.round, kMostRound - 1) + 1);
    if (!params || record.shape != shape) continue;
    if (is_choice) {
      chosen_ = record;
      chosen_params_ = params;
      fallback_ = record.is_default ? chosen_ : std::nullopt;
    }
    is_in_comparison = is_choice || (is_in_comparison && record.round == kCompared);
    if (is_in_comparison && record.is_default && record.outcome == Outcome::ok && !is_choice) {
      fallback_ = record;
    }
    // Memory that lacked once may be there now: it is tried again.
    if (!resume || record.outcome == Outcome::out_of_memory) continue;
    // Stores sort the keys; `to_json` has the order of the struct.
    MeasurementRecord& known = known_[to_json(*params)];
    // A success shows that an earlier failure was not the configuration's.
    if (known.params.empty() || record.round == kScreened) known = std::move(record);
  }
  note_left_out(left_out, workload);
}

std::size_t ProblemHistory::failed() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      known_, [](const auto& known) { return known.second.outcome != Outcome::ok; }));
}

const MeasurementRecord* ProblemHistory::find(const Config& params) const {
  const auto found = known_.find(to_json(params));
  return found == known_.end() ? nullptr : &found->second;
}

std::optional<Config> read_params(const Workload& workload, const std::string& json) {
  try {
    const Config params = config_from_json(workload.problem.family(), json);
    if (Space(workload).contains(params)) return params;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Config> find_in_use(const ConfigStore& store, const TuningKey& key,
                                  const Workload& workload) {
  const std::optional<Match> match = store.find(key, bucket_distance(workload));
  if (!match || match->quality != MatchQuality::exact) return std::nullopt;
  return read_params(workload, match->params);
}

std::vector<Config> seeds_of_others(const ConfigStore& store, const TuningKey& key,
                                    const Workload& workload, std::size_t most) {
  std::vector<Known> known;
  for (const StoredResult& other : store.related(key, bucket_distance(workload), kRelated)) {
    const MeasurementRecord& best = other.measurement;
    const std::optional<Workload> their = read_workload(best.problem, best.shape);
    if (!their || !find_fault(*their).empty()) continue;
    try {
      known.push_back({*their, config_from_json(workload.problem.family(), best.params)});
    } catch (const std::invalid_argument&) {
      continue;  // of a Foldtune with other tunables
    }
  }
  return seeds_from(known, workload, most);
}

}  // namespace foldtune
