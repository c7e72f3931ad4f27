/// Checking and timing one configuration of one problem.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "runtime/plan.h"
#include "tuner/compile_pool.h"
#include "tuner/input_pool.h"
#include "tuner/reference.h"

namespace foldtune {

/// A plan that gave the right result, ready to be timed.
struct Candidate {
  std::unique_ptr<Plan> plan;
  DeviceBuffer scratch;
  MeasurementRecord record;  ///< what is known before the timing
};

double median(std::vector<double> values);

/// Measures configurations of one problem. Every failure becomes a record with its reason; only a
/// device that cannot be used any more throws. Not thread-safe.
class Measurer {
 public:
  /// All references must outlive the measurer.
  Measurer(Device& device, CompilePool& compilations, const InputPool& pool,
           const Problem& problem);

  /// Compiles (or takes the compilation), loads and checks the configuration. A failure is in the
  /// record's outcome, and the plan is null then.
  Candidate prepare(const Params& params);

  /// Takes `samples` samples, each after a flush of the L2, and adds them to the record with their
  /// median and the clocks. A failure is in the record's outcome.
  void time(Candidate& candidate, int samples);

 private:
  std::shared_ptr<const CompiledKernel> compile(const Variant& variant);
  Call call(int slice) const;
  std::vector<std::byte> call_once(const Plan& plan, void* scratch);
  std::string find_fault_in_result(const Plan& plan, void* scratch);
  std::string find_difference_to_reference(const Plan& plan, const std::byte* result) const;
  void make_flush();

  Device& device_;
  CompilePool& compilations_;
  const InputPool& pool_;
  Problem problem_;
  Reference reference_;
  std::vector<std::byte> custom_reference_;  ///< a custom operator's result by the plainest variant
  DeviceBuffer output_;
  DeviceBuffer flush_output_;
  std::optional<Candidate> flush_;  ///< reads the flush region
  int calls_per_sample_ = 1;
};

/// Bytes per time of reading the pool's first input, in 10^9 bytes per second, with a few
/// configurations that are known to stream well; 0 where the device has no L2 to flush, so that the
/// figure would mean nothing.
double measure_read_bandwidth(Device& device, CompilePool& compilations, const InputPool& pool);

}  // namespace foldtune
