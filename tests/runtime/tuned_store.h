/// Tuning results for the tests of what uses them.
#pragma once

#include <string>

#include "cache/config_store.h"
#include "runtime/device/device.h"
#include "runtime/lookup/lookup.h"
#include "templates/fingerprint.h"
#include "templates/reduce/space.h"

namespace foldtune::test {

/// A run on `device`, with its compiler.
inline RunRecord run_on(Device& device) {
  return {.device = device.info().record,
          .compiler = device.compiler().version(),
          .foldtune_version = "test",
          .command = "a test",
          .seed = 1,
          .read_bandwidth_gbps = 0};
}

/// A success with the present kernels of the configuration `params`, a JSON object.
inline MeasurementRecord success(const Workload& workload, const std::string& params,
                                 double median_us = 1) {
  MeasurementRecord measurement;
  measurement.problem = make_problem_key(workload);
  measurement.template_fingerprint = kernel_fingerprint(workload.problem);
  measurement.shape = to_text(workload.problem.family(), workload.shape);
  measurement.bytes = input_bytes(workload);
  measurement.params = params;
  measurement.round = 2;  // It was chosen.
  measurement.samples_us = {median_us};
  measurement.median_us = median_us;
  return measurement;
}

inline void put_success(ConfigStore& store, Device& device, const Workload& workload,
                        const Config& params, double median_us = 1) {
  store.put(store.begin_run(run_on(device)), success(workload, to_json(params), median_us));
}

}  // namespace foldtune::test
