/// Databases of the tuner for the tests of what shows them, made through the store.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cache/config_store.h"
#include "foldtune/reduction.h"
#include "runtime/lookup/lookup.h"
#include "templates/fingerprint.h"
#include "templates/reduce/space.h"
#include "templates/space.h"
#include "tuner/measure/statistics.h"
#include "tuner/session/problem_history.h"

namespace foldtune::test {

inline Reduction sum_of(std::uint64_t count) { return {.count = count}; }

/// A configuration that differs from others in its block size.
inline Config with_block_size(int block_size) { return ReduceParams{.block_size = block_size}; }

/// A run of this Foldtune on a GPU that this machine has not.
inline RunRecord run_on(const std::string& device = "NVIDIA Test") {
  return {.device = {.kind = "cuda",
                     .name = device,
                     .architecture = "sm_90",
                     .multiprocessor_count = 132,
                     .driver = "580.1"},
          .compiler = "nvrtc 13.0",
          .foldtune_version = "0.1.0",
          .command = "foldtune tune --op sum, \"quoted\"",
          .seed = 1,
          .read_bandwidth_gbps = 4000};
}

inline MeasurementRecord success(const Workload& workload, const Config& params,
                                 std::vector<double> samples_us, int round = kChosen) {
  MeasurementRecord record;
  record.problem = make_problem_key(workload);
  record.template_fingerprint = kernel_fingerprint(workload.problem);
  record.shape = to_text(workload.problem.family(), workload.shape);
  record.bytes = input_bytes(workload);
  record.params = to_json(params);
  record.round = round;
  record.median_us = median(samples_us);
  record.mad_us = median_absolute_deviation(samples_us);
  record.samples_us = std::move(samples_us);
  return record;
}

/// The same with other kernels.
inline MeasurementRecord with_kernels(const std::string& fingerprint, MeasurementRecord record) {
  record.template_fingerprint = fingerprint;
  return record;
}

inline MeasurementRecord failure(const Workload& workload, const Config& params,
                                 foldtune::Outcome outcome, const std::string& reason) {
  MeasurementRecord record = success(workload, params, {}, kScreened);
  record.outcome = outcome;
  record.failure = reason;
  return record;
}

/// The database `path`, to which runs are added.
class TunedDatabase {
 public:
  explicit TunedDatabase(const std::string& path)
      : store_(open_sqlite_store(path, OpenMode::read_write)) {}

  void add(const RunRecord& run, const std::vector<MeasurementRecord>& measurements) {
    const ConfigStore::RunId id = store_->begin_run(run);
    for (const MeasurementRecord& measurement : measurements) store_->put(id, measurement);
  }

 private:
  std::unique_ptr<ConfigStore> store_;
};

/// A success of a sum of f32 with the family's first configuration.
inline MeasurementRecord stored_sum(int size_class, double median_us) {
  return success(sum_of(std::uint64_t{1} << size_class), Config(reduce_family()), {median_us});
}

/// Adds a run with these measurements to the database `path`.
inline void store(const std::string& path, const std::vector<MeasurementRecord>& measurements,
                  const RunRecord& run = run_on("NVIDIA H200")) {
  TunedDatabase(path).add(run, measurements);
}

}  // namespace foldtune::test
