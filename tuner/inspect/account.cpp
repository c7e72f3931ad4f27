#include "tuner/inspect/account.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "tuner/inspect/device_listing.h"
#include "tuner/inspect/stored_rows.h"
#include "tuner/session/problem_history.h"

namespace foldtune {
namespace {

/// What the choice rests on; without a match the newest result of the problem on the same device,
/// one of its own if there is any, whatever its driver, compiler and kernels.
std::optional<StoredResult> find_basis(const Account& account,
                                       const std::vector<StoredResult>& best) {
  if (account.choice.match) {
    const auto chosen = std::ranges::find(best, account.choice.match->measurement_id,
                                          &StoredResult::measurement_id);
    if (chosen != best.end()) return *chosen;
  }
  const ProblemKey key = make_problem_key(account.workload);
  std::optional<StoredResult> basis;
  for (const StoredResult& row : best) {
    const bool is_candidate =
        row.measurement.problem == key && is_same_device(row.run.device, account.place.device);
    if (!is_candidate) continue;
    if (!basis || !is_preferred(*basis, row)) basis = row;
  }
  return basis;
}

/// Those that lost to the choice stand behind it in the store.
std::vector<MeasurementRecord> find_rivals(const std::vector<StoredResult>& rows,
                                           const MeasurementRecord& choice) {
  std::vector<MeasurementRecord> rivals;
  bool is_in_comparison = false;
  for (const StoredResult& row : rows) {
    const MeasurementRecord& m = row.measurement;
    if (m == choice) {
      is_in_comparison = true;
      rivals.clear();
    } else if (is_in_comparison && m.round == kCompared) {
      rivals.push_back(m);
    } else {
      is_in_comparison = false;
    }
  }
  std::ranges::stable_sort(rivals, {}, [](const MeasurementRecord& m) {
    return std::pair(m.outcome != Outcome::ok, m.median_us);
  });
  return rivals;
}

Evidence gather(const ConfigStore& store, StoredResult basis) {
  const MeasurementRecord choice = basis.measurement;
  std::vector<StoredResult> rows = store.measurements_of(tuning_key(basis.run, choice));
  // What was imported is no evidence for what was measured here, nor the other way round.
  std::erase_if(rows, [&](const StoredResult& row) {
    return row.measurement.shape != choice.shape || row.imported_from != basis.imported_from;
  });
  Evidence evidence{.basis = std::move(basis),
                    .rivals = find_rivals(rows, choice),
                    .untuned = {},
                    .failures = {}};
  std::map<std::string, Outcome> outcomes;  // by params
  std::optional<StoredResult> untuned;
  for (const StoredResult& row : rows) {
    const MeasurementRecord& m = row.measurement;
    const auto [place, is_new] = outcomes.emplace(m.params, m.outcome);
    if (m.outcome == Outcome::ok) place->second = Outcome::ok;
    if (m.is_default && (!untuned || is_better(row, *untuned))) untuned = row;
  }
  if (untuned) evidence.untuned = untuned->measurement;
  evidence.tried = static_cast<int>(outcomes.size());
  for (const auto& [params, outcome] : outcomes) {
    if (outcome != Outcome::ok) ++evidence.failures[to_string(outcome)];
  }
  // The comparison's own measurement, in which both were timed in turns, wins over later ones.
  for (const MeasurementRecord& rival : evidence.rivals) {
    if (rival.is_default) evidence.untuned = rival;
  }
  if (choice.is_default) evidence.untuned = choice;
  return evidence;
}

std::vector<PastChoice> past_choices(const ConfigStore& store, const Account& account) {
  std::vector<PastChoice> past;
  for (StoredResult& row : store.choices_of(make_problem_key(account.workload))) {
    if (!is_same_device(row.run.device, account.place.device)) continue;
    PastChoice choice{.row = std::move(row)};
    for (const PastChoice& before : past) {
      const MeasurementRecord& m = before.row.measurement;
      if (m.shape != choice.row.measurement.shape) continue;
      // A time of another machine is none to compare with.
      if (before.row.imported_from != choice.row.imported_from) continue;
      choice.time_over_previous = choice.row.measurement.median_us / m.median_us;
    }
    past.push_back(std::move(choice));
  }
  return past;
}

}  // namespace

std::vector<Place> present_places() {
  std::vector<Place> places;
  for (const ListedDevice& device : list_devices().devices) {
    places.push_back({device.info.record, device.compiler, device.info.id, device.fault});
  }
  return places;
}

std::vector<Place> find_places(const std::vector<StoredResult>& rows) {
  std::vector<StoredResult> sorted = rows;
  std::ranges::stable_sort(sorted, is_preferred);
  const std::vector<Place> present = present_places();
  std::vector<Place> places;
  for (const StoredResult& row : sorted) {
    const auto is_of_row = [&](const Place& place) {
      return is_same_device(row.run.device, place.device);
    };
    if (std::ranges::any_of(places, is_of_row)) continue;
    Place place{.device = row.run.device, .compiler = row.run.compiler, .id = {}, .fault = {}};
    for (const Place& here : present) {
      if (!place.id.empty() || !is_of_row(here)) continue;
      place = here;
      if (!here.fault.empty()) place.compiler = row.run.compiler;
    }
    places.push_back(std::move(place));
  }
  return places;
}

Account explain_choice(const ConfigStore& store, const std::vector<StoredResult>& best,
                       const Workload& workload, const Place& place) {
  Account account{.workload = workload,
                  .place = place,
                  .choice = choose_config(&store, place.device, place.compiler, workload),
                  .evidence = {},
                  .past = {}};
  account.past = past_choices(store, account);
  if (auto basis = find_basis(account, best)) account.evidence = gather(store, std::move(*basis));
  return account;
}

std::vector<std::string> find_obstacles(const Account& account) {
  std::vector<std::string> obstacles;
  if (!account.evidence) return obstacles;
  const Place& place = account.place;
  const StoredResult& result = account.evidence->basis;
  const DeviceRecord& device = result.run.device;
  if (!has_these_kernels(result)) {
    obstacles.emplace_back(
        "its kernels are others than those here: of another version of Foldtune, or of a changed "
        "file");
  }
  if (device.driver != place.device.driver) {
    obstacles.push_back(
        fmt::format("it is of driver {}, not {}", device.driver, place.device.driver));
  } else if (device.fingerprint() != place.device.fingerprint()) {
    obstacles.emplace_back("the device has another shape, such as its memory");
  }
  if (result.run.compiler != place.compiler) {
    obstacles.push_back(fmt::format("it is of {}, not {}", result.run.compiler, place.compiler));
  }
  if (!result.imported_from.empty()) {
    obstacles.push_back(fmt::format("it was imported from {}", result.imported_from));
  }
  // What is looked up, but not taken.
  if (obstacles.empty() && !account.choice.match) obstacles.push_back(account.choice.reason);
  return obstacles;
}

int failed_of(const Evidence& evidence) {
  int failed = 0;
  for (const auto& [outcome, count] : evidence.failures) failed += count;
  return failed;
}

/// Against a constant of 1 a ratio is the median itself.
Ratio interval_of_median(const std::vector<double>& samples_us) {
  return ratio_of_medians(samples_us, std::array{1.0});
}

}  // namespace foldtune
