/// What the database says of one problem on one device: the choice, and the measurements behind it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "foldtune/workload.h"
#include "runtime/lookup/lookup.h"
#include "tuner/measure/statistics.h"

namespace foldtune {

/// A device, and what compiles for it now.
struct Place {
  DeviceRecord device;
  std::string compiler;
  std::string id;     ///< "cuda:0"; empty if it is not of this machine
  std::string fault;  ///< why nothing can be compiled for it here; the compiler is that of a row
};

/// What is known of the problem where `basis` was measured, of the same shape.
struct Evidence {
  StoredResult basis;                        ///< the choice, or what is no longer valid
  std::vector<MeasurementRecord> rivals;     ///< of its comparison, failures too
  std::optional<MeasurementRecord> untuned;  ///< the default's best measurement
  int tried = 0;                             ///< configurations
  std::map<std::string, int> failures;       ///< of them, by outcome
};

/// A choice that was stored, and its time over that of the one before for the same shape.
struct PastChoice {
  StoredResult row;
  std::optional<double> time_over_previous{};  ///< empty for the first
};

/// Which configuration a workload is run with at a place, and what that rests on.
struct Account {
  Workload workload;
  Place place;
  Choice choice;
  std::optional<Evidence> evidence;  ///< empty: nothing like it was measured on the device
  /// All choices for the workload's bucket on the device, the oldest first, whatever the driver,
  /// the compiler and the kernels.
  std::vector<PastChoice> past;
};

/// Each device of the rows once: as it is now if it is of this machine, else as of its newest row
/// that was not imported, or of its newest one if all were.
std::vector<Place> find_places(const std::vector<StoredResult>& rows);

/// The devices of this machine. Those with a fault have no compiler.
std::vector<Place> present_places();

/// `best` are the best results of the store. Throws DatabaseError and StoreError where the store
/// cannot be read.
Account explain_choice(const ConfigStore& store, const std::vector<StoredResult>& best,
                       const Workload& workload, const Place& place);

/// Why no program at this place would use the evidence, in clauses; empty if programs do.
std::vector<std::string> find_obstacles(const Account& account);

/// How many configurations failed.
int failed_of(const Evidence& evidence);

/// The median in us per call and its confidence interval.
Ratio interval_of_median(const std::vector<double>& samples_us);

}  // namespace foldtune
