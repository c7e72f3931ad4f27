/// What is known of a trial without a measurement.
#pragma once

#include <string>

#include "tuner/measure/evaluator.h"

namespace foldtune {

/// The record of a trial that failed before anything could be said of it but why.
MeasurementRecord failed_trial(const Workload& workload, const Trial& trial, Outcome outcome,
                               std::string reason);

}  // namespace foldtune
