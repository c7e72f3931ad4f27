/// A GPU for the tests of what reckons with one.
#pragma once

#include "cache/config_store.h"

namespace foldtune::test {

inline const DeviceRecord kFakeGpu{.kind = "fake",
                                   .name = "GPU",
                                   .architecture = "sm_90",
                                   .multiprocessor_count = 132,
                                   .memory_clock_khz = 3201000,
                                   .memory_bus_bits = 6016,
                                   .l2_bytes = 1 << 25,
                                   .driver = "1"};

}  // namespace foldtune::test
