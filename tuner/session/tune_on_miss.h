/// Tuning at the moment when a program meets what was not tuned.
#pragma once

#include <memory>

#include "cache/config_store.h"
#include "foldtune/miss.h"
#include "runtime/device/device.h"
#include "tuner/session/effort.h"

namespace foldtune {

struct TuneOnMissOptions {
  double budget_s = 2;  ///< of wall time for each problem; what is found by then is used
  Effort effort = Effort::quick;
};

/// For `ContextOptions::on_miss`. Configurations are tried in this process, on the device's default
/// stream, one problem at a time, and what is measured is put into `store`, where the next process
/// finds it. Best before the program's own work: other work on the device disturbs the timing, and
/// a kernel that faults costs the process its CUDA context. Memory for inputs, several times the L2
/// at least, is given back afterwards.
///
/// The function throws as `tune` does, DatabaseError where the store fails; it returns nothing for
/// a problem that cannot be tuned within the budget.
MissPolicy tune_on_miss(std::shared_ptr<Device> device, std::shared_ptr<ConfigStore> store,
                        const TuneOnMissOptions& options = {});

}  // namespace foldtune
