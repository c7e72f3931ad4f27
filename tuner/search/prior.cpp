#include "tuner/search/prior.h"

namespace foldtune {
namespace {

/// The memory transfers on both edges of its clock.
double peak_bytes_per_us(const DeviceRecord& device) {
  return 2e-3 * static_cast<double>(device.memory_clock_khz) * device.memory_bus_bits / 8;
}

}  // namespace

double estimate_us(const Workload& workload, const DeviceRecord& device, const Config& params) {
  return params.family().estimate_us(workload,
                                     {.multiprocessor_count = device.multiprocessor_count,
                                      .peak_bytes_per_us = peak_bytes_per_us(device)},
                                     params);
}

}  // namespace foldtune
