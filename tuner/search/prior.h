/// What a configuration probably costs, from the device's record alone: the guess that a search
/// begins with.
#pragma once

#include "cache/config_store.h"
#include "templates/family.h"

namespace foldtune {

/// Microseconds per call. The order of configurations is what it is good for, and how far apart
/// they are; a device on which all is slower by the same factor makes no difference to a search.
double estimate_us(const Workload& workload, const DeviceRecord& device, const Config& params);

}  // namespace foldtune
