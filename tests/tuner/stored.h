/// Databases with results in them, for tests of the program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "templates/embedded.h"
#include "templates/space.h"

namespace foldtune::test {

/// A run of this Foldtune on the device of that name.
inline RunRecord stored_run(const std::string& device = "NVIDIA H200") {
  return {.device = {.kind = "cuda",
                     .name = device,
                     .architecture = "sm_90",
                     .multiprocessor_count = 132,
                     .driver = "580"},
          .template_fingerprint = template_fingerprint(),
          .compiler = "nvrtc 13.0",
          .foldtune_version = "0.1.0",
          .command = "foldtune tune",
          .seed = 1,
          .read_bandwidth_gbps = 4000};
}

/// A success of a sum of f32 with the family's first configuration.
inline MeasurementRecord stored_sum(int size_class, double median_us) {
  return {.problem = {.family = "reduce",
                      .op = "sum",
                      .element_type = "f32",
                      .accumulator_type = "f32",
                      .alignment = "vector",
                      .determinism = "run_to_run",
                      .size_class = size_class},
          .count = std::uint64_t{1} << size_class,
          .bytes = std::uint64_t{4} << size_class,
          .params = to_json(rules(Family::reduce).first),
          .samples_us = {median_us},
          .median_us = median_us};
}

/// Adds a run with these measurements to the database `file`.
inline void store(const std::string& file, const std::vector<MeasurementRecord>& measurements,
                  const RunRecord& run = stored_run()) {
  const auto database = open_sqlite_store(file, OpenMode::read_write);
  const auto id = database->begin_run(run);
  for (const MeasurementRecord& measurement : measurements) database->put(id, measurement);
}

}  // namespace foldtune::test
