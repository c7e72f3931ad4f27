/// What a store knows of a problem before it is tuned.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "templates/family.h"
#include "templates/space.h"

namespace foldtune {

// Rounds in the store: a screening, a comparison; from `kChosen` on what was chosen, the higher the
// later.
inline constexpr int kScreened = 0;
inline constexpr int kCompared = 1;
inline constexpr int kChosen = 2;

/// A problem's past, read once. What was imported is of a machine that nobody here knows, and rows
/// may be edited: such a measurement is a guess for the search, and no more. A row of tunables that
/// this Foldtune does not know is left out.
class ProblemHistory {
 public:
  /// Measurements whose params are not in the problem's space are left out, with a note.
  /// `resume`: whether earlier measurements count as if they had just been made.
  ProblemHistory(const ConfigStore& store, const TuningKey& key, const Workload& workload,
                 bool resume);

  /// How many configurations are known to succeed or to fail; none if it is not resumed.
  std::size_t size() const { return known_.size(); }
  std::size_t failed() const;

  /// Null if nothing is known of it.
  const MeasurementRecord* find(const Config& params) const;

  /// What an earlier run chose for this count; null if none did.
  const MeasurementRecord* chosen() const { return chosen_ ? &*chosen_ : nullptr; }
  const std::optional<Config>& chosen_params() const { return chosen_params_; }
  /// What was chosen elsewhere, by rows that were imported.
  const std::vector<Config>& imported() const { return imported_; }

  /// The round for a choice that is to replace all earlier ones; no more than a row may have.
  int next_round() const { return next_round_; }

  /// The configuration that is used untuned, in the comparison that chose; null if it took no part.
  const MeasurementRecord* fallback() const { return fallback_ ? &*fallback_ : nullptr; }

 private:
  std::map<std::string, MeasurementRecord> known_;  ///< by the params' JSON
  std::optional<MeasurementRecord> chosen_;
  std::optional<Config> chosen_params_;
  std::optional<MeasurementRecord> fallback_;
  std::vector<Config> imported_;
  int next_round_ = kChosen;
};

/// The params of a measurement of `problem`. Empty if they are none of its space: somebody wrote
/// them, or a Foldtune with other tunables.
std::optional<Config> read_params(const Workload& workload, const std::string& json);

/// What programs use for the problem now, if anything was tuned for its bucket: by this or another
/// driver or compiler, or imported.
std::optional<Config> find_in_use(const ConfigStore& store, const TuningKey& key,
                                  const Workload& workload);

/// The best configurations of problems that are like this one, the likest first, at most `most`.
std::vector<Config> seeds_of_others(const ConfigStore& store, const TuningKey& key,
                                    const Workload& workload, std::size_t most);

}  // namespace foldtune
