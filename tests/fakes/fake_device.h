/// The scripted device: chosen timings and injected faults, without a GPU and without a compiler.
///
///     FakeDevice device({
///         .cost_us = [](const FakeLaunch& launch) { return launch.params.unroll == 8 ? 1. : 2.; },
///         .fault = [](const ReduceParams& params) {
///           return params.block_size == 32 ? Fault::wrong_result : Fault::none;
///         }});
///
/// Memory is host memory. Launches run when they are enqueued, on the caller's thread, and give the
/// right result unless told otherwise: sum, min and max of every type but the 16-bit floating-point
/// ones, through each final stage's own order of kernels (`atomic` folds into what `store_identity`
/// wrote; `two_pass` hands its total to `fold_blocks` in the scratch). A custom operator is the sum
/// of its first input, of f32.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "foldtune/catalog.h"
#include "runtime/device/device.h"
#include "templates/reduce/params.cuh"
#include "templates/reduce/space.h"

namespace foldtune::test {

enum class Fault {
  none,
  compile_error,  ///< the compiler throws CompileError
  load_error,     ///< `load` throws DeviceError
  launch_error,   ///< `launch` throws DeviceError
  run_error,      ///< the next `synchronize`, `copy` or timing throws DeviceError, once
  wrong_result,   ///< the output is not the fold
  out_of_memory,  ///< `load` throws OutOfMemory
  timing_error,   ///< taking samples throws DeviceError
  lost,           ///< `launch` throws DeviceError, and so does all that follows on the device
};

/// A launch of the kernel `reduce` or `reduce_in_order`.
struct FakeLaunch {
  Operator op = Operator::sum;
  ElementType type = ElementType::f32;
  ElementType accumulator = ElementType::f32;
  Alignment alignment = Alignment::vector;  ///< `reduce_in_order` serves both
  bool in_order = false;                    ///< of the kernel `reduce_in_order`
  bool counts_in_64_bits = false;
  ReduceParams params;  ///< `waves` is always 0: no kernel sees it. It shows in `grid_size`.
  std::uint32_t grid_size = 0;
  std::uint64_t count = 0;
  const void* input = nullptr;   ///< the first one
  const void* output = nullptr;  ///< of the kernel
  const void* scratch = nullptr;
  bool inputs_ready = false;
  bool is_cluster = false;
  Stream stream = nullptr;
};

struct FakeScript {
  /// Microseconds that a timing reports for a launch; asked once per launch and sample, so it may
  /// add noise. A call costs the sum over its launches of `reduce`; helper kernels are free.
  /// Empty: 1.
  std::function<double(const FakeLaunch&)> cost_us = nullptr;
  /// Asked whenever samples are taken, also again: the bits of runtime/device/throttle.h. Empty: 0.
  std::function<std::uint64_t()> clock_reasons = nullptr;
  /// What goes wrong with a configuration (`waves` is 0). Empty: nothing. May be called from
  /// several threads.
  std::function<Fault(const ReduceParams&)> fault = nullptr;
  /// False: `compiler` throws Unavailable, as where NVRTC is missing.
  bool has_compiler = true;
  /// In bytes; `allocate` throws OutOfMemory for more.
  std::size_t largest_allocation = std::numeric_limits<std::size_t>::max();

  Fault fault_of(const ReduceParams& params) const { return fault ? fault(params) : Fault::none; }
};

/// How often things were done, failures included.
struct FakeCounts {
  std::atomic<int> compilations = 0;
  std::atomic<int> loads = 0;
  std::atomic<int> resource_queries = 0;  ///< of kernels
  std::atomic<int> reduce_launches = 0;   ///< not those that are timed
  std::atomic<int> untimed_launches = 0;  ///< those of `before_sample`
  std::atomic<int> helper_launches = 0;
  std::atomic<int> seen_results = 0;     ///< of `await`, before it looked at the stream
  std::atomic<int> copies_to_host = 0;   ///< by `copy_to_host`
  std::atomic<int> capture_queries = 0;  ///< by `is_capturing`
  std::atomic<int> timings = 0;          ///< that were prepared
  std::atomic<int> takings = 0;          ///< of samples, those that were discarded too
  std::atomic<int> allocations = 0;
  std::atomic<int> live_allocations = 0;
};

/// What a call costs the host, in microseconds, beside what the script says.
inline constexpr double kFakeStreamUs = 3;
inline constexpr double kFakeLatencyUs = 9;

/// What is read of the clocks.
inline constexpr Clocks kFakeClocks{.sm_mhz = 1000, .memory_mhz = 2000};

/// The stream number `number`, from 1; as a pointer it leads nowhere.
Stream fake_stream(int number);

class FakeDevice final : public Device {
 public:
  explicit FakeDevice(FakeScript script = {});
  ~FakeDevice() override;

  const FakeCounts& counts() const;
  /// The programs that were compiled, in order.
  std::vector<Program> compiled_programs() const;
  /// Ends the capture that there is, and begins one of this stream (null: none). What it captures
  /// runs at once, and the graph lives until it is destroyed.
  void set_capturing(Stream stream);
  /// Captures this stream, too, into the graph that `set_capturing` began.
  void join_capture(Stream stream);
  /// The number of the graph that is captured now, or was captured last.
  int captured_graph() const;
  void destroy_graph(int number);
  /// The last launch that ran, of the kernels that reduce.
  FakeLaunch last_launch() const;
  /// What is done with this stream from now on is refused, as the driver refuses a handle that it
  /// knows to be destroyed; null: none.
  void set_destroyed(Stream stream);
  /// Memory that kernels cannot use; null: none.
  void set_foreign(const void* memory);

  /// Kind "fake", four multiprocessors; tests may change it before they use the device.
  DeviceInfo& mutable_info() { return info_; }

  const DeviceInfo& info() const override { return info_; }
  const Compiler& compiler() override;
  std::unique_ptr<Kernel> load(const CompiledKernel& compiled) override;
  void* allocate(std::size_t bytes) override;
  void deallocate(void* memory) noexcept override;
  void copy(void* to, const void* from, std::size_t bytes) override;
  void copy_to_host(Stream stream, void* to, const void* from, std::size_t bytes) override;
  void synchronize(Stream stream) override;
  void await(Stream stream, const std::function<bool()>& is_there) override;
  bool is_capturing(Stream stream) const override;
  void* allocate_in_capture(Stream stream, std::size_t bytes) override;
  std::string find_pointer_fault(const void* memory) const override;
  /// Samples are what the script says that calls cost, with the host's part for Launching::stream
  /// and Launching::latency. Calls are enqueued once, when the timing is prepared, and
  /// `before_sample` before each sample, with kernels that do not run.
  std::unique_ptr<Stopwatch> prepare_timing(TimingRequest request) override;

 private:
  struct State;
  class ModeScope;
  class FakeStopwatch;
  DeviceInfo info_;
  std::unique_ptr<State> state_;
};

}  // namespace foldtune::test
