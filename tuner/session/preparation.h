/// What it takes to begin with a problem: its inputs and the result to expect are made on the host.
#pragma once

#include <cstdint>

#include "runtime/device/device.h"
#include "templates/family.h"

namespace foldtune {

/// The seconds that `DeviceEvaluator::set_problem` will probably need on this host, to a factor of
/// about 2; 0 where it is less than one or two. A small part is made and folded to know it, in some
/// milliseconds. `largest` as Evaluator::set_workload takes it; null: the
/// inputs are there already.
double estimate_preparation_s(const DeviceInfo& device, const Workload& workload,
                              const Workload* largest);

}  // namespace foldtune
