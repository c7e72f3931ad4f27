/// CUB, called as Foldtune is.
#pragma once

#include "tuner/measure/measure.h"

namespace foldtune::bench {

/// What computes the workload by a function of CUB, with its temporary memory in several places;
/// empty for a workload that is not compared. The device must outlive it. Throws DeviceError.
Enqueues make_cub_enqueues(Device& device, const Workload& workload);

}  // namespace foldtune::bench
