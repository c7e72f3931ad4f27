/// Checking and timing one configuration of one problem.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "runtime/plan.h"
#include "tuner/compile_pool.h"
#include "tuner/expected_result.h"
#include "tuner/input_pool.h"

namespace foldtune {

/// A plan that gave the right result, ready to be timed.
struct Candidate {
  std::unique_ptr<Plan> plan;
  DeviceBuffer scratch;
  MeasurementRecord record;  ///< what is known before the timing
};

/// What computes the problem: a plan with its scratch, or another library's function.
using Enqueue = std::function<void(const Call& call, Stream stream)>;

/// Both must outlive what is returned.
Enqueue enqueue_of(const Plan& plan, const DeviceBuffer& scratch);

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

  /// Checks the result of another library. Empty if it is right, else what is wrong. Throws
  /// DeviceError.
  std::string find_fault_of_library(const Enqueue& enqueue);

  /// Microseconds per call of `samples` samples, each of `calls` calls after a flush of the L2.
  /// Throws DeviceError.
  std::vector<double> take_samples(const Enqueue& enqueue, int calls, int samples);

  /// Calls that make a sample long enough, of kernels that stream.
  int calls_per_sample() const { return calls_per_sample_; }

 private:
  /// A configuration with a grid, whose chains of operations bound the error of a result.
  struct Shape {
    Params params;
    std::uint32_t grid_size;
  };

  std::shared_ptr<const CompiledKernel> compile(const Variant& variant);
  Call call(int slice) const;
  std::vector<std::byte> call_once(const Enqueue& enqueue);
  std::string find_fault_in_result(const Enqueue& enqueue, const Shape& shape);
  void make_expected_result();
  void make_flush();

  Device& device_;
  CompilePool& compilations_;
  const InputPool& pool_;
  Problem problem_;
  ExpectedResult expected_;
  DeviceBuffer edges_;  ///< of custom bins
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
