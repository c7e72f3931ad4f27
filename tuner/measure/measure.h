/// Checking and timing one configuration of one workload.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "runtime/launch/plan.h"
#include "tuner/measure/buffer_rotation.h"
#include "tuner/measure/compile_pool.h"
#include "tuner/measure/evaluator.h"
#include "tuner/measure/input_pool.h"
#include "tuner/measure/rotation.h"
#include "tuner/verify/judge.h"

namespace foldtune {

/// What the samples of a timing are taken of.
enum class Manner {
  flushed,     ///< calls in a graph, after a flush of the L2
  rotating,    ///< calls in a graph, each of which reads its input from memory
  hot,         ///< calls in a graph, all of the same input
  stream,      ///< calls one after another in a stream, each of which reads its input from memory
  hot_stream,  ///< the same, all of the same input
  latency,     ///< calls that are waited for
};
inline constexpr std::size_t kManners = 6;

/// A plan that gave the right result, ready to be timed.
struct Candidate {
  std::unique_ptr<Plan> plan;
  BufferRotation scratch;
  MeasurementRecord record;  ///< what is known before the timing
  /// By Manner; each is made when it is first used. They refer to the plan and the scratch.
  std::array<std::unique_ptr<Stopwatch>, kManners> stopwatches;
};

/// What computes the workload: a plan with its scratch, or another library's function.
using Enqueue = std::function<void(const Call& call, Stream stream)>;

/// The same computation with scratch in several places, of which the calls of a sample use one
/// after another.
using Enqueues = std::vector<Enqueue>;

/// One for each area. Both must outlive what is returned.
Enqueues enqueues_of(const Plan& plan, const BufferRotation& scratch);

/// The record of one configuration, measured in several turns: `total` with the samples of `more`
/// behind its own, and what follows of them. Of two outcomes, the failure counts.
MeasurementRecord merge(MeasurementRecord total, const MeasurementRecord& more);

/// Measures configurations of one workload. Every failure becomes a record with its reason; only a
/// device that cannot be used any more throws. Not thread-safe.
class Measurer {
 public:
  /// All references must outlive the measurer. `expected` is computed where it is null, with
  /// `tell_of_run` as Evaluator::tell_of_runs takes it.
  Measurer(Device& device, CompilePool& compilations, const InputPool& pool,
           const Workload& workload, std::shared_ptr<const Expectation> expected = nullptr,
           const std::function<void()>& tell_of_run = nullptr);

  /// Loads and checks the configuration, whose program `compiled` is. A failure is in the record's
  /// outcome, and the plan is null then.
  Candidate prepare(const Config& params, const CompiledKernel& compiled);

  /// The candidate's record with at most `samples` samples more, taken as `timing` says, and what
  /// follows of them; fewer where they already agree, and after `deadline` one at least. A failure
  /// is in the record's outcome. The candidate keeps what the next timing can use again; it must
  /// not outlive the measurer.
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;
  MeasurementRecord time(Candidate& candidate, Timing timing, int samples,
                         Deadline deadline = std::nullopt);

  /// Changes the bytes of another library's result to what Foldtune's would be.
  using Translate = std::function<void(std::vector<std::byte>& result)>;

  /// Checks the result of another library. Empty if it is right, else what is wrong. Throws
  /// DeviceError.
  std::string find_fault_of_library(const Enqueue& enqueue, const Translate& translate = nullptr);

  /// The timing of calls in this manner, which for Manner::latency wait for their results; `calls`
  /// per sample, empty: as many as the manner wants. It
  /// must not outlive the measurer, nor what the calls refer to. Throws DeviceError.
  std::unique_ptr<Stopwatch> make_stopwatch(const Enqueues& enqueues, Manner manner,
                                            std::optional<int> calls = std::nullopt);

  /// Where a call of the workload puts its result.
  void* output_of(const Call& call) const { return call.arguments.at(output_place_); }

  /// Calls that make a sample long enough, of kernels that stream.
  int calls_per_sample() const { return calls_per_sample_; }

 private:
  Call call(int slice, int area) const;
  std::vector<std::byte> call_once(const Enqueue& enqueue, std::byte poison,
                                   const Translate& translate = nullptr);
  std::string find_fault_in_result(const Enqueue& enqueue, const Expectation::Origin& origin,
                                   const Translate& translate = nullptr);
  std::shared_ptr<const Expectation> compute_expected(const std::function<void()>& tell_of_run);
  void make_flush();
  TimingRequest make_request(const Enqueues& enqueues, Manner manner, std::optional<int> calls);
  Enqueue waited(Enqueue enqueue) const;
  Samples take(Candidate& candidate, Manner manner, int samples, Deadline deadline);
  void enqueue_flush(Stream stream);

  Device& device_;
  CompilePool& compilations_;
  const InputPool& pool_;
  Workload workload_;
  const Judge& judge_;
  InputPool::Slices slices_;
  std::size_t output_place_;
  std::shared_ptr<const Expectation> expected_;
  BufferRotation output_;
  DeviceBuffer flush_output_;
  std::optional<Candidate> flush_;  ///< reads the flush region
  int calls_per_sample_ = 1;
  Rotation rotation_;
};

/// Of the memory's data sheet, in 10^9 bytes per second: two transfers per clock. 0 where the clock
/// or the bus is unknown.
double peak_gbps(const DeviceRecord& device);

/// Bytes per time of reading the pool's first input, in 10^9 bytes per second, with a few
/// configurations that are known to stream well; 0 where the device has no L2 to flush, so that the
/// figure would mean nothing.
double measure_read_bandwidth(Device& device, CompilePool& compilations, const InputPool& pool);

}  // namespace foldtune
