/// A landscape: what every configuration of one workload costs on one device.
#pragma once

#include <string>
#include <vector>

#include "cache/config_store.h"
#include "foldtune/workload.h"
#include "templates/space.h"

namespace foldtune {

/// What came of one configuration.
struct LandscapePoint {
  Config params;
  Outcome outcome = Outcome::ok;
  double median_us = 0;  ///< 0 unless the outcome is ok
};

struct Landscape {
  DeviceRecord device;
  std::string compiler;              ///< "nvrtc 13.0"
  std::string template_fingerprint;  ///< of the kernels that were measured
  double read_bandwidth_gbps = 0;    ///< of the device, in 10^9 bytes per second; 0: not known
  double compile_ms = 0;             ///< median over the configurations; 0: not known
  std::string imported_from{};       ///< the file that its measurements are from; empty: none
  Workload workload;
  std::vector<LandscapePoint> points;  ///< each configuration once
};

/// The landscape of `workload` from the records of a run that tried every configuration. Records of
/// other problems or shapes are left out, and, with a note, those whose params are none of the
/// workload's, which may be all; of several records of a configuration the last one of the lowest
/// round counts, since rounds are timed in different ways.
Landscape make_landscape(const RunRecord& run, const Workload& workload,
                         const std::vector<MeasurementRecord>& records);

/// The cheapest point that did not fail; null if all failed.
const LandscapePoint* find_optimum(const Landscape& landscape);

}  // namespace foldtune
